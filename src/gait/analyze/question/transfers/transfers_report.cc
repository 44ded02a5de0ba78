#include "gait/analyze/question/transfers/transfers_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/question/transfers/transfers.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/time/durations.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextSites = 20;
constexpr const char* kNoBytes = "the capture does not say how many bytes";
constexpr const char* kNoStaging = "no staging of the host could be linked to it";

NumberCell HiddenShare(const TransferSum& sum) {
  if (sum.union_time == Ps()) return Unknown{"no device of the capture shows these copies"};
  return 100 * static_cast<double>(sum.hidden.value()) / static_cast<double>(sum.union_time.value());
}

TextCell Memory(const TransferSum& sum) {
  if (sum.pageable > 0 && sum.pinned > 0) return "both";
  if (sum.pageable > 0) return "pageable";
  if (sum.pinned > 0) return "pinned";
  return Unknown{"the capture does not say, or no memory of the host is part of it"};
}

// The columns that rows of kinds and of sites share.
TableOf<TransferSum> SumColumns(int64_t steps, bool of_sites) {
  using Sum = TransferSum;
  TableOf<Sum> t({});
  t.Add("count", "copies in the time that the report covers, over all devices", &Sum::count);
  t.Add("bytes", unit::kBytes, {.hidden = of_sites}, "what they moved, as the capture states it",
        [](const Sum& sum) -> CellOf<int64_t> {
          if (sum.without_bytes == sum.count) return Unknown{kNoBytes};
          return sum.bytes;
        });
  t.Time("time", "time during which at least one was on, device by device; rows may share it", &Sum::time);
  t.Add("rate", unit::kBytesPerSecond, {.head = "one at", .scale = "GB/s", .decimals = 1},
        "of one copy, on average: bytes over the durations of the copies, which may overlap",
        Known(&Sum::rate, kNoBytes));
  t.Percent("hidden", {.hidden = of_sites, .optional = true},
            "the part of that time under compute of the device", HiddenShare);
  const auto if_staged = [](auto get) {
    return [get](const Sum& sum) -> TimeCell {
      if (sum.staged == 0) return Unknown{kNoStaging};
      return get(sum);
    };
  };
  t.Time("staging", {.optional = true},
         "what the host spent moving the bytes itself, before a copy to the device or after one to the host",
         if_staged([](const Sum& sum) { return sum.staging; }));
  t.Add("staging_rate", unit::kBytesPerSecond,
        {.head = "staged at", .optional = true, .scale = "GB/s", .decimals = 1},
        "bytes of the staged copies over the time of their staging", Known(&Sum::staging_rate, kNoStaging));
  t.Add("memory", {.wide = true}, "memory of the host: pinned, pageable or both", Memory);
  t.Hidden("total", "sum of the durations of the copies", &Sum::total);
  t.Hidden("hidden_time", "time under compute of the device", &Sum::hidden);
  t.Hidden("time_per_step", "time per step and device",
           [steps](const Sum& sum) { return PerStep(sum.time(), steps); });
  t.Hidden("staging_per_step", "staging per step and device",
           if_staged([steps](const Sum& sum) { return PerStep(sum.staging, steps); }));
  t.Hidden("staged", "copies with staging of their own", &Sum::staged);
  t.Hidden("without_bytes", "copies whose bytes the capture does not state", &Sum::without_bytes);
  t.Hidden("pinned", "copies from or to pinned memory of the host", &Sum::pinned);
  t.Hidden("pageable", "copies from or to pageable memory of the host", &Sum::pageable);
  return t;
}

// In text by the short names that the profiler itself uses.
template <typename R>
void AddKind(TableOf<R>& t, const char* head) {
  t.Add("kind", {.head = head},
        "from where to where: H2D is host to device, D2H device to host, D2D on one device",
        [](const R& row) {
          constexpr const char* kShort[] = {"H2D", "D2H", "D2D", "peer", "H2H", "memset", "unknown"};
          return TextCell(Name(row.kind)).ShownAs(kShort[static_cast<size_t>(row.kind)]);
        });
}

// Why there is nothing to show, and where to look instead.
std::string WhyNone(const RunView& view) {
  bool cpu = false;
  bool other = false;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      const PlaneKind kind = host.trace().plane(device.plane).kind;
      cpu |= kind == PlaneKind::kCpuDevice;
      other |= kind != PlaneKind::kCpuDevice;
    }
  }
  if (other) return "no transfers: no device copied anything in the time that was selected";
  if (cpu)
    return "no transfers: the devices are the CPU itself, whose copies inside host memory are operations";
  return "no transfers: the capture has no work of a device; gait info says what it holds";
}

Table KindsTable(const RunView& view, const TransfersResult& result) {
  TableOf<TransferKind> t({.name = "transfers", .if_empty = WhyNone(view)});
  AddKind(t, "copies");
  t.Add("place", {.head = "asked by"}, "whether the host asked for them or a program makes them itself",
        [](const TransferKind& kind) { return kind.in_program ? "programs" : "host"; });
  t.Include(SumColumns(result.steps, false), &TransferKind::sum);
  return t.Of(result.kinds);
}

// Where a copy comes from, in as few words as say it.
std::string Place(const TransferSite& site) {
  if (!site.operation.empty()) return site.operation;
  if (!site.python.empty()) {
    return site.function.empty() ? site.python : fmt::format("{} in {}", site.function, site.python);
  }
  return site.asked_by.empty() ? "unknown" : site.asked_by;
}

// Who asked for the copies, and what they are part of.
void AddOrigin(TableOf<TransferSite>& t, const RunView& view) {
  using Site = TransferSite;
  constexpr const char* kNoInstruction = "no instruction of a program makes it";
  t.Add("every_step", {.head = "every step", .optional = true},
        "yes: the same size from the same place in every step; whether the bytes are the same is not known",
        &Site::every_step);
  t.Hidden("in_program", "whether a program makes the copy itself", &Site::in_program);
  t.Hidden("asked_by", "the outermost annotation or call of the host around it",
           Known(&Site::asked_by, "nothing links the copy to a call of the host"));
  t.Hidden("python", "the innermost Python frame around it that is no library's",
           Known(&Site::python, "no Python frame is around it: captured without the Python tracer?"));
  t.Hidden("function", "what that frame called", Known(&Site::function, "no Python frame is around it"));
  t.Hidden("operation", "the program and instruction that makes it", Known(&Site::operation, kNoInstruction));
  t.Hidden("instruction", "the instruction alone", Known(&Site::instruction, kNoInstruction));
  AddProgramId(t, Known(&Site::program_id, "its program is not in the capture, or it has none"),
               "the program's id; of several of that name, the first one's");
  t.Hidden("scope", "the instruction's scope path", Known(&Site::scope, kNoInstruction));
  t.Hidden("staging_work", "the host's event that moved the bytes, and what it mostly did",
           Known(&Site::staging_work, kNoStaging));
  t.Hidden("staging_threads", "threads that did it",
           [](const Site& s) { return ListCell(s.staging_threads); });
  t.Hidden("steps_with", "steps, times devices, in which one began", &Site::steps_with);
  t.Hidden("stack", "all events of the host around the call that asked, the outermost first",
           [](const Site& s) { return ListCell(s.stack, " > "); });
  t.Hidden("host", "the host that has the longest of them",
           [&](const Site& s) { return view.hosts[s.host].host->name; });
  t.Hidden("event", "name of the longest of them, as the timeline has it",
           [&](const Site& s) { return view.hosts[s.host].trace().name(s.longest); });
  t.Hidden("begin", "when the longest of them began, from the capture's begin", [&](const Site& s) {
    return view.hosts[s.host].trace().track(s.longest.track).begin(s.longest.index);
  });
}

// Rows of copies, or of memsets: these are many and short, and people look for copies.
Table SitesTable(const RunView& view, const TransfersResult& result, bool memsets) {
  TableOf<TransferSite> t({.name = memsets ? "memset_sites" : "transfer_sites",
                           .hidden = memsets,
                           .text_rows = kTextSites,
                           .key = "place"});
  t.Add(
      "place", {.head = "copies from", .elastic = true},
      "who asked: the Python line and what it called, the annotation or call of the host, or the instruction",
      Place);
  AddKind(t, "");
  t.Add("size", unit::kBytes, {.head = "each"}, "bytes of one copy", Known(&TransferSite::bytes, kNoBytes));
  t.Include(SumColumns(result.steps, true), &TransferSite::sum);
  AddOrigin(t, view);
  for (const TransferSite& site : result.sites) {
    if ((site.kind == CopyKind::kMemset) == memsets) t.Row(site);
  }
  return t.Done();
}

std::string RateText(std::optional<double> rate) {
  return rate ? report::AmountText(*rate, unit::kBytesPerSecond) : "an unknown rate";
}

// Time per step where there are steps.
std::string Each(Ps time, int64_t steps) { return report::TimeText(steps > 0 ? time / steps : time); }

// The host's own copying is what the device waits for.
std::string StagingAnswer(const TransfersResult& result, const TransferSite& site) {
  const bool steps = result.steps > 0;
  const std::string bytes =
      site.sum.without_bytes == site.sum.count
          ? "arrays"
          : report::BytesText(static_cast<uint64_t>(site.sum.bytes / std::max<int64_t>(1, result.steps)));
  return fmt::format(
      "{} {} spends {} staging {} ({}, {}) for a copy {} that takes {} ({}); the device idles for {} of that "
      "and "
      "computes for {}{}.",
      steps ? "In each step" : "In all",
      site.sum.staging_union == site.sum.staging ? "one host thread" : "the host",
      Each(site.sum.staging, result.steps), bytes, site.staging_work, RateText(site.sum.staging_rate()),
      site.kind == CopyKind::kHostToDevice ? "to the device" : "to the host",
      Each(site.sum.total, result.steps), RateText(site.sum.rate()),
      Each(site.sum.staging_idle, result.steps), Each(result.compute, result.steps), steps ? " a step" : "");
}

std::string Answer(const TransfersResult& result, int64_t devices) {
  if (result.count == 0) return "No transfers in what was selected.";
  const TransferSite& first = result.sites.front();
  // Staging is the story where it is longer than its copies and a matter of more than a twentieth of the
  // time.
  if (first.sum.staging > first.sum.total && first.sum.staging > result.window / 20 &&
      first.kind == CopyKind::kHostToDevice) {
    return StagingAnswer(result, first);
  }
  const TransferSum& all = result.all;
  if (all.count == 0) return fmt::format("No copies; {}.", report::Plural(result.count, "memset"));
  const Ps time = all.union_time > Ps() ? all.union_time : all.total;
  const std::string size =
      all.without_bytes == all.count
          ? "unknown size"
          : report::BytesText(static_cast<uint64_t>(all.bytes)) +
                (all.without_bytes > 0 ? fmt::format(" or more ({} do not say)", all.without_bytes) : "");
  std::string text =
      fmt::format("{} of {} {} {}", all.count == 1 ? "1 copy" : report::CountText(all.count) + " copies",
                  size, all.count == 1 ? "takes" : "take", report::TimeText(time));
  if (devices > 1) text += fmt::format(" on {} devices together", devices);
  if (result.steps > 1) text += fmt::format(" in all, {} a step", Each(time, result.steps));
  if (result.steps == 1) text += " in the step";
  if (all.union_time > Ps() && result.window > Ps()) {
    const double share = Percent(all.union_time, result.window);
    text += fmt::format(" ({} % of the time), {:.0f} % of it under compute",
                        share < 10 ? fmt::format("{:.2g}", share) : fmt::format("{:.0f}", share),
                        Percent(all.hidden, all.union_time));
  }
  // What is under compute costs nothing, if there is something else.
  const Ps exposed = all.union_time - all.hidden;
  const bool rest = all.hidden > Ps() && exposed * 100 > result.window;
  const auto weight = [&](const TransferSite& s) {
    if (s.kind == CopyKind::kMemset) return -kMaxTime;
    return rest ? s.sum.union_time - s.sum.hidden : s.sum.time();
  };
  const auto most = std::ranges::max_element(result.sites, {}, weight);
  text += fmt::format("; most of {} {}", rest ? "the rest is" : "it", Name(most->kind));
  const std::string place = Place(*most);
  return text + (place == "unknown" ? "." : fmt::format(", from {}.", place));
}

}  // namespace

report::Document TransfersDocument(const RunView& view) {
  const TransfersResult& result = FindTransfers(view);
  report::Document document = NewDocument("transfers", *view.run);
  document.answer = Answer(result, view.device_count());
  document.tables =
      TablesOf(KindsTable(view, result), SitesTable(view, result, false), SitesTable(view, result, true));
  document.main_table = "transfer_sites";
  if (result.count > 0) {
    const int64_t devices = view.device_count();
    document.notes.push_back(fmt::format("numbers cover {}{}", view.Coverage(),
                                         devices > 1 ? fmt::format(" on {} devices", devices) : ""));
  }
  const auto repeats = [](const TransferSite& s) {
    return s.every_step && s.kind == CopyKind::kHostToDevice;
  };
  if (std::ranges::any_of(result.sites, repeats)) {
    document.notes.emplace_back(
        "every step: the same size from the same place; if the bytes are the same too, copy them once and "
        "keep them "
        "on the device");
  }
  if (view.run->typed != "-") document.next = {Command("idle", *view.run), Command("steps", *view.run)};
  return document;
}

}  // namespace gait::analyze
