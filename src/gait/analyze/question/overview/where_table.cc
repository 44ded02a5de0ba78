#include "gait/analyze/question/overview/where_table.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kCategories = 6;  // of compute, in text

class WhereTableMaker {
 public:
  explicit WhereTableMaker(const Overview& overview) : overview_(overview), per_step_{overview.device_steps} {
    table_.name = "where";
    table_.columns = {
        {"part", Type::kText, unit::kNone, {.head = "where the time goes"}, "what the device did"},
        {"depth",
         Type::kInteger,
         unit::kNone,
         {.hidden = true},
         "0: these sum to the whole; 1: what they hold"},
        {"per_step",
         Type::kInteger,
         unit::kPs,
         {.head = overview.device_steps > 0 ? "a step" : "in all"},
         "mean over devices and complete steps; in all where there are no steps"},
        {"share",
         Type::kNumber,
         unit::kPercent,
         {.head = overview.device_steps > 0 ? "of step" : "of time", .bar = true},
         "share of the time covered: of the steps, of the capture where there are none"},
        {"hidden",
         Type::kInteger,
         unit::kPs,
         {.hidden = per_step_(overview.total.hidden_communication + overview.total.hidden_copies) == Ps(),
          .optional = true},
         "the same kind of work while computation ran; not part of the sum"},
        {"total", Type::kInteger, unit::kPs, {.hidden = true}, "over all devices and complete steps; exact"},
        HiddenColumn("holds", Type::kAny,
                     "of what is below a part: the categories or the cause that it sums")};
    table_.depth = "depth";
    table_.if_empty = "no device did anything in this capture: gait host has what the host did";
  }

  Table Make() && {
    if (overview_.devices.empty()) return std::move(table_);
    const Partition& total = overview_.total;
    Part("compute", total.compute);
    Categories();
    Part("exposed communication", total.exposed_communication, total.hidden_communication);
    Part("exposed copies", total.exposed_copies, total.hidden_copies);
    if (total.unknown > Ps()) Part("kernels of no program", total.unknown);
    Part("idle", total.idle);
    Causes();
    return std::move(table_);
  }

 private:
  void Add(std::string name, int64_t depth, Ps sum, const Cell& hidden, Cell holds = Unknown{}) {
    table_.rows.push_back({std::move(name), depth, per_step_(sum), 100 * Ratio(sum, overview_.total.window),
                           hidden, sum, std::move(holds)});
  }
  void Part(std::string name, Ps sum) { Add(std::move(name), 0, sum, Unknown{"nothing can hide it"}); }
  void Part(std::string name, Ps sum, Ps hidden) { Add(std::move(name), 0, sum, per_step_(hidden)); }

  static Cell Names(const std::vector<std::string_view>& names) {
    std::vector<std::string> quoted;
    for (const std::string_view name : names) quoted.push_back(report::JsonString(name));
    return Cell::Json(fmt::format("[{}]", fmt::join(quoted, ",")), fmt::format("{}", fmt::join(names, ", ")));
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
      Add(std::string(Name(category)), 1, sum, Unknown{}, Names({Name(category)}));
      listed += sum;
    }
    if (overview_.total.compute > listed) {
      const bool taken =
          std::ranges::find(sums, Category::kOther, &std::pair<Ps, Category>::second) != sums.end();
      Add(taken ? "all others" : "other", 1, overview_.total.compute - listed, Unknown{}, Names(others));
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
      Add(std::string(Describe(id)), 1, sum, Unknown{}, Names({Name(id)}));
    }
  }

  const Overview& overview_;
  StepMean per_step_;
  Table table_;
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
