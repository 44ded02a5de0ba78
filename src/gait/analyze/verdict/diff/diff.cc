#include "gait/analyze/verdict/diff/diff.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/run/what_ran.h"
#include "gait/analyze/verdict/diff/bootstrap.h"
#include "gait/analyze/verdict/diff/partners.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kLeastOfRow = 0.02;    // of the row's time: less is no change
constexpr double kLeastOfStep = 0.001;  // of the step
constexpr double kSameCount = 0.01;
constexpr double kLeastShift = 0.02;  // of the median step

Ps Absolute(Ps time) { return time < Ps() ? -time : time; }

Change ChangeOf(const DiffRow& row, Ps step) {
  if (row.a == Ps() && row.b > Ps()) return Change::kAdded;
  if (row.b == Ps() && row.a > Ps()) return Change::kRemoved;
  const double most = std::max(row.a_executions, row.b_executions);
  if (std::abs(row.b_executions - row.a_executions) > kSameCount * most) {
    return row.b_executions > row.a_executions ? Change::kMoreOften : Change::kLessOften;
  }
  const auto delta = static_cast<double>(Absolute(row.delta()).value());
  if (delta < kLeastOfRow * static_cast<double>(row.a.value()) ||
      delta < kLeastOfStep * static_cast<double>(step.value())) {
    return Change::kSame;
  }
  return row.delta() > Ps() ? Change::kSlower : Change::kFaster;
}

DiffVerdict VerdictOf(const RunDiff& diff) {
  if (diff.delta() == Ps() && diff.comparable()) return DiffVerdict::kSame;
  if (!diff.interval) return DiffVerdict::kUnknown;
  if (diff.interval->begin > Ps() && diff.delta() > Ps()) return DiffVerdict::kSlower;
  if (diff.interval->end < Ps() && diff.delta() < Ps()) return DiffVerdict::kFaster;
  return DiffVerdict::kSame;
}

// What the means do not show.
DiffVerdict VerdictOfMostSteps(const RunDiff& diff) {
  if (!diff.shift || diff.shift->may_be_none()) return DiffVerdict::kSame;
  const auto typical = static_cast<double>(diff.a->MedianStep().value());
  if (static_cast<double>(Absolute(diff.shift->time).value()) < kLeastShift * typical)
    return DiffVerdict::kSame;
  return diff.shift->time > Ps() ? DiffVerdict::kSlower : DiffVerdict::kFaster;
}

// The programs of which a run's rows are most, first.
std::string MainProgram(const RunProfile& run) {
  std::map<std::string, Ps> times;
  for (const auto& [key, row] : run.rows) {
    if (!key.program.empty()) times[key.program] += row.time;
  }
  const auto most = std::ranges::max_element(times, {}, [](const auto& entry) { return entry.second; });
  return most == times.end() ? "" : most->first;
}

bool HasProgram(const RunProfile& run, const std::string& program) {
  return std::ranges::any_of(run.rows, [&](const auto& entry) { return entry.first.program == program; });
}

using Rows = std::map<ProfileKey, ProfileRow>;

// `run` of the partners is the one that the rows are of.
Rows Renamed(const Rows& rows, const std::vector<Partners>& partners, std::string Partners::* run) {
  Rows renamed;
  for (const auto& [key, row] : rows) {
    ProfileKey under = key;
    const auto found = std::ranges::find(partners, key.program, run);
    if (found != partners.end()) under.program = found->Name();
    renamed[under] += row;
  }
  return renamed;
}

// What the other run does not have under its whole scope, by the scope without calls where both have that.
std::map<ProfileKey, std::pair<ProfileRow, ProfileRow>> Matched(const RunProfile& a, const RunProfile& b,
                                                                const std::vector<Partners>& partners) {
  const Rows first = Renamed(a.rows, partners, &Partners::a);
  const Rows second = Renamed(b.rows, partners, &Partners::b);
  const auto without_calls = [](ProfileKey key) {
    key.scope = WithoutCalls(key.scope);
    return key;
  };
  const auto alone = [&](const Rows& rows, const Rows& other) {
    std::set<ProfileKey> keys;
    for (const auto& [key, row] : rows) {
      if (!other.contains(key)) keys.insert(without_calls(key));
    }
    return keys;
  };
  const std::set<ProfileKey> only_first = alone(first, second);
  const std::set<ProfileKey> only_second = alone(second, first);
  std::map<ProfileKey, std::pair<ProfileRow, ProfileRow>> matched;
  const auto under = [&](const ProfileKey& key, bool met) -> std::pair<ProfileRow, ProfileRow>& {
    const ProfileKey plain = without_calls(key);
    return matched[!met && only_first.contains(plain) && only_second.contains(plain) ? plain : key];
  };
  for (const auto& [key, row] : first) under(key, second.contains(key)).first += row;
  for (const auto& [key, row] : second) under(key, first.contains(key)).second += row;
  return matched;
}

}  // namespace

std::string_view Name(DiffVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"faster", "slower", "no difference beyond noise",
                                                      "unknown"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string_view Name(Change change) {
  constexpr std::array<std::string_view, 7> kNames = {"added",  "removed", "more often", "less often",
                                                      "slower", "faster",  "same"};
  return kNames[static_cast<size_t>(change)];
}

double RunDiff::ratio() const {
  const Ps before = of_most_steps ? a->MedianStep() : a->step;
  const Ps after = of_most_steps ? b->MedianStep() : b->step;
  return before > Ps() ? static_cast<double>(after.value()) / static_cast<double>(before.value()) : 0;
}

std::string RunDiff::Unlike() const {
  const auto of = [](const RunProfile& run) {
    const auto devices = run.environment.find("devices");
    return WhatRan{devices == run.environment.end() ? "" : devices->second, MainProgram(run)};
  };
  std::array runs = {of(*a), of(*b)};
  const bool paired =
      std::ranges::any_of(partners, [&](const Partners& p) { return p.a == runs[0].program; });
  if (paired || HasProgram(*b, runs[0].program) || HasProgram(*a, runs[1].program)) runs[0].program.clear();
  return UnlikeSentence(runs);
}

std::optional<Ps> RunDiff::noise() const {
  return interval ? std::optional((interval->end - interval->begin) / 2) : std::nullopt;
}

Ps RunDiff::PartDelta(StepPart part) const { return b->PartTime(part) - a->PartTime(part); }

std::string_view RunDiff::ProgramIn(std::string Partners::* run, std::string_view program) const {
  const auto found = std::ranges::find(partners, program, &Partners::Name);
  return found == partners.end() ? program : (*found).*run;
}

std::string RunDiff::WhyUnknown() const {
  if (verdict != DiffVerdict::kUnknown) return {};
  for (const RunProfile* run : {a, b}) {
    if (!run->has_steps) return fmt::format("{} has no steps", run->name);
  }
  const RunProfile& few = a->steps.size() < b->steps.size() ? *a : *b;
  return fmt::format("{} has {}, which says nothing of how much steps vary", few.name,
                     few.steps.empty() ? "no complete step" : "one step");
}

RunDiff Compare(const RunProfile& a, const RunProfile& b) {
  RunDiff diff{.a = &a,
               .b = &b,
               .interval = DifferenceOfMeans(a.steps, b.steps),
               .shift = ShiftOf(a.steps, b.steps),
               .partners = FindPartners(a, b)};
  for (const auto& [key, sides] : Matched(a, b, diff.partners)) {
    const auto& [first, second] = sides;
    DiffRow row{key, first.time, second.time, first.executions, second.executions};
    row.change = ChangeOf(row, a.step);
    diff.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(diff.rows, std::greater(), [](const DiffRow& row) {
    return std::pair(row.change != Change::kSame, Absolute(row.delta()));
  });
  diff.verdict = VerdictOf(diff);
  if (diff.verdict == DiffVerdict::kSame) {
    diff.verdict = VerdictOfMostSteps(diff);
    diff.of_most_steps = diff.verdict != DiffVerdict::kSame;
  }
  return diff;
}

Result<double> ParseShare(std::string_view text) {
  const std::string_view given = text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || !std::isfinite(value)) {
    return UsageError(fmt::format("'{}' is no share.", given), "Give a percentage: 3%");
  }
  if (!percent && value >= 1) {
    return UsageError(fmt::format("'{0}' may mean {0} % or {1:g} %.", given, 100 * value),
                      fmt::format("Write {}%", given));
  }
  return percent ? value / 100 : value;
}

std::string WhyNotHeld(const RunDiff& diff, double share) {
  if (diff.verdict == DiffVerdict::kUnknown) return "cannot be judged: " + diff.WhyUnknown();
  if (diff.verdict != DiffVerdict::kSlower || diff.ratio() <= 1 + share) return {};
  const double more = 100 * (diff.ratio() - 1);
  if (diff.of_most_steps) {
    return fmt::format("most steps take {} instead of {}, {:.1f} % more",
                       report::TimeText(diff.b->MedianStep()), report::TimeText(diff.a->MedianStep()), more);
  }
  return fmt::format("a step takes {} instead of {}, {:.1f} % more (noise ±{})",
                     report::TimeText(diff.b->step), report::TimeText(diff.a->step), more,
                     report::TimeText(*diff.noise()));
}

}  // namespace gait::analyze
