#include "gait/base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace gait {

void AdviseHugePages(const void* data, size_t bytes) {
  constexpr uintptr_t kHuge = uintptr_t{1} << 21;
  // Only whole pages that are ours: their rest would be memory that nobody asked for.
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t begin = (address + kHuge - 1) / kHuge * kHuge;
  const uintptr_t end = (address + bytes) / kHuge * kHuge;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of a page
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace gait
