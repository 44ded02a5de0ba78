#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict NoSteps(const Patient& patient) {
  if (!patient.has_devices()) return Verdict::Unchecked("no device did anything");
  const StepSeries* series = patient.overview.series;
  if (series != nullptr && !series->inferred()) return Verdict::Clean();
  Finding finding;
  finding.severity = series == nullptr ? Severity::kLow : Severity::kInfo;
  finding.title = series == nullptr ? "The capture has no steps" : "Steps are inferred";
  finding.cause =
      series == nullptr
          ? "Nothing marks steps and launches have no period: costs are those of the whole capture."
          : fmt::format("Nothing marks steps; they are taken from the period of the launches of {}.",
                        series->name);
  finding.fix =
      "mark them:\n"
      "  with jax.profiler.StepTraceAnnotation('train', step_num=i):\n"
      "      state = train_step(state, batch)";
  finding.evidence.push_back({"no step annotation"});
  finding.see = {"steps"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kNoStepsRule;
const Rule kNoStepsRule = {
    .name = "no_steps",
    .topic = Topic::kCapture,
    .summary = "nothing marks the steps",
    .metrics = "steps",
    .check = NoSteps,
    .explain = "Speaks when no annotation marks steps. Without steps costs are those of the whole capture.",
};

}  // namespace gait::analyze
