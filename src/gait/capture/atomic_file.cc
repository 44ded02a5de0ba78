#include "gait/capture/atomic_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace gait::capture {
namespace {

constexpr size_t kPiece = 4 << 20;  // between two reports of progress

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
    case EMFILE:
    case ENFILE:
      return "Too many files are open: raise the limit (ulimit -n).";
    default:
      return "";
  }
}

std::unexpected<Error> Failed(const std::string& path, int error) {
  return Unreadable(fmt::format("{}: {}.", path, std::strerror(error)), WhatToDo(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Close() { return ::close(std::exchange(fd_, -1)); }  // network file systems report errors only here

 private:
  int fd_;
};

// Unlinks unless it was given its final name.
class Partial {
 public:
  explicit Partial(std::string path) : path_(std::move(path)) {}
  ~Partial() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  const char* name() const { return path_.c_str(); }
  int RenameTo(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  std::string path_;
};

// Of pieces that are `all` bytes together; `before` of them are written.
int WriteAll(int fd, std::string_view piece, size_t before, size_t all, const WriteOptions& options) {
  for (size_t done = 0; done < piece.size();) {
    const ssize_t written = ::write(fd, piece.data() + done, std::min(kPiece, piece.size() - done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    done += static_cast<size_t>(written);
    if (options.progress) options.progress(static_cast<double>(before + done) / static_cast<double>(all));
  }
  return 0;
}

}  // namespace

Result<void> WriteAtomically(const std::string& path, std::initializer_list<std::string_view> content,
                             const WriteOptions& options) {
  size_t size = 0;
  for (const std::string_view piece : content) size += piece.size();
  const std::filesystem::path target(path);
  const std::string folder = target.parent_path().empty() ? "." : target.parent_path().string();
  struct statvfs space{};
  if (::statvfs(folder.c_str(), &space) == 0) {
    const uint64_t free = uint64_t{space.f_bavail} * space.f_frsize;
    if (free < size + options.keep_free) {
      return Unreadable(fmt::format("{}: {} MB are needed and {} MB to be kept free, but only {} MB are.",
                                    path, (size >> 20) + 1, options.keep_free >> 20, free >> 20),
                        WhatToDo(ENOSPC));
    }
  }
  // A name that no reader takes for a capture, and that two processes cannot share.
  Partial partial(fmt::format("{}/.{}.{}.partial", folder, target.filename().string(), ::getpid()));
  Descriptor file(::open(partial.name(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return Failed(path, errno);
  size_t done = 0;
  for (const std::string_view piece : content) {
    if (const int error = WriteAll(file.get(), piece, done, size, options); error != 0)
      return Failed(path, error);
    done += piece.size();
  }
  if (::fsync(file.get()) != 0) return Failed(path, errno);
  if (file.Close() != 0) return Failed(path, errno);
  if (const int error = partial.RenameTo(path); error != 0) return Failed(path, error);
  // The name itself survives a crash only once the folder is on the disk; some file systems cannot do that.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
  return {};
}

}  // namespace gait::capture
