// What changed from one run to another.
#include <algorithm>
#include <iterator>

#include "gait/analyze/verdict/diff/diff.h"
#include "gait/analyze/verdict/diff/diff_report.h"
#include "gait/serve/routes.h"
#include "gait/serve/verb_reply.h"

namespace gait::serve {
namespace {

Result<report::Document> Compare(const std::vector<std::shared_ptr<OpenRun>>& runs,
                                 const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(Joined({{"with", "steps", "program", "series"}, kRowNames})));
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
  GAIT_TRY(const std::vector<analyze::RunProfile> profiles, analyze::ProfilesOf(views, samples));
  std::vector<analyze::RunDiff> diffs;
  for (size_t i = 1; i < profiles.size(); ++i) diffs.push_back(analyze::Compare(profiles[0], profiles[i]));
  report::Document document = diffs.size() == 1 ? analyze::DiffDocument(*loaded[0], *loaded[1], diffs[0])
                                                : analyze::VariantsDocument(loaded, diffs);
  std::ranges::move(samples, std::back_inserter(document.notes));
  return document;
}

}  // namespace

Reply DiffReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters) {
  Result<report::Document> document = Compare(runs, parameters);
  if (!document) return ErrorReply(document.error());
  return DocumentReply(std::move(*document), parameters);
}

}  // namespace gait::serve
