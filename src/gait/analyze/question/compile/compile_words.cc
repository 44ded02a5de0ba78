#include "gait/analyze/question/compile/compile_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kAnswerCauses = 3;  // that the answer names

// "because a shape changed"; empty: not known to be again.
std::string_view AgainBecause(const CompileReason& reason) {
  switch (reason.cause) {
    case CompileCause::kResult:
      if (!reason.shapes && !reason.types) return "because the number of results changed";
      return reason.shapes ? "because a shape changed" : "because a type changed";
    case CompileCause::kShape:
      return "because a shape changed";
    case CompileCause::kType:
      return "because a type changed";
    case CompileCause::kParameters:
      return "because the number of arguments changed";
    case CompileCause::kSharding:
      return "because a sharding changed";
    case CompileCause::kConstant:
      return "because a constant changed";
    case CompileCause::kSame:
      return "with no change of the program";
    case CompileCause::kOther:
      return "with other instructions";
    case CompileCause::kFirst:
    case CompileCause::kUnknown:
      break;
  }
  return "";
}

// ", each time because a shape changed", of a single one ", because ..."; ", 6 of them again: 4 because a
// shape changed, 2 with other instructions"
std::string CausePhrase(const HostCompiles& host) {
  std::map<std::string_view, uint64_t> counts;
  uint64_t again = 0;
  uint64_t all = 0;
  for (const Compilation& c : host.compilations) {
    all += c.asked();
    const std::string_view because = AgainBecause(c.reason);
    if (because.empty()) continue;
    ++again;
    ++counts[because];
  }
  if (again == 0) return "";
  std::vector<std::pair<std::string_view, uint64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& one) { return one.second; });
  if (order[0].second == all) return fmt::format(",{} {}", all > 1 ? " each time" : "", order[0].first);
  std::string text = fmt::format(", {} of them again", again);
  if (order.size() == 1) return fmt::format("{} {}", text, order[0].first);
  uint64_t left = again;
  for (size_t i = 0; i < std::min(order.size(), kAnswerCauses); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", order[i].second, order[i].first);
    left -= order[i].second;
  }
  return left == 0 ? text : fmt::format("{}, {} for other reasons", text, left);
}

}  // namespace

std::vector<std::string> CompileNotes(std::span<const HostCompiles> hosts) {
  std::set<CompileCause> causes;
  for (const HostCompiles& host : hosts) {
    for (const Compilation& c : host.compilations) causes.insert(c.reason.cause);
  }
  std::vector<std::string> notes;
  if (causes.contains(CompileCause::kSame)) {
    notes.emplace_back(
        "the same program again: a new function object (a jit or lambda made in the loop), a weak type or a "
        "cleared cache");
  }
  if (causes.contains(CompileCause::kConstant)) {
    notes.emplace_back("a constant changed: a static argument, or a Python value that the function uses");
  }
  if (causes.contains(CompileCause::kOther)) {
    notes.emplace_back(
        "another program of the same name: a static argument or an option chose other code, or two functions "
        "share the name");
  }
  return notes;
}

std::string CompileAnswer(std::span<const HostCompiles> hosts, bool of_steps) {
  const auto worst = std::ranges::max_element(hosts, {}, [](const HostCompiles& h) { return h.wall(); });
  if (worst == hosts.end() || worst->compilations.empty())
    return of_steps ? "No compilation in these steps." : "No compilation in this capture.";
  std::set<std::string> functions;
  for (const Compilation& c : worst->compilations) {
    if (c.asked()) functions.insert(c.module);
  }
  const uint64_t compiled = worst->compiled();
  const uint64_t cached = worst->from_cache();
  if (functions.empty()) {
    return fmt::format("No function was compiled; the compiler or loader worked {}.",
                       report::TimeText(worst->wall()));
  }
  std::string text = compiled > 0 ? report::Plural(compiled, "compilation")
                                  : report::Plural(cached, "program") + " from the cache";
  if (compiled > 0 && functions.size() > 1) text += fmt::format(" of {} functions", functions.size());
  if (compiled > 0 && cached > 0) text += fmt::format(" and {} from the cache", cached);
  text += fmt::format(" took {}", report::TimeText(worst->wall()));
  if (worst->window_of_steps && worst->in_window == worst->wall()) {
    text += fmt::format(" of {} ({:.1f} %)", report::TimeText(worst->window.length()),
                        Percent(worst->wall(), worst->window.length()));
  } else if (worst->window_of_steps) {
    text += fmt::format(", {} of it inside the steps", report::TimeText(worst->in_window));
  }
  if (worst->steps_hit > 0) text += fmt::format(" in {} of {} steps", worst->steps_hit, worst->steps);
  if (const Ps tuning = worst->phase(CompilePhase::kAutotuning); tuning > Ps())
    text += fmt::format(", {} of it autotuning", report::TimeText(tuning));
  text += CausePhrase(*worst);
  return text + (hosts.size() > 1 ? fmt::format(" (host {}).", worst->view->host->name) : ".");
}

}  // namespace gait::analyze
