// Descriptor: an open file that closes itself.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gait {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  // Like ::open, but tries again after a signal. Never gives descriptors 0, 1 and 2: a program that has
  // closed its own streams would print into the file. On failure get() is negative and errno says why.
  static Descriptor Open(const char* path, int flags, mode_t mode = 0) {
    int fd = -1;
    do {
      fd = ::open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 || fd > STDERR_FILENO) return Descriptor(fd);
    const Descriptor low(fd);
    return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  }

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // 0, or errno: network file systems report errors only here. A signal does not keep the descriptor open.
  int Close() {
    if (fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR) return 0;
    return errno;
  }

 private:
  int fd_;
};

}  // namespace gait
