// Preloaded into a program (LD_PRELOAD): one of its system calls that make files below a folder fails, the
// n-th. Calls are counted from one; which and how is in the environment, or said by the program itself
// between two of its parts.
//
//   GAIT_FAIL_UNDER   the folder
//   GAIT_FAIL_IN      the name of the program, where several of them make files; else each counts its own
//   GAIT_FAIL_CALL    n; 0: none
//   GAIT_FAIL_HOW     an errno (28), "short" (writes a part) or "kill" (the process ends as by kill -9)
//   GAIT_FAIL_MARK    a file that is made when the call has come
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>  // and program_invocation_short_name
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

enum class How { kError, kShort, kKill };

constexpr int kFewest = 4096;                    // descriptors that are watched
std::array<std::atomic<bool>, kFewest> watched;  // opened below the folder
std::atomic<long> left = 0;                      // calls until the one that fails; 0: none will
std::atomic<bool> has_failed = false;
How how = How::kError;
int error_number = 0;
const char* under = nullptr;

void Arm(long call, const char* what) {
  const std::string_view name(what == nullptr ? "" : what);
  how = name == "short" ? How::kShort : name == "kill" ? How::kKill : How::kError;
  error_number = how == How::kError ? std::atoi(name.data()) : 0;
  has_failed = false;
  left = call;
}

__attribute__((constructor)) void Begin() {
  under = std::getenv("GAIT_FAIL_UNDER");
  const char* const call = std::getenv("GAIT_FAIL_CALL");
  const char* const in = std::getenv("GAIT_FAIL_IN");
  if (in != nullptr && std::string_view(in) != program_invocation_short_name) return;
  if (under != nullptr && call != nullptr) Arm(std::atol(call), std::getenv("GAIT_FAIL_HOW"));
}

std::atomic<bool> has_begun = false;  // to make a file: what comes before is none of a writer's

bool IsBelow(const char* path) {
  const bool below =
      under != nullptr && path != nullptr && std::strncmp(path, under, std::strlen(under)) == 0;
  if (below) has_begun = true;
  return below;
}
bool IsWatched(int fd) { return fd >= 0 && fd < kFewest && watched[static_cast<size_t>(fd)]; }
void Watch(int fd, bool whether) {
  if (fd >= 0 && fd < kFewest) watched[static_cast<size_t>(fd)] = whether;
}

// True: this is the call that fails, and not by ending the process.
bool Fails(bool writes = false) {
  long before = left.load();
  while (before > 0 && !left.compare_exchange_weak(before, before - 1)) {
  }
  if (before != 1) return false;
  if (how == How::kShort && !writes) return false;  // nothing to shorten
  has_failed = true;
  if (const char* const mark = std::getenv("GAIT_FAIL_MARK")) {
    const long fd = ::syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600);
    ::syscall(SYS_close, fd);
  }
  if (how == How::kKill) ::kill(::getpid(), SIGKILL);
  errno = error_number;
  return true;
}

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void gait_fail_call(long call, const char* what, const char* folder) {
  under = folder;
  Arm(call, what);
}
int gait_has_failed() { return has_failed ? 1 : 0; }

#define GAIT_OPEN(NAME)                                                    \
  int NAME(const char* path, int flags, ...) {                             \
    va_list list;                                                          \
    va_start(list, flags);                                                 \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                          \
    static auto* const real = Real<int(const char*, int, ...)>(#NAME);     \
    if (!IsBelow(path)) return real(path, flags, mode);                    \
    if (Fails()) return -1;                                                \
    const int fd = real(path, flags, mode);                                \
    Watch(fd, true);                                                       \
    return fd;                                                             \
  }
GAIT_OPEN(open)
GAIT_OPEN(open64)

// Below a folder that is watched, or of the folder.
#define GAIT_OPENAT(NAME)                                                             \
  int NAME(int folder, const char* path, int flags, ...) {                            \
    va_list list;                                                                     \
    va_start(list, flags);                                                            \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;            \
    va_end(list);                                                                     \
    static auto* const real = Real<int(int, const char*, int, ...)>(#NAME);           \
    if (!IsWatched(folder) && !IsBelow(path)) return real(folder, path, flags, mode); \
    if (Fails()) return -1;                                                           \
    const int fd = real(folder, path, flags, mode);                                   \
    Watch(fd, true);                                                                  \
    return fd;                                                                        \
  }
GAIT_OPENAT(openat)
GAIT_OPENAT(openat64)

ssize_t write(int fd, const void* data, size_t size) {
  static auto* const real = Real<ssize_t(int, const void*, size_t)>("write");
  if (!IsWatched(fd) || !Fails(true)) return real(fd, data, size);
  return how == How::kShort ? real(fd, data, (size + 1) / 2) : -1;
}

int fsync(int fd) {
  static auto* const real = Real<int(int)>("fsync");
  return IsWatched(fd) && Fails() ? -1 : real(fd);
}

int fchmod(int fd, mode_t mode) {
  static auto* const real = Real<int(int, mode_t)>("fchmod");
  return IsWatched(fd) && Fails() ? -1 : real(fd, mode);
}

int close(int fd) {
  static auto* const real = Real<int(int)>("close");
  if (!IsWatched(fd)) return real(fd);
  Watch(fd, false);
  const bool fails = Fails();
  const int closed = real(fd);
  if (fails) errno = error_number;
  return fails ? -1 : closed;
}

int rename(const char* from, const char* to) {
  static auto* const real = Real<int(const char*, const char*)>("rename");
  return IsBelow(to) && Fails() ? -1 : real(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = Real<int(const char*, mode_t)>("mkdir");
  return IsBelow(path) && Fails() ? -1 : real(path, mode);
}

int link(const char* from, const char* to) {
  static auto* const real = Real<int(const char*, const char*)>("link");
  return IsBelow(to) && Fails() ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static auto* const real = Real<int(int, const char*, int, const char*, int)>("linkat");
  return IsBelow(to) && Fails() ? -1 : real(from_folder, from, to_folder, to, flags);
}

int symlink(const char* to, const char* path) {
  static auto* const real = Real<int(const char*, const char*)>("symlink");
  return IsBelow(path) && Fails() ? -1 : real(to, path);
}

int unlink(const char* path) {
  static auto* const real = Real<int(const char*)>("unlink");
  return IsBelow(path) && Fails() ? -1 : real(path);
}

int unlinkat(int folder, const char* path, int flags) {
  static auto* const real = Real<int(int, const char*, int)>("unlinkat");
  return (IsWatched(folder) || IsBelow(path)) && Fails() ? -1 : real(folder, path, flags);
}

int rmdir(const char* path) {
  static auto* const real = Real<int(const char*)>("rmdir");
  return IsBelow(path) && Fails() ? -1 : real(path);
}

int chmod(const char* path, mode_t mode) {
  static auto* const real = Real<int(const char*, mode_t)>("chmod");
  return IsBelow(path) && Fails() ? -1 : real(path, mode);
}

int utimensat(int folder, const char* path, const struct timespec times[2], int flags) {
  static auto* const real = Real<int(int, const char*, const struct timespec*, int)>("utimensat");
  return IsBelow(path) && Fails() ? -1 : real(folder, path, times, flags);
}

ssize_t readlink(const char* path, char* to, size_t size) {
  static auto* const real = Real<ssize_t(const char*, char*, size_t)>("readlink");
  return IsBelow(path) && Fails() ? -1 : real(path, to, size);
}

#define GAIT_BY_PATH(NAME, TYPE)                                           \
  int NAME(const char* path, struct TYPE* info) {                          \
    static auto* const real = Real<int(const char*, struct TYPE*)>(#NAME); \
    return IsBelow(path) && Fails() ? -1 : real(path, info);               \
  }
GAIT_BY_PATH(lstat, stat)
GAIT_BY_PATH(lstat64, stat64)
GAIT_BY_PATH(statvfs, statvfs)
GAIT_BY_PATH(statvfs64, statvfs64)

ssize_t getrandom(void* data, size_t size, unsigned int flags) {
  static auto* const real = Real<ssize_t(void*, size_t, unsigned int)>("getrandom");
  return has_begun && Fails() ? -1 : real(data, size, flags);
}
}
