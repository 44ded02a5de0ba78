#include "gait/analyze/steps/loop_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

bool HasWord(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

// What ends each step however many launches it has, and what is never a step of its own.
bool EndsSteps(std::string_view program) {
  static constexpr std::array<std::string_view, 3> kWords = {"update", "optim", "apply_grad"};
  return HasWord(program, kWords);
}
bool IsPartOfStep(std::string_view program) {
  static constexpr std::array<std::string_view, 4> kWords = {"layer", "block", "micro", "accum"};
  return HasWord(program, kWords);
}

}  // namespace

template <typename Keep>
std::optional<Reading> LoopReader::Read(Keep keep) const {
  Reading reading;
  std::vector<ProgramRun> launches;
  std::vector<size_t> position;
  for (size_t i = 0; i < launches_.size(); ++i) {
    reading.kept.push_back(keep(launches_[i]));
    if (!reading.kept[i]) continue;
    launches.push_back(launches_[i]);
    position.push_back(i);
  }
  const std::optional<ProgramLoop> loop = FindPeriod(launches);
  if (!loop) return std::nullopt;
  const std::vector<size_t> begins = StepBegins(launches, *loop);
  for (size_t s = 0; s + 1 < begins.size(); ++s) reading.begins.push_back(position[begins[s]]);
  reading.begins.push_back(position[begins.back() - 1] + 1);
  reading.period = loop->period;
  reading.cut = begins[begins.size() - 2] + loop->period > loop->end;
  return reading;
}

// How many steps there are is known only without rare programs: first, as many as launches of a program.
std::optional<Reading> LoopReader::WithoutRare(size_t steps_for_one, bool by_name) const {
  std::optional<Reading> reading;
  size_t steps = most_;
  for (int round = 0; round < 2; ++round) {
    reading = Read([&](const ProgramRun& launch) {
      const bool often = counts_.at(launch.program) * steps_for_one >= steps;
      return often || (by_name && EndsSteps(ReadLaunchName(trace_.text(launch.name)).program));
    });
    if (!reading) return std::nullopt;
    steps = reading->begins.size() - 1;
  }
  return reading;
}

bool LoopReader::IsEnough(const Reading& reading, int64_t one_in) const {
  size_t kept = 0;
  Ps work;
  Ps all_work;
  for (size_t i = reading.begins[0]; i < reading.begins.back(); ++i) {
    kept += reading.kept[i] ? 1 : 0;
    if (reading.kept[i]) work = SaturatedSum(work, launches_[i].work);
    all_work = SaturatedSum(all_work, launches_[i].work);
  }
  const bool all = std::ranges::all_of(reading.kept, [](bool k) { return k; });
  return !all && 2 * kept >= launches_.size() && work >= all_work / one_in;
}

LoopReader::LoopReader(const Trace& trace, const std::vector<ProgramRun>& launches)
    : trace_(trace), launches_(launches) {
  for (const ProgramRun& launch : launches) most_ = std::max(most_, ++counts_[launch.program]);
  whole_ = Read([](const ProgramRun&) { return true; });
  constexpr size_t kRare = 5;  // less than once in five steps
  constexpr int64_t kHalf = 2;
  std::optional<Reading> rounds = WithoutRare(kRare, true);
  if (rounds && !IsEnough(*rounds, kHalf)) rounds.reset();
  if (rounds && whole_ && whole_->period < rounds->period) rounds.reset();
  if (rounds && !IsPartOfStep(NameOf(rounds->begins[0]))) {
    chosen_ = std::move(rounds);
    if (whole_ && whole_->period > chosen_->period) other_ = std::move(whole_);
  } else if (whole_) {
    chosen_ = std::move(whole_);
    constexpr size_t kNotInEach = 2;
    constexpr int64_t kTenth = 10;  // steps may be short beside an evaluation, not next to nothing
    if (chosen_->period > 1) other_ = WithoutRare(kNotInEach, false);
    if (other_ && (other_->period >= chosen_->period || !IsEnough(*other_, kTenth))) other_.reset();
  }
}

std::string LoopReader::NameOf(size_t launch) const {
  return std::string(ReadLaunchName(trace_.text(launches_[launch].name)).program);
}

std::string LoopReader::Note() const {
  if (!other_) return "";
  const bool rounds = chosen_->period < other_->period;
  const Reading& small = rounds ? *chosen_ : *other_;
  const Reading& large = rounds ? *other_ : *chosen_;
  size_t rare = small.begins[0];
  while (small.kept[rare]) ++rare;
  const auto first = small.kept.begin() + static_cast<ptrdiff_t>(large.begins[0]);
  const auto kept = std::count(first, first + static_cast<ptrdiff_t>(large.period), true);
  const size_t every = static_cast<size_t>(kept) / small.period;
  if (rounds) {
    return fmt::format(
        "{} runs about once in {} steps and is taken for no part of a step; if it is one (an update after "
        "{} micro-steps, say), a step is {} launches: annotate the steps",
        NameOf(rare), every, every, large.period);
  }
  return fmt::format(
      "{} of these launches may also be a step, with {} after about every {}: annotate the steps",
      small.period == 1 ? "each" : fmt::format("every {}", small.period), NameOf(rare), every);
}

}  // namespace gait::analyze
