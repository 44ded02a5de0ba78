#include "gait/analyze/question/overview/where_table.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kCategories = 6;  // of compute, in text

struct Part {
  std::string name;
  int64_t depth;
  Ps sum;
  TimeCell hidden;
  Cell holds = Unknown{};
  std::string_view verb = "ops";
};

class WhereTableMaker {
 public:
  explicit WhereTableMaker(const Overview& overview)
      : overview_(overview),
        per_step_{overview.device_steps},
        table_({.name = "where",
                .if_empty = "no device did anything in this capture: gait host has what the host did",
                .depth = "depth"}) {
    const bool steps = overview.device_steps > 0;
    const Ps hidden = overview.total.hidden_communication + overview.total.hidden_copies;
    table_.Add("part", {.head = "where the time goes"}, "what the device did", &Part::name);
    table_.Hidden("depth", "0: these sum to the whole; 1: what they hold", &Part::depth);
    table_.Add("per_step", {.head = steps ? "a step" : "in all"},
               "mean over devices and complete steps; in all where there are no steps",
               [this](const Part& part) { return per_step_(part.sum); });
    table_.Percent("share", {.head = steps ? "of step" : "of time", .bar = true},
                   "share of the time covered: of the steps, of the capture where there are none",
                   [this](const Part& part) { return Percent(part.sum, overview_.total.window); });
    table_.Add("hidden", {.hidden = per_step_(hidden) == Ps(), .optional = true},
               "the same kind of work while computation ran; not part of the sum", &Part::hidden);
    table_.Hidden("total", "over all devices and complete steps; exact", &Part::sum);
    table_.Hidden("holds", "of what is below a part: the categories or the cause that it sums", &Part::holds);
    table_.Hidden("verb", "that shows more of it", &Part::verb);
  }

  Table Make() && {
    if (overview_.devices.empty()) return table_.Done();
    const Partition& total = overview_.total;
    const Unknown never{"nothing can hide it"};
    table_.Row({"compute", 0, total.compute, never});
    Categories();
    table_.Row({"exposed communication", 0, total.exposed_communication,
                per_step_(total.hidden_communication), Unknown{}, "collectives"});
    table_.Row(
        {"exposed copies", 0, total.exposed_copies, per_step_(total.hidden_copies), Unknown{}, "transfers"});
    if (total.unknown > Ps()) table_.Row({"kernels of no program", 0, total.unknown, never});
    table_.Row({"idle", 0, total.idle, never, Unknown{}, "idle"});
    Causes();
    return table_.Done();
  }

 private:
  static Cell Names(const std::vector<std::string_view>& names) {
    return ListCell({names.begin(), names.end()});
  }

  // The largest.
  void Categories() {
    std::vector<std::pair<Ps, Category>> sums;
    Ps listed;
    for (const auto& [category, sum] : ComputeByCategory(overview_)) {
      sums.emplace_back(sum, category);
    }
    std::ranges::sort(sums, std::greater());
    std::vector<std::string_view> others;
    for (size_t i = kCategories; i < sums.size(); ++i) others.push_back(Name(sums[i].second));
    if (sums.size() > kCategories) sums.resize(kCategories);
    for (const auto& [sum, category] : sums) {
      table_.Row({std::string(Name(category)), 1, sum, Unknown{}, Names({Name(category)})});
      listed += sum;
    }
    if (overview_.total.compute > listed) {
      const bool taken =
          std::ranges::find(sums, Category::kOther, &std::pair<Ps, Category>::second) != sums.end();
      table_.Row(
          {taken ? "all others" : "other", 1, overview_.total.compute - listed, Unknown{}, Names(others)});
    }
  }

  void Causes() {
    std::vector<std::pair<Ps, size_t>> causes;
    for (size_t c = 0; c < kIdleCauses; ++c) {
      if (overview_.idle[c] > Ps()) causes.emplace_back(overview_.idle[c], c);
    }
    std::ranges::sort(causes, std::greater());
    for (const auto& [sum, cause] : causes) {
      const auto id = static_cast<IdleCause>(cause);
      table_.Row({std::string(Describe(id)), 1, sum, Unknown{}, Names({Name(id)}), "idle"});
    }
  }

  const Overview& overview_;
  StepMean per_step_;
  TableOf<Part> table_;
};

}  // namespace

std::map<Category, Ps> ComputeByCategory(const Overview& overview) {
  std::map<Category, Ps> sums;
  for (const OpTotal& total : overview.operations->totals) {
    if (total.compute > Ps()) sums[total.what.category] += total.compute;
  }
  return sums;
}

report::Table WhereTable(const Overview& overview) { return WhereTableMaker(overview).Make(); }

}  // namespace gait::analyze
