#include "gait/runs/find.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "gait/base/folder.h"
#include "gait/read/registry/registry.h"
#include "gait/runs/left_over.h"
#include "gait/runs/names.h"
#include "gait/runs/tool_file.h"

namespace gait::runs {
namespace {

int64_t ModifiedNs(const struct stat& info) {
  return int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

constexpr int64_t kNsPerSecond = 1'000'000'000;

void SetTime(Run& run, std::string_view folder_name) {
  if (const auto time = TimeOfRunName(folder_name)) {
    run.time_s = *time;
    run.time_from = TimeFrom::kName;
    return;
  }
  // A copied file is younger than its capture, and a listing should not change its order by copying.
  if (const auto start = run.Peek().start_unix_ns) {
    run.time_s = *start / kNsPerSecond;
    run.time_from = TimeFrom::kCapture;
    return;
  }
  int64_t newest = 0;
  for (const HostFile& host : run.hosts) newest = std::max(newest, host.modified_ns);
  run.time_s = newest / kNsPerSecond;
  run.time_from = TimeFrom::kFile;
}

// Names tell the local time of the machine that captured, captures a time of the world. Side by side they
// would be in an order that depends on where it is read, so then all captures are asked.
void TimeAlike(std::vector<Run>& runs) {
  const auto from_capture = [](const Run& run) { return run.time_from == TimeFrom::kCapture; };
  if (std::ranges::none_of(runs, from_capture)) return;
  for (Run& run : runs) {
    if (run.time_from != TimeFrom::kName) continue;
    if (const auto start = run.Peek().start_unix_ns) {
      run.time_s = *start / kNsPerSecond;
      run.time_from = TimeFrom::kCapture;
    }
  }
}

class Search {
 public:
  Search(const std::string& root, size_t max_entries) : max_entries_(max_entries) {
    listing_.directory = root;
  }

  Result<Listing> Go() {
    GAIT_CHECK_OK(VisitRoot());
    while (!(pending_.empty() && links_.empty()) && listing_.cut.empty()) {
      std::vector<Folder>& next = pending_.empty() ? links_ : pending_;
      const Folder folder = std::move(next.back());
      next.pop_back();
      const OpenedFolder directory = OpenFolder(folder.path);
      if (directory == nullptr) {
        listing_.unreadable += errno != ENOENT && errno != ENOTDIR;
      } else {
        Visit(folder, directory.get());
      }
    }
    TimeAlike(listing_.runs);
    SortNewestFirst(listing_.runs);
    std::ranges::sort(listing_.partial, {}, &PartialFile::path);
    return std::move(listing_);
  }

 private:
  struct Folder {
    std::string path;
    int depth;
    bool by_link = false;  // or below one that is
  };

  Result<void> VisitRoot() {
    const std::string& root = listing_.directory;
    const OpenedFolder directory = OpenFolder(root);
    if (directory == nullptr) {
      const int error = errno;
      return Unreadable(fmt::format("{}: {}", root, std::generic_category().message(error)),
                        error == EACCES ? "You have no permission to list this directory."
                                        : "Check the path, or give the log directory of jax.profiler.trace.");
    }
    Visit({root, 0}, directory.get());
    return {};
  }

  void Visit(const Folder& folder, DIR* directory) {
    struct stat self{};
    if (::fstat(::dirfd(directory), &self) != 0 || !visited_.emplace(self.st_dev, self.st_ino).second) return;
    Run run;
    bool empty = true;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      empty = false;
      if (++listing_.entries > max_entries_) {
        listing_.cut = fmt::format("more than {} entries", max_entries_);
        break;
      }
      if (IsFolder(directory, *entry)) {
        // The folder itself gives a run its name, and not a link to it that happens to come first.
        const bool link = entry->d_type == DT_LNK;
        if (IsPartialName(name)) {  // a run that was being copied
          if (!folder.by_link && !link) AddPartial(folder.path, directory, name);
        } else if (folder.depth >= limits::kMaxDirectoryDepth) {
          ++listing_.too_deep;
        } else {
          (link ? links_ : pending_)
              .push_back({JoinPath(folder.path, name), folder.depth + 1, folder.by_link || link});
        }
      } else {
        AddFile(folder.path, directory, name, run);
        if (!folder.by_link) AddPartial(folder.path, directory, name);
      }
    }
    if (empty && !folder.by_link && IsSessionFolder(folder.path)) AddEmpty(folder.path, self);
    Keep(folder.path, std::move(run));
  }

  static bool IsFolder(DIR* directory, const dirent& entry) {
    if (entry.d_type == DT_DIR) return true;
    if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return false;
    // A link to a capture needs no stat here: AddFile does it.
    if (read::FileOfName(entry.d_name)) return false;
    struct stat info{};
    return ::fstatat(::dirfd(directory), entry.d_name, &info, 0) == 0 && S_ISDIR(info.st_mode);
  }

  static void AddFile(const std::string& folder, DIR* directory, std::string_view name, Run& run) {
    const auto capture = read::FileOfName(name);
    const auto beside = BesideOfFileName(name);
    if (!capture && !beside) return;
    const std::string path = JoinPath(folder, name);
    struct stat info{};
    // A dangling link, or a file removed since: not there. FIFOs and the like are no captures of a listing.
    if (::fstatat(::dirfd(directory), std::string(name).c_str(), &info, 0) != 0 || !S_ISREG(info.st_mode))
      return;
    const auto size = static_cast<uint64_t>(info.st_size);
    if (capture) {
      run.hosts.push_back({std::string(capture->stem), path, size, ModifiedNs(info)});
    } else {
      run.beside.push_back({*beside, path, size});
    }
  }

  void AddPartial(const std::string& folder, DIR* directory, std::string_view name) {
    if (!IsPartialName(name)) return;
    struct stat info{};
    const int found = ::fstatat(::dirfd(directory), std::string(name).c_str(), &info, AT_SYMLINK_NOFOLLOW);
    const bool copy = S_ISDIR(info.st_mode);
    if (found != 0 || (!copy && !S_ISREG(info.st_mode))) return;
    const std::string path = JoinPath(folder, name);
    const int64_t modified = ModifiedNs(info);
    listing_.partial.push_back({path, copy, copy ? 0 : static_cast<uint64_t>(info.st_size), modified,
                                IsLeftOver(path, modified / kNsPerSecond)});
  }

  void AddEmpty(const std::string& folder, const struct stat& info) {
    const int64_t modified = ModifiedNs(info);
    listing_.partial.push_back({folder, true, 0, modified, IsLeftOver(folder, modified / kNsPerSecond)});
  }

  void Keep(const std::string& folder, Run run) {
    if (run.hosts.empty()) {
      for (BesideFile& file : run.beside) {
        if (file.kind == BesideKind::kUnsupported) listing_.unsupported.push_back(std::move(file));
      }
      return;
    }
    std::sort(run.hosts.begin(), run.hosts.end(), [](const HostFile& a, const HostFile& b) {
      return std::tie(a.host, a.path) < std::tie(b.host, b.path);
    });
    // vm.xplane.pb and vm.xplane.pb.gz are one capture stored twice; the plain one comes first.
    const auto same_host = [](const HostFile& a, const HostFile& b) { return a.host == b.host; };
    run.hosts.erase(std::unique(run.hosts.begin(), run.hosts.end(), same_host), run.hosts.end());
    std::sort(run.beside.begin(), run.beside.end(),
              [](const BesideFile& a, const BesideFile& b) { return a.path < b.path; });
    run.path = folder;
    run.name = BaseName(folder);
    run.label = LabelOf(listing_.directory, folder);
    SetTime(run, run.name);
    listing_.runs.push_back(std::move(run));
  }

  const size_t max_entries_;
  Listing listing_;
  std::vector<Folder> pending_;
  std::vector<Folder> links_;                  // to folders; visited when there is nothing else
  std::set<std::pair<dev_t, ino_t>> visited_;  // symbolic links may lead in circles
};

}  // namespace

Result<Listing> FindRuns(const std::string& directory, size_t max_entries) {
  return Search(directory, max_entries).Go();
}

namespace {

// What the path names is still of its kind, no symbolic link, and left over.
bool IsStillLeftOver(const PartialFile& file) {
  struct stat info{};
  if (::lstat(file.path.c_str(), &info) != 0) return false;
  if (file.folder ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode)) return false;
  return IsLeftOver(file.path, ModifiedNs(info) / kNsPerSecond);
}

}  // namespace

Result<Removed> RemoveLeftOvers(Listing& listing) {
  Removed removed;
  std::vector<PartialFile> stay;
  for (PartialFile& file : listing.partial) {
    if (!IsStillLeftOver(file)) {
      stay.push_back(std::move(file));
      continue;
    }
    if (file.folder && IsPartialName(BaseName(file.path))) {
      std::error_code failed;
      std::filesystem::remove_all(file.path, failed);  // follows no link
      removed.folders += !failed;
      continue;
    }
    if (file.folder) {
      removed.folders += ::rmdir(file.path.c_str()) == 0;  // one that is not empty any more stays
      continue;
    }
    if (::unlink(file.path.c_str()) != 0 && errno != ENOENT) {
      return Unreadable(fmt::format("{}: {}", file.path, std::generic_category().message(errno)),
                        "The directory cannot be written to.");
    }
    ++removed.files;
    const std::string folder(DirectoryOf(file.path));
    if (IsSessionFolder(folder)) removed.folders += ::rmdir(folder.c_str()) == 0;
  }
  listing.partial = std::move(stay);
  return removed;
}

Result<Run> RunOfFile(const std::string& path) {
  Run run;
  run.path = path;
  if (path == "-") {
    run.name = run.label = "standard input";
    run.hosts.push_back({run.name, path, 0, 0});
    return run;
  }
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    const int error = errno;
    return Unreadable(fmt::format("{}: {}", path, std::generic_category().message(error)),
                      "Check the path; gait list DIR shows the runs of a directory.");
  }
  const std::string_view file = BaseName(path);
  if (BesideOfFileName(file) == BesideKind::kUnsupported) {
    const bool xz = file.ends_with(".xz");
    return Unreadable(fmt::format("{}: gait does not read {} files.", path, xz ? "xz" : "Riegeli"),
                      xz ? fmt::format("Unpack it first: xz -dk {}", path)
                         : "Capture with a profiler that writes .xplane.pb, or convert it.");
  }
  if (std::optional<Error> tool = RecogniseToolFile(path)) return std::unexpected(*std::move(tool));
  const auto known = read::FileOfName(file);
  run.name = known ? known->stem : file;
  run.label = file;
  run.hosts.push_back(
      {run.name, path, S_ISREG(info.st_mode) ? static_cast<uint64_t>(info.st_size) : 0, ModifiedNs(info)});
  // In TensorBoard's layout the folder around the file names the run and its time.
  if (S_ISREG(info.st_mode)) {  // opening a FIFO takes its writer's data away
    SetTime(run, BaseName(DirectoryOf(path)));
  } else {
    run.time_s = ModifiedNs(info) / kNsPerSecond;
  }
  return run;
}

std::vector<std::string> SearchNotes(const Listing& listing) {
  std::vector<std::string> notes;
  if (!listing.unsupported.empty()) {
    const size_t count = listing.unsupported.size();
    notes.push_back(fmt::format("{} gait does not read {} left out: {}{}",
                                count == 1 ? "a capture that" : fmt::format("{} captures that", count),
                                count == 1 ? "was" : "were", listing.unsupported.front().path,
                                count == 1 ? "" : ", …"));
  }
  if (listing.unreadable == 1) notes.emplace_back("1 folder that cannot be read was left out");
  if (listing.unreadable > 1)
    notes.push_back(fmt::format("{} folders that cannot be read were left out", listing.unreadable));
  if (listing.too_deep > 0) {
    notes.push_back(fmt::format("folders more than {} deep were left out", limits::kMaxDirectoryDepth));
  }
  if (!listing.cut.empty()) notes.push_back("the search stopped early: " + listing.cut);
  return notes;
}

void SortNewestFirst(std::vector<Run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    if (a.time_s != b.time_s) return a.time_s > b.time_s;
    // Runs of one second are numbered: the twelfth is newer than the ninth.
    if (a.name != b.name) return NaturallyBefore(b.name, a.name);
    return a.path > b.path;
  });
}

}  // namespace gait::runs
