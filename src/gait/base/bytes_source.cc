#include "gait/base/bytes_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "gait/base/descriptor.h"
#include "gait/base/memory_limit.h"

namespace gait {
namespace {

Error SystemError(const std::string& path) {
  const int code = errno;
  std::string hint;
  if (code == EACCES || code == EPERM)
    hint = "Check the permissions of the file and of the folders above it.";
  if (code == ENOENT) hint = "gait list DIR shows the runs below a directory.";
  return {ErrorKind::kUnreadable, fmt::format("{}: {}", path, std::strerror(code)), hint};
}

constexpr time_t kPause = 10;  // seconds in which a writer that is not done writes again

bool IsYoungerThan(time_t seconds, time_t modified) {
  const time_t age = std::time(nullptr) - modified;
  return age >= 0 && age < seconds;
}

// Whether there is something to read within that time; an end is too. Looks at `stop` meanwhile.
bool IsReady(int fd, int wait_ms, const std::stop_token& stop) {
  constexpr int kBetweenLooks = 50;
  pollfd waiting = {fd, POLLIN, 0};
  while (true) {
    const int step = stop.stop_possible() ? std::min(wait_ms, kBetweenLooks) : wait_ms;
    const int ready = poll(&waiting, 1, step);
    if (ready != 0 && !(ready < 0 && errno == EINTR)) return true;
    if (ready == 0) wait_ms -= step;
    if (stop.stop_requested() || (ready == 0 && wait_ms == 0)) return false;
  }
}

Result<Bytes> ReadDescriptor(int fd, const std::string& name, const OpenOptions& options) {
  const auto next = [&](char* buffer, size_t size) -> int64_t {
    while (!options.stop.stop_requested()) {
      const ssize_t n = read(fd, buffer, size);
      if (n >= 0 || errno != EAGAIN) return n;
      IsReady(fd, limits::kFifoWaitMs, options.stop);  // a pipe may be silent for as long as it likes
    }
    errno = ECANCELED;
    return -1;
  };
  return ReadAll(next, name, options.check);
}

std::unexpected<Error> IsTerminal(std::string_view what) {
  return Unreadable(fmt::format("{} is a terminal", what), "Pass a .xplane.pb file, or pipe one in.");
}

// Opened without blocking, so that a FIFO nobody opens for writing can be told from a slow writer: when the
// waiting is over, read(2) gives an end at once for the first and waits for the second.
Result<Bytes> ReadFifo(int fd, const std::string& path, const OpenOptions& options) {
  const bool ready = IsReady(fd, options.fifo_wait_ms, options.stop);
  GAIT_TRY(Bytes all, ReadDescriptor(fd, path, options));
  if (!ready && all.view().empty()) {
    return Unreadable(path + ": a FIFO that nobody writes to",
                      "Start the command that writes the profile into it, then gait.");
  }
  return all;
}

}  // namespace

Bytes& Bytes::operator=(Bytes&& other) noexcept {
  std::swap(owned_, other.owned_);
  std::swap(read_, other.read_);
  std::swap(map_, other.map_);
  std::swap(size_, other.size_);
  held_ = std::move(other.held_);
  return *this;
}

namespace {

Result<Bytes> ReadOrMap(const std::string& path, const OpenOptions& options,
                        std::optional<time_t>& modified) {
  constexpr time_t kMoment = 3;
  if (path == "-") {
    if (isatty(STDIN_FILENO)) return IsTerminal("standard input");
    return ReadDescriptor(STDIN_FILENO, "standard input", options);
  }
  const Descriptor fd = Descriptor::Open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (fd.get() < 0) return std::unexpected(SystemError(path));
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0) return std::unexpected(SystemError(path));
  if (S_ISDIR(info.st_mode)) return Unreadable(path + ": is a directory, not a profile");
  if (S_ISFIFO(info.st_mode)) return ReadFifo(fd.get(), path, options);
  if (S_ISCHR(info.st_mode) && isatty(fd.get())) return IsTerminal(path + ":");
  if (S_ISREG(info.st_mode)) modified = info.st_mtim.tv_sec;
  const bool fits = static_cast<uint64_t>(info.st_size) < MemoryLimit();
  if (!modified || info.st_size == 0 || (fits && IsYoungerThan(kMoment, *modified))) {
    // A device, a file of /proc: its size is not known before it was read. And of a file that is being
    // written, reading sees one state where a map sees several.
    return ReadDescriptor(fd.get(), path, options);
  }
  if (std::optional<FileMap> map = FileMap::Open(fd.get(), info)) return Bytes(*std::move(map));
  return ReadDescriptor(fd.get(), path, {.stop = options.stop});
}

}  // namespace

Result<OpenedFile> OpenFile(const std::string& path, const OpenOptions& options) {
  OpenOptions unpacked = options;
  if (options.check) {
    unpacked.check = [&](std::string_view head) {
      return DetectCompression(head) == Compression::kNone ? options.check(head) : std::nullopt;
    };
  }
  std::optional<time_t> modified;
  GAIT_TRY(Bytes bytes, ReadOrMap(path, unpacked, modified));
  GAIT_TRY(OpenedFile file, Unwrap(std::move(bytes), path));
  file.modified = modified;
  return file;
}

bool OpenedFile::fresh() const { return modified && IsYoungerThan(kPause, *modified); }

Result<OpenedFile> Unwrap(Bytes bytes, const std::string& name) {
  const Compression compression = DetectCompression(bytes.view());
  if (compression == Compression::kNone) return OpenedFile{std::move(bytes), {}};
  GAIT_TRY(Decompressed content, Decompress(bytes.view(), compression, name));
  return OpenedFile{Bytes(std::move(content.data), std::move(content.held)), std::move(content.cut)};
}

// realloc moves large blocks by remapping them: nothing is copied, nothing is filled, and what is not yet
// read takes no memory.
Result<Bytes> ReadAll(const ReadFunction& read, const std::string& name, const HeadCheck& check) {
  Bytes all;
  size_t capacity = 0;
  bool checked = !check;
  while (true) {
    if (!checked && all.size_ >= limits::kHeadBytes) {
      if (std::optional<Error> other = check(all.view().substr(0, limits::kHeadBytes)))
        return std::unexpected(*std::move(other));
      checked = true;
    }
    if (all.size_ == capacity) {
      capacity = all.held_.Hold(std::max(capacity * 2, limits::kHeadBytes));
      if (capacity == all.size_) {
        return Unreadable(fmt::format("{}: more than {} MiB and no end, the limit for content in memory",
                                      name, MemoryLimit() >> 20),
                          "Write it to a file first, for files are mapped; or allow more with --max-memory.");
      }
      auto* larger = static_cast<char*>(std::realloc(all.read_.get(), capacity));
      if (!larger) return Unreadable(fmt::format("{}: no memory for {} MiB", name, capacity >> 20));
      static_cast<void>(all.read_.release());
      all.read_.reset(larger);
    }
    const int64_t n = read(all.read_.get() + all.size_, capacity - all.size_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(SystemError(name));
    if (n == 0) {
      all.held_.Hold(all.size_);
      return all;
    }
    all.size_ += static_cast<size_t>(n);
  }
}

}  // namespace gait
