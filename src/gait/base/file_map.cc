#include "gait/base/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

namespace gait {
namespace {

constexpr uintptr_t kPage = 4096;

// A page of a map beyond the end of its file raises SIGBUS. The handler may run on any thread, in the middle
// of anything, so what it reads are atomics that never move.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;
};
std::array<Slot, 256> slots;
struct sigaction before;  // who else handles the signal

void OnFault(int signal, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Slot& slot : slots) {
    const uintptr_t end = slot.end.load();
    if (at < slot.begin.load() || at >= end) continue;
    // All that follows is gone as well. When even this fails, the fault comes again and ends the process.
    const uintptr_t page = at / kPage * kPage;
    void* zeros = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros != MAP_FAILED) return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else {
    sigaction(signal, &before, nullptr);    // the fault comes again, and is theirs
    if (info->si_code <= 0) raise(signal);  // somebody sent it: it does not come by itself
  }
}

int TakeSlot() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGBUS, &action, &before);
  });
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].taken.exchange(true)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::optional<FileMap> FileMap::Open(int fd, const struct stat& info) {
  FileMap map;
  map.slot_ = TakeSlot();
  if (map.slot_ < 0) return std::nullopt;
  const auto size = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return std::nullopt;
  map.data_ = static_cast<const char*>(data);
  map.size_ = size;
  map.fd_ = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);  // see Descriptor
  map.modified_ = info.st_mtim;
  Slot& slot = slots[static_cast<size_t>(map.slot_)];
  slot.begin = reinterpret_cast<uintptr_t>(data);
  slot.end = (slot.begin + size + kPage - 1) / kPage * kPage;
  return map;
}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  std::swap(slot_, other.slot_);
  std::swap(modified_, other.modified_);
  return *this;
}

FileMap::~FileMap() {
  if (slot_ >= 0) {
    Slot& slot = slots[static_cast<size_t>(slot_)];
    slot.end = 0;
    slot.begin = 0;
    slot.taken = false;
  }
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  if (fd_ >= 0) close(fd_);
}

void FileMap::Release(std::string_view part) const {
  if (part.empty()) return;
  const size_t begin = (static_cast<size_t>(part.data() - data_) + kPage - 1) / kPage * kPage;
  const size_t end = static_cast<size_t>(part.data() + part.size() - data_) / kPage * kPage;
  if (begin < end) madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

bool FileMap::changed() const {
  struct stat now = {};
  if (fd_ < 0 || fstat(fd_, &now) != 0) return false;
  return static_cast<size_t>(now.st_size) != size_ || now.st_mtim.tv_sec != modified_.tv_sec ||
         now.st_mtim.tv_nsec != modified_.tv_nsec;
}

}  // namespace gait
