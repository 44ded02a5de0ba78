#include "gait/verbs/question.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gait/analyze/question/collectives/collectives_report.h"
#include "gait/analyze/question/compile/compile_report.h"
#include "gait/analyze/question/host/host_report.h"
#include "gait/analyze/question/idle/idle_report.h"
#include "gait/analyze/question/kernels/kernels_report.h"
#include "gait/analyze/question/memory/memory_report.h"
#include "gait/analyze/question/ops/ops_report.h"
#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/question/path/path_report.h"
#include "gait/analyze/question/roofline/roofline_report.h"
#include "gait/analyze/question/steps/steps_report.h"
#include "gait/analyze/question/transfers/transfers_report.h"

namespace gait::analyze {
namespace {

using Make = Result<report::Document> (*)(const RunView&, const Question&);

PeakOverride Peaks(const Question& question) {
  PeakOverride given;
  if (question.peak_tflops) given.flops = *question.peak_tflops * 1e12;
  if (question.peak_gbps) given.bytes_per_second = *question.peak_gbps * 1e9;
  return given;
}

struct ViewVerb {
  std::string_view name;
  Make make;
  bool of_windows = true;  // its numbers are of the view's windows
};

constexpr std::array<ViewVerb, 12> kVerbs = {{
    {"overview",
     [](const RunView& view, const Question& question) { return OverviewDocument(view, Peaks(question)); }},
    {"steps",
     [](const RunView& view, const Question&) -> Result<report::Document> { return StepsDocument(view); },
     false},
    {"ops",
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return OpsDocument(view, *ParseGroupBy(question.by), Peaks(question));
     }},
    {"kernels",
     [](const RunView& view, const Question&) -> Result<report::Document> { return KernelsDocument(view); }},
    {"idle",
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return IdleDocument(view, FindIdleCause(question.cause));
     }},
    {"path",
     [](const RunView& view, const Question&) -> Result<report::Document> { return PathDocument(view); }},
    {"memory", [](const RunView& view, const Question&) { return MemoryDocument(view); }, false},
    {"transfers",
     [](const RunView& view, const Question&) -> Result<report::Document> {
       return TransfersDocument(view);
     }},
    {"collectives",
     [](const RunView& view, const Question&) -> Result<report::Document> {
       return CollectivesDocument(view);
     }},
    {"compile", [](const RunView& view, const Question&) { return CompileDocument(view); }, false},
    {"roofline",
     [](const RunView& view, const Question& question) -> Result<report::Document> {
       return RooflineDocument(view, Peaks(question));
     }},
    {"host",
     [](const RunView& view, const Question&) -> Result<report::Document> { return HostDocument(view); },
     false},
}};

const ViewVerb* Find(const std::string& name) {
  const auto* found = std::ranges::find(kVerbs, name, &ViewVerb::name);
  return found == kVerbs.end() ? nullptr : found;
}

}  // namespace

bool IsViewVerb(const std::string& verb) { return Find(verb) != nullptr; }

Result<void> Check(const Question& question) {
  if (!ParseGroupBy(question.by)) {
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

Result<report::Document> DocumentFor(const RunView& view, const Question& question) {
  const ViewVerb* verb = Find(question.verb);
  if (verb == nullptr) return UsageError(fmt::format("there is no verb '{}'.", question.verb));
  GAIT_TRY(report::Document document, verb->make(view, question));
  if (verb->of_windows) {
    for (std::string& note : view.CoverageNotes()) document.notes.push_back(std::move(note));
  }
  return document;
}

}  // namespace gait::analyze
