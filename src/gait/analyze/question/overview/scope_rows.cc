#include "gait/analyze/question/overview/scope_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gait/analyze/operations/scope_tree.h"
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

struct ScopeRow {
  std::string name;
  Ps self, forward, backward;  // backward with what was rematerialised for it
  uint64_t layers = 1;
  Work work;
};

void Add(std::map<std::string, ScopeRow>& rows, const std::string& name, const OpGroup& group, Ps self) {
  ScopeRow& row = rows[name];
  row.name = name;
  row.self += self;
  if (group.pass == Pass::kForward) row.forward += self;
  if (group.pass == Pass::kBackward || group.pass == Pass::kRematerialised) row.backward += self;
  row.layers = std::max(row.layers, group.layers);
  row.work.Add(group.work);
}

// A row for each scope of the outermost level. What stands for layers is told by its parts instead, and so is
// a scope that takes more than half of the time, as the one around a whole model does.
std::vector<ScopeRow> MakeRows(const Overview& overview) {
  std::map<std::string, ScopeRow> rows;
  const std::vector<OpGroup> groups = LayerTree(*overview.by_host_scope, overview.roofs_by_host_scope);
  std::map<std::string, Ps> over_passes;  // by path
  for (const OpGroup& group : groups) over_passes[group.path] += group.self;
  struct Told {  // by its parts
    int depth;
    bool layers;
    std::string name;
  };
  std::vector<Told> around;
  for (size_t i = 0; i < groups.size(); ++i) {
    const OpGroup& group = groups[i];
    while (!around.empty() && around.back().depth >= group.depth) around.pop_back();
    if (around.size() != static_cast<size_t>(group.depth)) continue;  // part of a row
    const std::string name = around.empty() ? group.name : around.back().name + "/" + group.name;
    const bool has_parts = i + 1 < groups.size() && groups[i + 1].depth > group.depth;
    const bool in_layer = !around.empty() && around.back().layers;
    const bool large = over_passes[group.path] * 2 > overview.operations->busy;
    if (has_parts && !in_layer && (group.layers > 1 || large)) {
      around.push_back({group.depth, group.layers > 1, name});
      if (group.own > Ps()) Add(rows, name, group, group.own);
    } else {
      Add(rows, name, group, group.self);
    }
  }
  std::vector<ScopeRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::ranges::stable_sort(sorted, std::greater(), &ScopeRow::self);
  return sorted;
}

}  // namespace

report::Table ScopesTable(const Overview& overview, size_t text_rows) {
  const std::vector<ScopeRow> rows = MakeRows(overview);
  const bool tells =
      std::ranges::any_of(rows, [](const ScopeRow& row) { return row.forward + row.backward > Ps(); });
  const int64_t steps = overview.device_steps;
  const auto per_step = [steps](Ps ScopeRow::* member) {
    return [steps, member](const ScopeRow& row) { return steps > 0 ? row.*member / steps : row.*member; };
  };
  TableOf<ScopeRow> t({.name = "scopes", .text_rows = text_rows});
  t.Add("scope", {.head = "by scope", .elastic = true},
        "the named scope; scopes that differ only in a number are one row", &ScopeRow::name);
  t.Time("per_step", {.head = steps > 0 ? "a step" : "in all"}, "self time on the devices",
         per_step(&ScopeRow::self));
  const auto of_pass = [&](Ps ScopeRow::* member) {
    return [tells, time = per_step(member)](const ScopeRow& row) -> TimeCell {
      if (!tells) return Unknown{"no name tells of a gradient"};
      return time(row);
    };
  };
  t.Time("forward", {.hidden = !tells}, "of it in the forward pass", of_pass(&ScopeRow::forward));
  t.Time("backward", {.hidden = !tells}, "of it in the backward pass, rematerialised work included",
         of_pass(&ScopeRow::backward));
  t.Add("layers", {.head = "×"}, "how many scopes the row stands for", &ScopeRow::layers);
  t.Percent("share", {.head = "of busy"}, "self time over the devices' busy time", [&](const ScopeRow& row) {
    const double busy = static_cast<double>(overview.operations->busy.value());
    return busy > 0 ? 100 * static_cast<double>(row.self.value()) / busy : 0.0;
  });
  t.Add("bound", {.head = "bound by", .optional = true}, "which roof its operations come closest to",
        [](const ScopeRow& row) -> TextCell {
          if (row.work.bound() == Bound::kUnknown) return Unknown{"cost or peak unknown"};
          return Name(row.work.bound());
        });
  return t.Of(rows);
}

}  // namespace gait::analyze
