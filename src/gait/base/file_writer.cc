#include "gait/base/file_writer.h"

#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace gait {
namespace {

constexpr size_t kPiece = 4 << 20;  // between two reports of progress
constexpr int kMostLinks = 40;      // as Linux

std::string WhatToDo(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "The disk is full. Free some space, or write into another directory.";
    case EROFS:
    case EACCES:
    case EPERM:
      return "The directory cannot be written to. Take another one.";
    case ENOENT:
    case ENOTDIR:
      return "There is no such directory. Make it, or take another one.";
    case EFBIG:
      return "A file may not become so large here: raise the limit (ulimit -f), or take another disk.";
    case EMFILE:
    case ENFILE:
      return "Too many files are open: raise the limit (ulimit -n).";
    default:
      return "";
  }
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// An open file of a process (/proc/self/fd/1, where /dev/stdout leads): its name is not that of what is
// written to.
bool IsOpenFile(const std::string& link) {
  constexpr decltype(std::declval<struct statfs>().f_type) kProc = 0x9fa0;
  struct statfs info{};
  return ::statfs(FolderOf(link).c_str(), &info) == 0 && info.f_type == kProc;
}

// Another user's link in a folder that all may write to, as /tmp: it may lead anywhere. What the kernel
// forbids too where fs.protected_symlinks is on; links are followed here by hand.
bool IsTrap(const std::string& link, const struct stat& info) {
  struct stat folder{};
  if (::stat(FolderOf(link).c_str(), &folder) != 0) return false;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return shared && info.st_uid != ::geteuid() && info.st_uid != folder.st_uid;
}

struct Target {
  std::string path;     // behind all symbolic links; need not exist
  bool direct = false;  // no regular file
  mode_t mode = 0;      // of the file that is there; 0: none is
  int error = 0;
};

Target Follow(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) return {path, false, 0, errno == ENOENT ? 0 : errno};
    if (S_ISDIR(info.st_mode)) return {path, false, 0, EISDIR};
    if (!S_ISLNK(info.st_mode)) return {path, !S_ISREG(info.st_mode), info.st_mode & 07777, 0};
    if (IsOpenFile(path)) return {path, true, 0, 0};
    if (IsTrap(path, info)) return {path, false, 0, EACCES};
    std::array<char, PATH_MAX> next;
    const ssize_t size = ::readlink(path.c_str(), next.data(), next.size());
    if (size < 0) return {path, false, 0, errno};
    const std::string_view to(next.data(), static_cast<size_t>(size));
    path = to.starts_with('/') ? std::string(to) : fmt::format("{}/{}", FolderOf(path), to);
  }
  return {path, false, 0, ELOOP};
}

// What this process's new files may not have. ::umask would change it for other threads.
mode_t FileModeMask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Umask:")) return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
  }
  return 022;
}

int Synchronize(int fd) {
  while (::fsync(fd) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

std::unexpected<Error> FileWriter::Failed(int error) const {
  return Unreadable(fmt::format("{}: {}.", path_, std::strerror(error)), WhatToDo(error));
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, {})),
      file_(std::move(other.file_)),
      only_own_(other.only_own_) {}

FileWriter::~FileWriter() {
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

// .NAME.PID.RANDOM.partial: no reader takes it for a capture, nobody can know it before, and `gait list`
// knows whose it is. The lock tells other containers, which do not see the process. Without it (a file system
// that has none) they go by the time of the last write.
int FileWriter::CreatePartial() {
  constexpr size_t kLongestName = 200;
  const std::string name = std::filesystem::path(target_).filename().string().substr(0, kLongestName);
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) return errno;
  const std::string partial =
      fmt::format("{}/.{}.{}.{:016x}.partial", FolderOf(target_), name, ::getpid(), random);
  file_ = Descriptor::Open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file_.ok()) return errno;
  partial_ = partial;
  static_cast<void>(::flock(file_.get(), LOCK_EX | LOCK_NB));
  return 0;
}

Result<FileWriter> FileWriter::Open(const std::string& path, uint64_t size, const WriteOptions& options) {
  FileWriter writer(path);
  writer.only_own_ = options.only_own;
  const Target target = Follow(path);
  if (target.error != 0) return writer.Failed(target.error);
  if (target.direct) {
    writer.file_ = Descriptor::Open(target.path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY);
    if (!writer.file_.ok()) return writer.Failed(errno);
    return writer;
  }
  writer.target_ = target.path;
  struct statvfs space{};
  if (::statvfs(FolderOf(target.path).c_str(), &space) == 0) {
    const uint64_t free = uint64_t{space.f_bavail} * space.f_frsize;
    if (free < size + options.keep_free) {
      return Unreadable(fmt::format("{}: {} MB are needed and {} MB to be kept free, but only {} MB are.",
                                    path, (size >> 20) + 1, options.keep_free >> 20, free >> 20),
                        WhatToDo(ENOSPC));
    }
  }
  if (const int error = writer.CreatePartial(); error != 0) return writer.Failed(error);
  return writer;
}

Result<void> FileWriter::Write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed(errno);
    piece.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<void> FileWriter::Commit() {
  if (target_.empty()) {
    if (const int error = file_.Close(); error != 0) return Failed(error);
    return {};
  }
  const Target now = Follow(target_);
  const mode_t mode = only_own_ ? 0600 : now.mode != 0 ? now.mode : 0666 & ~FileModeMask();
  if (::fchmod(file_.get(), mode) != 0) return Failed(errno);
  if (const int error = Synchronize(file_.get()); error != 0) return Failed(error);
  if (const int error = file_.Close(); error != 0) return Failed(error);
  if (::rename(partial_.c_str(), target_.c_str()) != 0) return Failed(errno);
  partial_.clear();
  // The name itself survives a crash only once the folder is on the disk; some file systems cannot do that.
  const Descriptor folder = Descriptor::Open(FolderOf(target_).c_str(), O_RDONLY | O_DIRECTORY);
  if (folder.ok() && Synchronize(folder.get()) == EIO) return Failed(EIO);
  return {};
}

bool IsStandardOutput(const std::string& path) {
  if (path == "-") return true;
  struct stat named{};
  struct stat output{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

Result<void> WriteFile(const std::string& path, std::initializer_list<std::string_view> content,
                       const WriteOptions& options) {
  size_t size = 0;
  for (const std::string_view piece : content) size += piece.size();
  GAIT_TRY(FileWriter writer, FileWriter::Open(path, size, options));
  size_t done = 0;
  for (const std::string_view piece : content) {
    for (size_t at = 0; at < piece.size(); at += kPiece) {
      const std::string_view part = piece.substr(at, kPiece);
      GAIT_CHECK_OK(writer.Write(part));
      done += part.size();
      if (options.progress) options.progress(static_cast<double>(done) / static_cast<double>(size));
    }
  }
  return writer.Commit();
}

}  // namespace gait
