#include "gait/analyze/verdict/diff/environment_table.h"

#include <map>
#include <set>
#include <string>

#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

using NamedValues = std::map<std::string, std::string>;

struct Difference {
  std::string what;
  TextCell a, b;
};

// What one side lacks shows as `missing`.
void AddDifferences(const NamedValues& a, const NamedValues& b, const TextCell& missing,
                    TableOf<Difference>& table) {
  std::set<std::string> names;
  for (const NamedValues* side : {&a, &b}) {
    for (const auto& [name, value] : *side) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto cell = [&](const NamedValues& side) {
      const auto found = side.find(name);
      return found == side.end() ? missing : TextCell(found->second);
    };
    const bool both = a.contains(name) && b.contains(name);
    if (!both || a.at(name) != b.at(name)) table.Row({name, cell(a), cell(b)});
  }
}

}  // namespace

report::Table EnvironmentTable(const RunDiff& diff) {
  const bool flags = diff.a->flags && diff.b->flags;
  TableOf<Difference> t(
      {.name = "environment",
       .if_empty = flags ? "same versions, options, flags and devices"
                         : "same versions, options and devices; flags could not be compared"});
  t.Add("what", {.head = "environment"}, "what differs between the runs", &Difference::what);
  t.Add("a", {.elastic = true}, "of the first run", &Difference::a);
  t.Add("b", {.elastic = true}, "of the second", &Difference::b);
  AddDifferences(diff.a->environment, diff.b->environment, Unknown{"the capture does not name it"}, t);
  if (flags) AddDifferences(*diff.a->flags, *diff.b->flags, "not set", t);
  return t.Done();
}

}  // namespace gait::analyze
