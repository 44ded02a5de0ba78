#include "gait/verbs/view_verbs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gait/analyze/question/collectives/collectives_report.h"
#include "gait/analyze/question/compile/compile_report.h"
#include "gait/analyze/question/host/host_report.h"
#include "gait/analyze/question/idle/idle_report.h"
#include "gait/analyze/question/kernels/kernels_report.h"
#include "gait/analyze/question/memory/memory_report.h"
#include "gait/analyze/question/ops/ops_report.h"
#include "gait/analyze/question/path/path_report.h"
#include "gait/analyze/question/roofline/roofline_report.h"
#include "gait/analyze/question/steps/steps_report.h"
#include "gait/analyze/question/transfers/transfers_report.h"
#include "gait/analyze/verdict/doctor/one_screen.h"

namespace gait::verbs {
namespace {

using namespace analyze;

PeakOverride Peaks(const Question& question) {
  PeakOverride given;
  if (question.peak_tflops) given.flops = *question.peak_tflops * 1e12;
  if (question.peak_gbps) given.bytes_per_second = *question.peak_gbps * 1e9;
  return given;
}

std::optional<GroupBy> GroupByOf(const Question& question) {
  return ParseGroupBy(question.by.empty() ? "op" : question.by);
}

constexpr QuestionOption kBy = {"by", "WHAT", "op, scope, category, source, program, layer or shape",
                                &Question::by};
constexpr QuestionOption kPeakFlops = {"peak_tflops", "N", "of one device, instead of what gait knows",
                                       &Question::peak_tflops};
constexpr QuestionOption kPeakBytes = {"peak_gbps", "N", "memory bandwidth of one device in GB/s",
                                       &Question::peak_gbps};
constexpr std::array kPeaks = {kPeakFlops, kPeakBytes};
constexpr std::array kOps = {kBy, kPeakFlops, kPeakBytes};
constexpr std::array kIdle = {QuestionOption{
    "cause", "CAUSE", "only gaps with time of this cause: input, dispatch, ...", &Question::cause}};

constexpr std::array<ViewVerb, 12> kVerbs = {{
    {{"overview",
      "understand",
      "a run on one screen",
      "Show a run on one screen: step time, where it went, scopes, memory, what was lost.",
      {"gait overview runs", "gait overview runs --steps 3:8", "gait overview runs --table where --csv"}},
     ViewVerb::Of::kTime,
     kPeaks,
     true,
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return OneScreen(view, Peaks(question));
     }},
    {{"steps",
      "understand",
      "how long each step took and where its time went",
      "Show how long each step took and where its time went.",
      {"gait steps runs", "gait steps runs --steps 3:8", "gait steps runs --table step_devices --csv"}},
     ViewVerb::Of::kTime,
     {},
     false,
     [](const RunView& view, const Question&) -> Result<report::Document> { return StepsDocument(view); },
     true},
    {{"ops",
      "understand",
      "which operations, scopes and layers take the device's time",
      "Show which operations, scopes and layers take the device's time.",
      {"gait ops runs", "gait ops runs --by layer", "gait ops runs --by scope --name attention"}},
     ViewVerb::Of::kProgram,
     kOps,
     true,
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return OpsDocument(view, *GroupByOf(question), Peaks(question));
     }},
    {{"kernels",
      "understand",
      "GPU kernels: time, occupancy, what launching them cost",
      "Show which GPU kernels ran, how long they took, how full the device was, and what launching cost.",
      {"gait kernels runs", "gait kernels runs --sort p99 --top 10",
       "gait kernels runs --name 'gemm|nvjet' --csv"}},
     ViewVerb::Of::kProgram,
     {},
     true,
     [](const RunView& view, const Question&) -> Result<report::Document> { return KernelsDocument(view); }},
    {{"idle",
      "understand",
      "why the device did nothing, and what the host did then",
      "Show why the device did nothing, cause by cause, and what the host did then.",
      {"gait idle runs", "gait idle runs --cause input", "gait idle runs --table idle_gaps --csv"}},
     ViewVerb::Of::kTime,
     kIdle,
     true,
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return IdleDocument(view, FindIdleCause(question.cause));
     }},
    {{"path",
      "understand",
      "the critical path of a step; what it would take without a part",
      "Show the critical path of a step, and what the step would take without each part of it.",
      {"gait path runs", "gait path runs --steps 3:8", "gait path runs --table path_steps --csv"}},
     ViewVerb::Of::kTime,
     {},
     true,
     [](const RunView& view, const Question&) -> Result<report::Document> { return PathDocument(view); }},
    {{"memory",
      "understand",
      "how much device memory was in use, and for what",
      "Show how much device memory was in use, for what, and what programs need.",
      {"gait memory runs", "gait memory runs --table memory_groups", "gait memory a.prof b.prof"}},
     ViewVerb::Of::kTime,
     {},
     false,
     [](const RunView& view, const Question&) -> Result<report::Document> { return MemoryDocument(view); }},
    {{"transfers",
      "understand",
      "copies between host and devices: rate, staging, who asked",
      "Show what was copied between host and devices, how fast, and what the host did for it.",
      {"gait transfers runs", "gait transfers runs --steps 3:8",
       "gait transfers runs --table transfer_sites --csv"}},
     ViewVerb::Of::kTime,
     {},
     true,
     [](const RunView& view, const Question&) -> Result<report::Document> {
       return TransfersDocument(view);
     }},
    {{"collectives",
      "understand",
      "what communication between devices cost, and who waited",
      "Show what communication between devices cost, and who waited for whom.",
      {"gait collectives runs", "gait collectives runs --sort bus_bandwidth",
       "gait collectives runs --table collective_devices"}},
     ViewVerb::Of::kTime,
     {},
     true,
     [](const RunView& view, const Question&) -> Result<report::Document> {
       return CollectivesDocument(view);
     }},
    {{"compile",
      "understand",
      "what was compiled in the capture, how long it took, and why",
      "Show what was compiled while the capture ran, how long it took, and why it was compiled again.",
      {"gait compile runs", "gait compile runs --sort autotuning",
       "gait compile runs --table compile_phases"}},
     ViewVerb::Of::kTime,
     {},
     false,
     [](const RunView& view, const Question&) -> Result<report::Document> { return CompileDocument(view); }},
    {{"roofline",
      "understand",
      "how close operations come to the device's peaks; MFU",
      "Show how close operations and programs come to what the device could do, and the step's MFU.",
      {"gait roofline runs", "gait roofline runs --peak-tflops 989 --peak-gbps 4800",
       "gait roofline runs --table step"}},
     ViewVerb::Of::kProgram,
     kPeaks,
     true,
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return RooflineDocument(view, Peaks(question));
     }},
    {{"host",
      "understand",
      "what the host threads did, and where input comes from",
      "Show what the threads of the host did, and how its time of a step splits.",
      {"gait host runs", "gait host runs --table host_python", "gait host runs --name data --sort total"}},
     ViewVerb::Of::kTime,
     {},
     false,
     [](const RunView& view, const Question&) -> Result<report::Document> { return HostDocument(view); }},
}};

}  // namespace

std::span<const ViewVerb> ViewVerbs() { return kVerbs; }

const ViewVerb* FindViewVerb(std::string_view name) {
  const auto* found = std::ranges::find(kVerbs, name, [](const ViewVerb& verb) { return verb.help.name; });
  return found == kVerbs.end() ? nullptr : found;
}

Result<void> Check(const Question& question) {
  if (!GroupByOf(question)) {
    return UsageError(fmt::format("operations cannot be shown by '{}'.", question.by),
                      "There are: op, scope, category, source, program, layer, shape");
  }
  if (!question.cause.empty() && !FindIdleCause(question.cause)) {
    std::string known;
    for (size_t c = 0; c < kIdleCauses; ++c) {
      known += fmt::format("{}{}", c == 0 ? "" : ", ", Name(static_cast<IdleCause>(c)));
    }
    return UsageError(fmt::format("there is no cause '{}'.", question.cause), "The causes are: " + known);
  }
  for (const auto& value : {question.peak_tflops, question.peak_gbps}) {
    if (value && !(std::isfinite(*value) && *value > 0)) {
      return UsageError("a peak is a number above 0.", "For an H200: --peak-tflops 989 --peak-gbps 4800");
    }
  }
  return {};
}

Result<report::Document> Answer(const RunView& view, const Question& question) {
  const ViewVerb* verb = FindViewVerb(question.verb);
  if (verb == nullptr) return UsageError(fmt::format("there is no verb '{}'.", question.verb));
  GAIT_TRY(report::Document document, verb->answer(view, question));
  if (verb->covers_windows) {
    for (std::string& note : view.CoverageNotes()) document.notes.push_back(std::move(note));
    std::ranges::move(view.SeriesLinks(), std::back_inserter(document.links));
  }
  return document;
}

}  // namespace gait::verbs
