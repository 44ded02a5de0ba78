#include "gait/base/testing/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> allocations = 0;
std::atomic<int64_t> failing = 0;

void* Allocate(size_t size) { return ++allocations == failing ? nullptr : std::malloc(size == 0 ? 1 : size); }

}  // namespace

namespace gait::testing {

void FailAllocation(int64_t n) {
  failing = 0;
  allocations = 0;
  failing = n;
}
int64_t Allocations() { return allocations; }

}  // namespace gait::testing

void* operator new(size_t size) {
  if (void* const memory = Allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
