#include "gait/runs/resolve.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "gait/base/limits.h"
#include "gait/read/registry/registry.h"
#include "gait/runs/names.h"

namespace gait::runs {
namespace {

enum class PathKind { kMissing, kFile, kDirectory, kForbidden };

PathKind KindOf(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return errno == EACCES ? PathKind::kForbidden : PathKind::kMissing;
  return S_ISDIR(info.st_mode) ? PathKind::kDirectory : PathKind::kFile;
}

std::string Entries(size_t count) { return fmt::format("{} {}", count, count == 1 ? "entry" : "entries"); }

// The runs that a specification can mean, and which of them it asks for.
struct Candidates {
  Listing listing;
  size_t position = 1;      // 1 for the newest
  bool numbered = false;    // the position was given: DIR@2
  std::string called = {};  // " called gpt" when they were found by their name
};

Result<Candidates> OfPath(const std::string& path, PathKind kind) {
  Candidates found;
  if (kind == PathKind::kFile) {
    found.listing.directory = path;
    GAIT_TRY(Run run, RunOfFile(path));
    found.listing.runs.push_back(std::move(run));
  } else {
    GAIT_TRY(found.listing, FindRuns(path));
  }
  return found;
}

// DIR@N, NAME@N or PATTERN@N: what stands before, and N; nullopt for anything else.
std::optional<std::pair<std::string, size_t>> SplitPosition(const std::string& spec) {
  const size_t at = spec.rfind('@');
  if (at == std::string::npos || at == 0) return std::nullopt;
  size_t position = 0;
  const char* const end = spec.data() + spec.size();
  const auto [parsed, error] = std::from_chars(spec.data() + at + 1, end, position);
  if (parsed != end || at + 1 == spec.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) position = std::numeric_limits<size_t>::max();
  return std::pair(spec.substr(0, at), position);
}

// Runs, each once: links lead to one run by several paths, and so do places of which one lies in the other.
class DistinctRuns {
 public:
  explicit DistinctRuns(std::vector<Run>& runs) : runs_(runs) {}

  void Add(Run run) {
    std::error_code unknown;
    const auto real = std::filesystem::canonical(run.path, unknown);
    if (unknown || seen_.insert(real).second) runs_.push_back(std::move(run));
  }

 private:
  std::vector<Run>& runs_;
  std::set<std::string> seen_;
};

Result<Candidates> OfPattern(const std::string& pattern) {
  glob_t matches{};
  const int status = ::glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + (status == 0 ? matches.gl_pathc : 0));
  ::globfree(&matches);
  if (paths.empty()) {
    return Unreadable(fmt::format("{}: nothing matches this pattern.", pattern),
                      "List the runs of a directory with: gait list DIR");
  }
  // The names that are not links are those that people know.
  std::ranges::stable_partition(paths, [](const std::string& path) {
    std::error_code unknown;
    return !std::filesystem::is_symlink(path, unknown);
  });
  Candidates found;
  Listing& all = found.listing;
  all.directory = pattern;
  DistinctRuns distinct(all.runs);
  for (const std::string& path : paths) {
    if (KindOf(path) == PathKind::kDirectory) {
      // A folder that cannot be opened among many is no reason to fail.
      auto listing = FindRuns(path);
      if (!listing) {
        ++all.unreadable;
        continue;
      }
      all.entries += listing->entries;
      all.unreadable += listing->unreadable;
      all.too_deep += listing->too_deep;
      if (all.cut.empty()) all.cut = listing->cut;
      for (Run& run : listing->runs) {
        run.label = run.path;  // runs of several directories: by their whole path
        distinct.Add(std::move(run));
      }
      std::error_code unknown;
      if (!std::filesystem::is_symlink(path, unknown)) {
        std::ranges::move(listing->partial, std::back_inserter(all.partial));
      }
      std::move(listing->unsupported.begin(), listing->unsupported.end(),
                std::back_inserter(all.unsupported));
    } else {
      ++all.entries;
      if (!read::FileOfName(BaseName(path))) continue;
      if (auto run = RunOfFile(path)) {
        run->label = path;
        distinct.Add(*std::move(run));
      }
    }
  }
  SortNewestFirst(all.runs);
  return found;
}

bool IsCalled(const Run& run, std::string_view name) {
  // "gpt" names h200/gpt/plugins/profile/2026_...; "gpt/2026_..." and "2026_..." do too.
  const auto ends = [&](std::string_view path) {
    return path == name || path.ends_with("/" + std::string(name));
  };
  return run.name == name || ends(run.label) || ends(DirectoryOf(run.label));
}

Result<Candidates> OfName(const std::string& name) {
  std::vector<std::string> places = {"."};
  if (const char* logdir = std::getenv("GAIT_LOGDIR"); logdir != nullptr && *logdir != '\0') {
    places.push_back(ExpandHome(logdir));
  }
  size_t entries = 0;
  Candidates found;
  found.listing.directory = name;
  found.called = " called " + name;
  DistinctRuns distinct(found.listing.runs);
  for (const std::string& place : places) {
    auto listing = FindRuns(place, limits::kMaxSearchEntries);
    if (!listing) continue;
    entries += listing->entries;
    found.listing.unreadable += listing->unreadable;
    found.listing.too_deep += listing->too_deep;
    if (found.listing.cut.empty()) found.listing.cut = listing->cut;
    for (Run& run : listing->runs) {
      if (IsCalled(run, name)) distinct.Add(std::move(run));
    }
  }
  if (found.listing.runs.empty()) {
    return Unreadable(
        fmt::format("{}: no such file or directory, and no run of that name below {} ({} seen).", name,
                    fmt::join(places, " or "), Entries(entries)),
        "List the runs of a directory with: gait list DIR");
  }
  SortNewestFirst(found.listing.runs);
  return found;
}

Result<Candidates> Find(const std::string& spec);

Result<Candidates> OfPosition(const std::string& before, size_t position) {
  if (position == 0) {
    return UsageError(fmt::format("{}@0: runs are counted from 1, the newest.", before),
                      fmt::format("List them with: gait list {}", before));
  }
  GAIT_TRY(Candidates found, Find(before));
  found.position = position;
  found.numbered = true;
  return found;
}

Result<Candidates> Find(const std::string& spec) {
  if (spec.empty()) return UsageError("RUN is empty.", "Give a file, a run folder or a log directory.");
  if (spec == "-") return OfPath(spec, PathKind::kFile);
  std::string path = ExpandHome(spec);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();

  const PathKind kind = KindOf(path);
  if (kind == PathKind::kForbidden) {
    return Unreadable(fmt::format("{}: {}", path, std::generic_category().message(EACCES)),
                      "You have no permission to read it.");
  }
  if (kind != PathKind::kMissing) return OfPath(path, kind);
  if (const auto split = SplitPosition(path)) return OfPosition(split->first, split->second);
  if (path.find_first_of("*?[") != std::string::npos) return OfPattern(path);
  if (path.starts_with('/') || path.starts_with("./") || path.starts_with("../")) {
    return Unreadable(fmt::format("{}: no such file or directory.", path),
                      "Check the path; gait list DIR shows the runs of a directory.");
  }
  return OfName(path);
}

}  // namespace

Error NoRuns(const Listing& listing) {
  if (!listing.unsupported.empty()) {
    const std::string& path = listing.unsupported.front().path;
    if (path.ends_with(".xz")) {
      return {ErrorKind::kUnreadable,
              fmt::format("{}: only xz-compressed captures, which gait does not read.", listing.directory),
              fmt::format("Unpack it first: xz -dk {}", path)};
    }
    return {ErrorKind::kUnreadable,
            fmt::format("{}: only Riegeli captures, which gait does not read.", listing.directory),
            "Capture with a profiler that writes .xplane.pb."};
  }
  std::string seen = Entries(listing.entries) + " seen";
  if (listing.unreadable > 0) seen += fmt::format(", {} that cannot be read", listing.unreadable);
  if (!listing.cut.empty()) seen += ", stopped at " + listing.cut;
  return {ErrorKind::kUnreadable,
          fmt::format("{}: no runs here: no *.xplane.pb in any folder below ({}).", listing.directory, seen),
          "Give the log directory that was passed to jax.profiler.trace, or a .xplane.pb file."};
}

namespace {

Result<void> CheckPosition(const Candidates& found) {
  const size_t count = found.listing.runs.size();
  if (count == 0) return std::unexpected(NoRuns(found.listing));
  if (found.position <= count) return {};
  const std::string& directory = found.listing.directory;
  return Unreadable(
      fmt::format("{}@{}: there {} only {}{}.", directory, found.position, count == 1 ? "is" : "are",
                  count == 1 ? "1 run" : fmt::format("{} runs", count),
                  found.called.empty() ? fmt::format(" below '{}'", directory) : found.called),
      fmt::format("List them with: gait list {}", directory));
}

}  // namespace

Result<Listing> ListRuns(const std::string& spec) {
  if (spec == "-")
    return UsageError("standard input is no directory.", "gait info - reads a capture from it.");
  GAIT_TRY(Candidates found, Find(spec));
  const bool only_left_overs =
      !found.numbered && found.listing.runs.empty() && !found.listing.partial.empty();
  if (only_left_overs) return std::move(found.listing);
  GAIT_CHECK_OK(CheckPosition(found));
  if (found.numbered) {
    std::vector<Run>& runs = found.listing.runs;
    std::swap(runs.front(), runs[found.position - 1]);
    runs.erase(runs.begin() + 1, runs.end());
    found.listing.first = found.position;
    found.listing.directory = spec;
  }
  return std::move(found.listing);
}

Result<ResolvedRun> ResolveRun(const std::string& spec) {
  GAIT_TRY(Candidates found, Find(spec));
  GAIT_CHECK_OK(CheckPosition(found));
  const size_t count = found.listing.runs.size();
  ResolvedRun resolved{std::move(found.listing.runs[found.position - 1]), {}, SearchNotes(found.listing)};
  if (count > 1) {
    resolved.note = found.position == 1 ? fmt::format("newest of {} runs{}", count, found.called)
                                        : fmt::format("number {} of {} runs", found.position, count);
  } else if (spec.find_first_of("*?[") != std::string::npos) {
    resolved.note = "the only run";  // of a pattern, which does not say which
  }
  return resolved;
}

}  // namespace gait::runs
