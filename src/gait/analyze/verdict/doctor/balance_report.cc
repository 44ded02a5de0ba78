#include "gait/analyze/verdict/doctor/balance_report.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextDevices = 8;
constexpr double kWorthNaming = 0.01;  // of the step

// As heads of columns.
constexpr std::array<const char*, kBalanceTerms> kShortNames = {"necessary", "avoidable", "ineff.", "comm",
                                                                "copies",    "idle",      "unrated"};

}  // namespace

std::string ShareText(double share) {
  return share >= 0.1 ? fmt::format("{:.0f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

std::string BalanceText(const Balance& balance) {
  std::vector<BalanceTerm> rest;
  for (size_t i = 1; i < kBalanceTerms; ++i) {
    const auto term = static_cast<BalanceTerm>(i);
    if (balance.share(term) >= kWorthNaming) rest.push_back(term);
  }
  std::ranges::stable_sort(rest, std::greater(), [&](BalanceTerm term) { return balance.share(term); });
  std::vector<std::string> words = {ShareText(balance.share(BalanceTerm::kNecessary))};
  for (const BalanceTerm term : rest)
    words.push_back(fmt::format("{} {}", Name(term), ShareText(balance.share(term))));
  return fmt::format("{}", fmt::join(words, ", "));
}

report::Table BalanceTable(const Patient& patient, const Balance& balance, bool hidden) {
  TableOf<BalanceTerm> t({.name = "balance", .hidden = hidden});
  t.Add("term", {.head = patient.has_steps() ? "of the step" : "of the time"},
        "a part of the step; they sum to it", [](const BalanceTerm& term) { return Name(term); });
  t.Time("time", "of a step; without steps of the capture, on each device",
         [&](const BalanceTerm& term) { return balance.of(term).time / balance.steps; });
  t.Percent("share", "of the step", [&](const BalanceTerm& term) { return 100 * balance.share(term); });
  t.Time("explained", "what findings claim of it",
         [&](const BalanceTerm& term) { return balance.of(term).explained / balance.steps; });
  t.Add("mostly", {.elastic = true}, "what holds most of it", [&](const BalanceTerm& term) {
    const std::vector<std::string>& most = balance.of(term).most;
    return most.empty() ? std::string() : most[0];
  });
  t.Hidden("holds", "operations, or causes of idle time, that hold most of it; the largest first",
           [&](const BalanceTerm& term) { return ListCell(balance.of(term).most); });
  t.Hidden("verb", "that shows more of it", [](const BalanceTerm& term) { return VerbOf(term); });
  t.Hidden("about", "what it is", [](const BalanceTerm& term) { return Describe(term); });
  t.Hidden("total", "of all steps on all devices: these sum exactly",
           [&](const BalanceTerm& term) { return balance.of(term).time; });
  for (size_t i = 0; i < kBalanceTerms; ++i) {
    if (balance.terms[i].time > Ps()) t.Row(static_cast<BalanceTerm>(i));
  }
  return t.Done();
}

report::Table BalanceDevicesTable(const Patient& patient, const Balance& balance) {
  const auto steps = [&](const TermsOfDevice& row) -> int64_t {
    const auto& devices = patient.overview.devices;
    const auto found = std::ranges::find(devices, row.device, &DeviceOverview::device);
    return found == devices.end() ? 1 : std::max<int64_t>(1, found->steps);
  };
  TableOf<TermsOfDevice> t({.name = "balance_devices",
                            .hidden = balance.devices.size() < 2,
                            .text_rows = kTextDevices,
                            .key = "device"});
  t.Add("host", HostShow(patient.view->hosts.size() == 1), "the machine",
        [](const TermsOfDevice& row) { return row.host->host->name; });
  t.Add("device", "the device", [](const TermsOfDevice& row) { return row.device->name; });
  t.Time("time", {.head = patient.has_steps() ? "step" : "time"}, "of a step: the terms sum to it",
         [=](const TermsOfDevice& row) { return row.total / steps(row); });
  for (size_t i = 0; i < kBalanceTerms; ++i) {
    const auto term = static_cast<BalanceTerm>(i);
    t.Percent(std::string(Name(term)), {.head = kShortNames[i], .hidden = balance.of(term).time == Ps()},
              Describe(term),
              [i](const TermsOfDevice& row) { return 100 * ShareOf(row.terms[i], row.total); });
  }
  for (const TermsOfDevice& row : balance.devices) {
    if (row.total > Ps()) t.Row(row);
  }
  return t.Done();
}

report::Table RatesTable(const Patient& patient, const Attained& rates) {
  struct Rate {
    std::string_view type;
    double peak;
    AttainedShare attained;
    std::string_view unit;
  };
  TableOf<Rate> t({.name = "rates", .hidden = true});
  t.Add("type", "the data type of products, or memory", &Rate::type);
  t.Add("rate", "what the device attains, each second",
        [](const Rate& r) { return r.peak * r.attained.share; });
  t.Add("unit", "flop or bytes", &Rate::unit);
  t.Add("data_sheet", "the peak", &Rate::peak);
  t.Percent("share", "of the peak", [](const Rate& r) { return 100 * r.attained.share; });
  t.Add("source", "where the share is from", [](const Rate& r) { return Describe(r.attained.source); });
  for (size_t i = 0; i < kMathTypes; ++i) {
    const auto type = static_cast<MathType>(i);
    if (const auto peak = patient.peaks.of(type)) t.Row({Name(type), *peak, rates.of(type), "flop"});
  }
  if (patient.peaks.bytes_per_second)
    t.Row({"memory", *patient.peaks.bytes_per_second, rates.memory, "bytes"});
  return t.Done();
}

}  // namespace gait::analyze
