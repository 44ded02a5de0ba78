#include "gait/analyze/steps/program_loop.h"

#include <algorithm>

namespace gait::analyze {
namespace {

// How many launches come before the loop: up to the last that differs from the one a period later, as long as
// half of all up to there do.
size_t CountBeforeLoop(const std::vector<ProgramRun>& launches, size_t from, size_t period) {
  size_t before = 0;
  size_t differ = 0;
  for (size_t i = 0; from + i + 3 * period <= launches.size() && 2 * (differ + 1) > i; ++i) {
    if (launches[from + i].program == launches[from + i + period].program) continue;
    ++differ;
    if (2 * differ > i) before = i + 1;
  }
  return from + before;
}

// Whether that many launches of all make a loop of the period.
bool AreLoop(size_t launches, size_t period, size_t all) {
  constexpr size_t kMinRepeats = 3;
  return launches >= kMinRepeats * period && 2 * launches >= all;
}

// The longest stretch that repeats exactly.
std::optional<ProgramLoop> ExactLoop(const std::vector<ProgramRun>& launches, size_t period) {
  ProgramLoop longest{0, 0, period};
  size_t begin = 0;  // of the stretch
  for (size_t i = period; i <= launches.size(); ++i) {
    const bool repeats = i < launches.size() && launches[i].program == launches[i - period].program;
    if (repeats) continue;
    if (i - begin > longest.end - longest.begin) longest = {begin, i, period};
    begin = i + 1 - period;
  }
  const bool found = AreLoop(longest.end - longest.begin, period, launches.size());
  return found ? std::optional(longest) : std::nullopt;
}

// From where on all but one in twenty repeat, to the end.
std::optional<ProgramLoop> NearLoop(const std::vector<ProgramRun>& launches, size_t period) {
  constexpr size_t kOneIn = 20;
  const size_t all = launches.size();
  size_t differ = 0;
  size_t from = all;
  for (size_t i = all; i-- > period && differ <= all / kOneIn;) {
    differ += launches[i].program != launches[i - period].program;
    if (differ <= (all - i) / kOneIn) from = i;
  }
  if (from == all || !AreLoop(all - from + period, period, all)) return std::nullopt;
  return ProgramLoop{CountBeforeLoop(launches, from - period, period), all, period};
}

// Without launches at its front of programs that the loop, in its middle, does not run.
ProgramLoop WithoutStrangers(const std::vector<ProgramRun>& launches, ProgramLoop loop) {
  const size_t periods = (loop.end - loop.begin) / loop.period;
  const size_t middle = loop.begin + periods / 2 * loop.period;
  const auto in_middle = [&](const ProgramRun& launch) {
    const auto begin = launches.begin() + static_cast<ptrdiff_t>(middle);
    return std::ranges::find(begin, begin + static_cast<ptrdiff_t>(loop.period), launch.program,
                             &ProgramRun::program) != begin + static_cast<ptrdiff_t>(loop.period);
  };
  while (loop.begin < middle && !in_middle(launches[loop.begin])) ++loop.begin;
  return loop;
}

}  // namespace

std::optional<ProgramLoop> FindPeriod(const std::vector<ProgramRun>& launches) {
  constexpr size_t kMostLookedAt = size_t{1} << 26;  // keeps a capture without any period cheap
  const size_t most = std::min(launches.size() / 3, kMostLookedAt / std::max<size_t>(1, launches.size()));
  for (size_t period = 1; period <= most; ++period) {
    const auto exact = ExactLoop(launches, period);
    if (!exact) continue;
    // A launch that comes between two steps now and then does not end the loop.
    const auto near = NearLoop(launches, period);
    const bool longer = near && near->end - near->begin > exact->end - exact->begin;
    return longer ? WithoutStrangers(launches, *near) : exact;
  }
  for (size_t period = 1; period <= most; ++period) {
    if (const auto near = NearLoop(launches, period)) return WithoutStrangers(launches, *near);
  }
  return std::nullopt;
}

std::vector<size_t> StepBegins(const std::vector<ProgramRun>& launches, const ProgramLoop& loop) {
  const auto same = [&](size_t i) { return launches[i].program == launches[loop.begin].program; };
  size_t in_period = 0;
  for (size_t i = 0; i < loop.period; ++i) in_period += same(loop.begin + i) ? 1 : 0;
  std::vector<size_t> begins;
  for (size_t i = loop.begin; i < loop.end; ++i) {
    if (in_period == 1 ? same(i) : (i - loop.begin) % loop.period == 0) begins.push_back(i);
  }
  begins.push_back(std::min(loop.end, begins.back() + loop.period));
  return begins;
}

}  // namespace gait::analyze
