#include "gait/analyze/operations/event_scopes.h"

#include <utility>

#include <fmt/format.h>

#include "gait/analyze/run/arguments.h"

namespace gait::analyze {

EventScopes::EventScopes(const Trace& trace) : trace_(trace) {
  for (size_t i = 0; i < trace.arg_sets().size(); ++i) {
    const Attribution found = trace.attribution(ArgSetId(i));
    if (found.kind == AttributionKind::kNone || found.instruction.valid()) continue;
    const std::string path = PathOf(ArgSetId(i));
    const std::vector<std::string_view> elements = PathElements(path);
    for (size_t e = 0; e + 1 < elements.size(); ++e) {
      // Loops and branches are primitives as well as above what runs inside them.
      if (elements[e] != "while" && elements[e] != "cond") scopes_.emplace(elements[e]);
    }
  }
}

std::string EventScopes::PathOf(ArgSetId set) const {
  const std::string_view name = TextArgument(trace_, set, "name");
  if (name.empty()) {
    const std::string_view path = TextArgument(trace_, set, "tf_op");
    // On a GPU it is the annotation around the program, "XlaModule:".
    return path.find('/') == std::string_view::npos ? "" : std::string(path.substr(0, path.rfind(':')));
  }
  const std::string_view prefix = TextArgument(trace_, set, "prefix");
  return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
}

std::optional<ScopeName> EventScopes::Of(ArgSetId set) const {
  const std::string path = PathOf(set);
  const std::vector<std::string_view> elements = PathElements(path);
  if (elements.empty()) return std::nullopt;
  ScopeName scope =
      ParseScope(path, TextArgument(trace_, set, "hlo_module"), scopes_.contains(elements.back()));
  // A path of nothing but the program's function is what the parts of a fusion share, whatever their pass.
  const bool tells = !scope.path.empty() || !scope.operation.empty() || scope.pass != Pass::kOther;
  return scope.root.empty() || !tells ? std::nullopt : std::optional(std::move(scope));
}

}  // namespace gait::analyze
