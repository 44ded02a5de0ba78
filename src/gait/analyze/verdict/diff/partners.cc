#include "gait/analyze/verdict/diff/partners.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

// By scope and operation: the share of the step.
using Content = std::map<std::pair<std::string, std::string>, double>;

std::map<std::string, Content> ContentsOf(const RunProfile& run) {
  std::map<std::string, Content> programs;
  for (const auto& [key, row] : run.rows) {
    if (key.program.empty() || row.time <= Ps()) continue;
    programs[key.program][{WithoutCalls(key.scope), key.operation}] +=
        static_cast<double>(row.time.value()) / static_cast<double>(run.step.value());
  }
  return programs;
}

double InCommon(const Content& a, const Content& b) {
  double sum = 0;
  for (const auto& [what, share] : a) {
    const auto other = b.find(what);
    if (other != b.end()) sum += std::min(share, other->second);
  }
  return sum;
}

}  // namespace

std::string WithoutCalls(std::string_view scope) {
  std::string kept;
  while (!scope.empty()) {
    const std::string_view part = scope.substr(0, scope.find('/'));
    scope.remove_prefix(std::min(scope.size(), part.size() + 1));
    if (part.starts_with("jit(")) continue;
    if (!kept.empty()) kept += '/';
    kept += part;
  }
  return kept;
}

std::string Partners::Name() const { return fmt::format("{} → {}", a, b); }

std::vector<Partners> FindPartners(const RunProfile& a, const RunProfile& b) {
  const std::map<std::string, Content> first = ContentsOf(a);
  const std::map<std::string, Content> second = ContentsOf(b);
  std::vector<std::tuple<double, std::string, std::string>> pairs;
  for (const auto& [name, content] : first) {
    if (second.contains(name)) continue;
    for (const auto& [other, its] : second) {
      const double common = first.contains(other) ? 0 : InCommon(content, its);
      if (common > 0) pairs.emplace_back(common, name, other);
    }
  }
  std::ranges::stable_sort(pairs, std::greater(), [](const auto& pair) { return std::get<0>(pair); });
  std::vector<Partners> partners;
  for (const auto& [common, name, other] : pairs) {
    const auto taken = [&name, &other](const Partners& pair) { return pair.a == name || pair.b == other; };
    if (std::ranges::none_of(partners, taken)) partners.push_back({name, other});
  }
  return partners;
}

}  // namespace gait::analyze
