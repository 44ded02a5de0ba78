#include "gait/analyze/verdict/diff/diff_sentences.h"

#include <fmt/format.h>

#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

std::string Signed(Ps time) { return (time < Ps() ? "−" : "+") + TimeText(time < Ps() ? -time : time); }

std::string Sentence(const RunDiff& diff) {
  if (!diff.comparable()) {
    return fmt::format("Cannot be compared: {}. {}: {}; {}: {}.", diff.WhyUnknown(), diff.a->name,
                       StepText(*diff.a), diff.b->name, StepText(*diff.b));
  }
  const std::string steps =
      fmt::format("{} → {} ({}{})", TimeText(diff.a->step), StepText(*diff.b),
                  diff.delta() == Ps() ? "0" : Signed(diff.delta()),
                  diff.noise() ? fmt::format(", noise ±{}", TimeText(*diff.noise())) : "");
  const double ratio = diff.ratio();
  if (diff.of_most_steps) {
    const bool slower = diff.verdict == DiffVerdict::kSlower;
    return fmt::format(
        "Most steps are {:.2f} times {}: median {} → {}; a few long ones hide that in the mean, {}.",
        slower ? ratio : 1 / ratio, Name(diff.verdict), TimeText(diff.a->MedianStep()),
        TimeText(diff.b->MedianStep()), steps);
  }
  switch (diff.verdict) {
    case DiffVerdict::kSlower:
      return ratio >= 1.1 ? fmt::format("{:.2f} times slower: {}.", ratio, steps)
                          : fmt::format("{:.1f} % slower: {}.", 100 * (ratio - 1), steps);
    case DiffVerdict::kFaster:
      return ratio > 0 && ratio <= 0.9 ? fmt::format("{:.2f} times faster: {}.", 1 / ratio, steps)
                                       : fmt::format("{:.1f} % faster: {}.", 100 * (1 - ratio), steps);
    case DiffVerdict::kSame:
      return fmt::format("No difference beyond noise: {}.", steps);
    case DiffVerdict::kUnknown:
      break;
  }
  return fmt::format("{}; whether that is noise is not known: {}.", steps, diff.WhyUnknown());
}

// A step that was compiled in says little about the next one: which is faster then is told without that, too.
std::string CompileSentence(const RunDiff& diff) {
  Ps a;
  Ps b;
  for (const DiffRow& row : diff.rows) {
    if (row.key.part != StepPart::kIdle || row.key.category != Name(IdleCause::kCompile)) continue;
    a += row.a;
    b += row.b;
  }
  const Ps rest_a = diff.a->step - a;
  const Ps rest_b = diff.b->step - b;
  if (!diff.comparable() || (a * 10 < diff.a->step && b * 10 < diff.b->step)) return {};
  return fmt::format(
      " The devices idle for {} and {} of that while the host compiles; without that: {} → {}.", TimeText(a),
      TimeText(b), TimeText(rest_a), TimeText(rest_b));
}

}  // namespace

std::string StepText(const RunProfile& run) { return fmt::format("{} {}", TimeText(run.step), run.portion); }

std::string Answer(const RunDiff& diff) { return Sentence(diff) + CompileSentence(diff); }

std::string GraphSentence(const RunDiff& diff) {
  if (!diff.comparable() || !diff.a->launching || !diff.b->launching) return {};
  const Launching& a = *diff.a->launching;
  const Launching& b = *diff.b->launching;
  const bool gained = a.graphs == 0 && b.graphs > 0;
  if (!gained && !(a.graphs > 0 && b.graphs == 0)) return {};
  const Launching& with = gained ? b : a;
  const Launching& without = gained ? a : b;
  const std::string step = diff.verdict == DiffVerdict::kSame ? "the step stays as long as it was"
                           : diff.verdict == DiffVerdict::kUnknown
                               ? "what that does to the step is not known"
                               : "the step changes by " + Signed(diff.delta());
  return fmt::format(
      "the {} run launches its work with CUDA graphs, the {} does not: {:.4g} instead of {:.4g} launch calls "
      "{}, {} "
      "instead of {} of the host's time; {}",
      gained ? "second" : "first", gained ? "first" : "second", with.calls, without.calls, diff.b->portion,
      TimeText(with.time), TimeText(without.time), step);
}

}  // namespace gait::analyze
