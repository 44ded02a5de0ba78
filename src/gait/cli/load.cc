#include "gait/cli/load.h"

#include <unistd.h>

#include <optional>

#include "gait/read/xplane/reader.h"
#include "gait/report/progress.h"
#include "gait/runs/manifest.h"
#include "gait/runs/resolve.h"

namespace gait::cli {
namespace {

std::string HostName(const runs::Run& run, const runs::HostFile& file, const Trace& trace) {
  // Files of one run may carry the same host name: several processes of one machine. Their file names differ.
  const auto& names = trace.environment().hostnames;
  return run.hosts.size() == 1 && !names.empty() && !names.front().empty() ? names.front() : file.host;
}

}  // namespace

Result<analyze::LoadedRun> Load(const std::string& run, const CommonOptions& options) {
  GAIT_TRY(runs::ResolvedRun resolved, runs::ResolveRun(run));
  analyze::LoadedRun loaded;
  loaded.typed = run;
  loaded.note = std::move(resolved.note);
  loaded.search_notes = std::move(resolved.search_notes);
  loaded.run = std::move(resolved.run);

  if (Result<runs::Manifest> manifest = runs::ReadManifest(loaded.run)) {
    loaded.manifest = *manifest;
  } else {
    loaded.search_notes.push_back(manifest.error().what);
  }

  const auto hosts = static_cast<double>(loaded.run.hosts.size());
  const std::string what = run == "-" ? "standard input" : loaded.run.path;
  report::Progress progress(STDERR_FILENO, "reading " + what, options.quiet);
  std::optional<Error> first_error;
  double done = 0;
  for (const runs::HostFile& file : loaded.run.hosts) {
    xplane::ReadOptions read;
    read.threads = options.threads;
    read.progress = [&](double fraction) { progress.Report((done + fraction) / hosts); };
    auto trace = xplane::ReadFile(file.path, read);
    done += 1;
    if (trace) {
      std::string name = HostName(loaded.run, file, *trace);
      loaded.hosts.push_back({std::move(name), file.path, std::move(*trace)});
    } else {
      loaded.losses.push_back({LossKind::kDropped, file.path, trace.error().what, 1});
      if (!first_error) first_error = trace.error();
    }
  }
  if (loaded.hosts.empty()) {
    Error error = first_error.value_or(Error{});
    if (error.hint.empty())
      error.hint = "Give a .xplane.pb file, a run folder or a log directory; gait list DIR shows its runs.";
    return std::unexpected(std::move(error));
  }
  return loaded;
}

}  // namespace gait::cli
