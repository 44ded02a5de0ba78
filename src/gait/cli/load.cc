#include "gait/cli/load.h"

#include <unistd.h>

#include "gait/load/load.h"
#include "gait/report/progress.h"
#include "gait/runs/resolve.h"

namespace gait::cli {

Result<std::shared_ptr<const analyze::LoadedRun>> Load(const std::string& run, const CommonOptions& options) {
  if (options.loaded != nullptr && options.loaded->typed == run) return options.loaded;
  GAIT_TRY(runs::ResolvedRun resolved, runs::ResolveRun(run));
  const std::string what = run == "-" ? "standard input" : resolved.run.path;
  report::Progress progress(STDERR_FILENO, "reading " + what, options.quiet);
  GAIT_TRY(
      analyze::LoadedRun loaded,
      load::LoadRun(std::move(resolved.run), {.threads = options.threads, .progress = [&](double fraction) {
                                                progress.Report(fraction);
                                              }}));
  loaded.typed = run;
  loaded.note = std::move(resolved.note);
  loaded.search_notes.insert(loaded.search_notes.begin(), resolved.search_notes.begin(),
                             resolved.search_notes.end());
  return std::make_shared<const analyze::LoadedRun>(std::move(loaded));
}

Result<LoadedViews> LoadViews(const std::vector<std::string>& runs, const analyze::Selection& selection,
                              const CommonOptions& options) {
  LoadedViews all;
  for (const std::string& run : runs) {
    GAIT_TRY(auto loaded, Load(run, options));
    all.runs.push_back(all.kept.emplace_back(std::move(loaded)).get());
  }
  for (const analyze::LoadedRun* run : all.runs) {
    GAIT_TRY(analyze::RunView view, analyze::RunView::Make(*run, selection));
    all.views.push_back(
        all.made.emplace_back(std::make_unique<const analyze::RunView>(std::move(view))).get());
  }
  return all;
}

}  // namespace gait::cli
