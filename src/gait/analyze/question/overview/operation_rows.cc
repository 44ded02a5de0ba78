#include "gait/analyze/question/overview/operation_rows.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gait/analyze/run/tables.h"

namespace gait::analyze {

report::Table OperationsTable(const Overview& overview, size_t most_rows) {
  const int64_t steps = overview.device_steps;
  report::Table table;
  table.name = "top_operations";
  table.columns = {
      {"operation",
       Type::kText,
       unit::kNone,
       {.head = "top operations", .elastic = true},
       "HLO instruction, or kernel"},
      {"category", Type::kText, unit::kNone, {.wide = true}, "what it does"},
      {"scope", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "where the program names it"},
      {"per_step",
       Type::kInteger,
       unit::kPs,
       {.head = overview.device_steps > 0 ? "a step" : "in all"},
       "self time on the devices"},
      {"share", Type::kNumber, unit::kPercent, {.head = "of busy"}, "self time over the devices' busy time"},
      {"executions",
       Type::kInteger,
       unit::kNone,
       {.head = "runs", .wide = true},
       "how often it ran, all steps"},
      HiddenColumn("program", Type::kText, "the compiled program it belongs to"),
      ProgramIdColumn()};
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
  const auto scope_of = [&](const Operation& what) {
    if (!what.has_scope()) return Cell(Unknown{});
    std::string scope = what.scope.Text();
    const std::string shared = roots.size() == 1 ? *roots.begin() + "/" : std::string();
    const bool shortened = !shared.empty() && scope.starts_with(shared) && scope.size() > shared.size();
    return shortened ? Cell(scope).ShownAs(scope.substr(shared.size())) : Cell(scope);
  };
  for (const OpTotal* total : totals) {
    const Program* program = total->what.program;
    const Cell of_none = Unknown{"it belongs to no program"};
    table.rows.push_back({total->what.name, Name(total->what.category), scope_of(total->what),
                          steps > 0 ? total->self / steps : total->self,
                          100 * Ratio(total->self, overview.operations->busy), total->executions,
                          program ? Cell(program->name) : of_none, program ? Cell(program->id) : of_none});
  }
  return table;
}

}  // namespace gait::analyze
