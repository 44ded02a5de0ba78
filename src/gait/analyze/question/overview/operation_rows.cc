#include "gait/analyze/question/overview/operation_rows.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gait/analyze/run/tables.h"

namespace gait::analyze {

report::Table OperationsTable(const Overview& overview, size_t most_rows) {
  std::vector<const OpTotal*> totals;
  for (const OpTotal& total : overview.operations->totals) {
    if (total.self > Ps()) totals.push_back(&total);
  }
  const size_t most = std::min(most_rows, totals.size());
  std::ranges::partial_sort(totals, totals.begin() + static_cast<ptrdiff_t>(most), std::greater(),
                            [](const OpTotal* t) { return t->self; });
  totals.resize(most);
  // What all of them begin with tells nothing: "jit(train_step)/".
  std::set<std::string> roots;
  for (const OpTotal* total : totals) {
    if (total->what.has_scope()) roots.insert(total->what.scope.root);
  }
  using Total = OpTotal;
  const int64_t steps = overview.device_steps;
  constexpr const char* kOfNone = "it belongs to no program";
  TableOf<Total> t({.name = "top_operations"});
  t.Add("operation", {.head = "top operations", .elastic = true}, "HLO instruction, or kernel",
        [](const Total& total) { return total.what.name; });
  t.Add("category", {.wide = true}, "what it does",
        [](const Total& total) { return Name(total.what.category); });
  t.Add("scope", {.elastic = true, .keep_end = true}, "where the program names it",
        [&](const Total& total) -> TextCell {
          if (!total.what.has_scope()) return Unknown{};
          std::string scope = total.what.scope.Text();
          const std::string shared = roots.size() == 1 ? *roots.begin() + "/" : std::string();
          const bool shortened = !shared.empty() && scope.starts_with(shared) && scope.size() > shared.size();
          return shortened ? TextCell(scope).ShownAs(scope.substr(shared.size())) : TextCell(scope);
        });
  t.Add("per_step", {.head = steps > 0 ? "a step" : "in all"}, "self time on the devices",
        [&](const Total& total) { return steps > 0 ? total.self / steps : total.self; });
  t.Percent("share", {.head = "of busy"}, "self time over the devices' busy time",
            [&](const Total& total) { return Percent(total.self, overview.operations->busy); });
  t.Add("executions", {.head = "runs", .wide = true}, "how often it ran, all steps", &Total::executions);
  t.Hidden("program", "the compiled program it belongs to", [](const Total& total) -> TextCell {
    if (total.what.program == nullptr) return Unknown{kOfNone};
    return total.what.program->name;
  });
  AddProgramId(t, [](const Total& total) -> CellOf<uint64_t> {
    if (total.what.program == nullptr) return Unknown{kOfNone};
    return total.what.program->id;
  });
  for (const Total* total : totals) t.Row(*total);
  return t.Done();
}

}  // namespace gait::analyze
