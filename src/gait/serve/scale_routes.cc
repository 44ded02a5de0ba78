// How well a program scales over its runs on different numbers of devices.
#include <algorithm>
#include <iterator>

#include "gait/analyze/verdict/scaling/scaling.h"
#include "gait/analyze/verdict/scaling/scaling_report.h"
#include "gait/serve/routes.h"
#include "gait/serve/verb_reply.h"

namespace gait::serve {
namespace {

Result<report::Document> Scale(const std::vector<std::shared_ptr<OpenRun>>& runs,
                               const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({{"with", "weak", "steps"}, kRowNames})));
  GAIT_TRY(const bool weak, parameters.Flag("weak"));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  std::vector<const analyze::LoadedRun*> loaded;
  std::vector<std::shared_ptr<const analyze::RunView>> kept;
  std::vector<const analyze::RunView*> views;
  for (const std::shared_ptr<OpenRun>& run : runs) {
    GAIT_TRY(std::shared_ptr<const analyze::RunView> view, run->View(selection));
    loaded.push_back(&run->run());
    views.push_back(kept.emplace_back(std::move(view)).get());
  }
  std::vector<std::string> samples;
  GAIT_TRY(const std::vector<analyze::ScalingRun> measured, analyze::ScalingRunsOf(views, samples));
  const auto kind = weak ? analyze::ScalingKind::kWeak : analyze::ScalingKind::kStrong;
  const std::vector<analyze::ScalingRow> rows = analyze::Scale(measured, kind);
  report::Document document = analyze::ScalingDocument(loaded, rows, kind);
  std::ranges::move(samples, std::back_inserter(document.notes));
  return document;
}

}  // namespace

Reply ScaleReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters) {
  Result<report::Document> document = Scale(runs, parameters);
  if (!document) return ErrorReply(document.error());
  return DocumentReply(std::move(*document), parameters);
}

}  // namespace gait::serve
