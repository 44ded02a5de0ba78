#include "gait/base/bytes_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "gait/base/decompress.h"

namespace gait {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Error SystemError(const std::string& path) {
  const int code = errno;
  std::string hint;
  if (code == EACCES || code == EPERM)
    hint = "Check the permissions of the file and of the folders above it.";
  if (code == ENOENT) hint = "gait list DIR shows the runs below a directory.";
  return {ErrorKind::kUnreadable, fmt::format("{}: {}", path, std::strerror(code)), hint};
}

// Changed in the last seconds: its writer may not be done.
bool IsBeingWritten(const struct stat& info) {
  constexpr time_t kSeconds = 3;
  return std::time(nullptr) - info.st_mtim.tv_sec < kSeconds;
}

size_t HalfOfMemory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

Result<std::string> ReadDescriptor(int fd, const std::string& name) {
  return ReadAll([fd](char* buffer, size_t size) { return read(fd, buffer, size); }, name);
}

}  // namespace

Bytes& Bytes::operator=(Bytes&& other) noexcept {
  std::swap(owned_, other.owned_);
  std::swap(map_, other.map_);
  std::swap(map_size_, other.map_size_);
  return *this;
}

Bytes::~Bytes() {
  if (map_) munmap(const_cast<char*>(map_), map_size_);
}

void Bytes::Release(std::string_view part) const {
  if (!map_ || part.empty()) return;
  const size_t page = 4096;
  const size_t begin = (static_cast<size_t>(part.data() - map_) + page - 1) / page * page;
  const size_t end = static_cast<size_t>(part.data() + part.size() - map_) / page * page;
  if (begin < end) madvise(const_cast<char*>(map_) + begin, end - begin, MADV_DONTNEED);
}

Result<Bytes> MapFile(const std::string& path) {
  if (path == "-") {
    GAIT_TRY(std::string all, ReadDescriptor(STDIN_FILENO, "standard input"));
    return Bytes(std::move(all));
  }
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) return std::unexpected(SystemError(path));
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0) return std::unexpected(SystemError(path));
  if (S_ISDIR(info.st_mode)) return Unreadable(path + ": is a directory, not a profile");
  if (!S_ISREG(info.st_mode) || info.st_size == 0 || IsBeingWritten(info)) {
    // A FIFO, a device, a file of /proc: its size is not known before it was read. And a file that its writer
    // truncates takes the pages of a map away under the reader.
    GAIT_TRY(std::string all, ReadDescriptor(fd.get(), path));
    return Bytes(std::move(all));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (map == MAP_FAILED) {
    GAIT_TRY(std::string all, ReadDescriptor(fd.get(), path));
    return Bytes(std::move(all));
  }
  Bytes bytes;
  bytes.map_ = static_cast<const char*>(map);
  bytes.map_size_ = size;
  return bytes;
}

Result<OpenedFile> OpenFile(const std::string& path) {
  GAIT_TRY(Bytes bytes, MapFile(path));
  return Unwrap(std::move(bytes), path);
}

Result<OpenedFile> Unwrap(Bytes bytes, const std::string& name) {
  const Compression compression = DetectCompression(bytes.view());
  if (compression == Compression::kNone) return OpenedFile{std::move(bytes), {}};
  GAIT_TRY(Decompressed content, Decompress(bytes.view(), compression, name));
  return OpenedFile{Bytes(std::move(content.data)), std::move(content.cut)};
}

Result<std::string> ReadAll(const std::function<int64_t(char*, size_t)>& read, const std::string& name) {
  const size_t limit = HalfOfMemory();
  std::string all;
  size_t size = 0;
  while (true) {
    if (size >= limit) {
      return Unreadable(
          fmt::format("{}: more than {} GiB and no end, half of the memory here", name, limit >> 30),
          "Write it to a file first: files are mapped, not held in memory.");
    }
    if (size == all.size()) all.resize(std::min(std::max<size_t>(all.size() * 2, size_t{1} << 16), limit));
    const int64_t n = read(all.data() + size, all.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(SystemError(name));
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  all.resize(size);
  return all;
}

}  // namespace gait
