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

}  // namespace gait::cli
