// How well a program scales over its runs on different numbers of devices.
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
  std::vector<analyze::ScalingRun> measured;
  for (const std::shared_ptr<OpenRun>& run : runs) {
    GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run->View(selection));
    loaded.push_back(&run->run());
    measured.push_back(analyze::ScalingRunOf(*view));
    if (measured.back().devices == 0) {
      return Unreadable(measured.back().name + ": no device did anything in this capture.");
    }
  }
  const auto kind = weak ? analyze::ScalingKind::kWeak : analyze::ScalingKind::kStrong;
  const std::vector<analyze::ScalingRow> rows = analyze::Scale(measured, kind);
  return analyze::ScalingDocument(loaded, rows, kind);
}

}  // namespace

Reply ScaleReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters) {
  Result<report::Document> document = Scale(runs, parameters);
  if (!document) return ErrorReply(document.error());
  return DocumentReply(std::move(*document), parameters);
}

}  // namespace gait::serve
