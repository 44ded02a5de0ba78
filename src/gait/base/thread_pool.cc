#include "gait/base/thread_pool.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace gait {
namespace {

thread_local bool gives_way = false;

}  // namespace

size_t DefaultThreads() {
  if (const char* text = std::getenv("GAIT_THREADS")) {
    const long asked = std::strtol(text, nullptr, 10);
    if (asked >= 1) return static_cast<size_t>(std::min(asked, 256L));
  }
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<size_t>(std::max(CPU_COUNT(&set), 1));
  return std::max(std::thread::hardware_concurrency(), 1U);
}

void ForEach(size_t count, size_t threads, const std::function<void(size_t)>& body) {
  // Of all loops of the process. One inside another, or of another request, would else start threads that
  // only wait for a processor, and wait for each of them.
  static std::atomic<size_t> helping = 0;
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;  // the first; memory that has run out, mostly
  const auto attempt = [&](size_t i) {
    try {
      body(i);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
      next = count;
    }
  };
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) attempt(i);
  };
  {
    std::vector<std::jthread> helpers;
    const auto recruit = [&] {
      if (helping.fetch_add(1) + 1 < threads) {
        try {
          helpers.emplace_back([&] {
            work();
            --helping;
          });
          return true;
        } catch (const std::system_error&) {  // no more threads to be had: the ones we have do the work
        } catch (const std::bad_alloc&) {
        }
      }
      --helping;
      return false;
    };
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      // Before each piece: another loop may have ended meanwhile.
      while (!gives_way && helpers.size() + 1 < std::min(threads, count) && next < count && recruit()) {
      }
      attempt(i);
    }
  }  // all of them are done
  if (failure) std::rethrow_exception(failure);
}

void GiveWay(int nice) {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice);
  gives_way = true;
}

}  // namespace gait
