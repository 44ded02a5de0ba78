// Preloaded into a server (LD_PRELOAD): one of its allocations fails. C libraries and operator new ask malloc
// alike.
//
//   GAIT_FAIL_COUNTER   a file of 8 bytes, shared with the test: allocations until the one that fails; 0:
//   none GAIT_FAIL_FROM      allocations of so many bytes or more count
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t size);                // NOLINT(bugprone-reserved-identifier): glibc's own
void* __libc_calloc(size_t count, size_t size);  // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, size_t size);    // NOLINT(bugprone-reserved-identifier)
}

namespace {

size_t from = 0;

// Null until the library is ready.
std::atomic<long>* const left = [] {
  const char* bytes = std::getenv("GAIT_FAIL_FROM");
  from = bytes == nullptr ? 0 : std::strtoul(bytes, nullptr, 10);
  const char* path = std::getenv("GAIT_FAIL_COUNTER");
  const int file = ::open(path == nullptr ? "" : path, O_RDWR | O_CLOEXEC);
  void* shared = ::mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return shared == MAP_FAILED ? nullptr : static_cast<std::atomic<long>*>(shared);
}();

bool Fails(size_t size) {
  if (left == nullptr || size < from || left->load() <= 0 || left->fetch_sub(1) != 1) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* malloc(size_t size) { return Fails(size) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return Fails(count * size) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return Fails(size) ? nullptr : __libc_realloc(old, size); }
}
