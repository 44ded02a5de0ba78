#include "gait/load/load.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/device/unfinished.h"
#include "gait/analyze/run/run_clock.h"
#include "gait/load/beside.h"
#include "gait/read/registry/registry.h"
#include "gait/runs/left_over.h"
#include "gait/runs/manifest.h"
#include "gait/runs/names.h"

namespace gait::load {
namespace {

std::string HostName(const runs::Run& run, const runs::HostFile& file, const Trace& trace) {
  // Files of one run may carry the same host name: several processes of one machine. Their file names differ.
  const auto& names = trace.environment().hostnames;
  return run.hosts.size() == 1 && !names.empty() && !names.front().empty() ? names.front() : file.host;
}

// gait writes captures under such a name and gives them their own when they are whole.
constexpr const char* kPartial = "it is still being written, or its writer was killed";

Result<Trace> ReadHost(const runs::HostFile& file, const read::ReadOptions& options) {
  Result<Trace> trace = read::FormatOf(file.path).read(file.path, options);
  if (trace || !runs::IsPartialName(runs::BaseName(file.path))) return trace;
  return Unreadable(
      fmt::format("{}: {}.", file.path, kPartial),
      "Read it when it has its own name; gait list DIR --clean removes what killed programs left.");
}

}  // namespace

Result<analyze::LoadedRun> LoadRun(runs::Run run, const LoadOptions& options) {
  analyze::LoadedRun loaded;
  loaded.typed = run.path;
  loaded.run = std::move(run);
  if (Result<runs::Manifest> manifest = runs::ReadManifest(loaded.run)) {
    loaded.manifest = *manifest;
  } else {
    loaded.search_notes.push_back(manifest.error().what);
  }

  const auto hosts = static_cast<double>(loaded.run.hosts.size());
  std::optional<Error> first_error;
  double done = 0;
  for (const runs::HostFile& file : loaded.run.hosts) {
    read::ReadOptions read;
    read.threads = options.threads;
    read.stop = options.stop;
    if (options.progress) {
      read.progress = [&](double fraction) { options.progress((done + fraction) / hosts); };
    }
    auto trace = ReadHost(file, read);
    if (options.stop.stop_requested()) return Unreadable(file.path + ": nobody waits for it any more");
    done += 1;
    if (trace) {
      if (runs::IsPartialName(runs::BaseName(file.path)))
        loaded.losses.push_back({LossKind::kTruncated, file.path, kPartial, 1});
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
  loaded.beside = CapturesBeside(loaded.run.path, options.threads);
  analyze::PutOnRunClock(loaded);
  analyze::AddUnfinishedLosses(loaded);
  return loaded;
}

}  // namespace gait::load
