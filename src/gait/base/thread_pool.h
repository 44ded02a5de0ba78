// ForEach: a loop spread over a few threads, with dynamic claiming of the next index.
#pragma once

#include <cstddef>
#include <functional>

namespace gait {

// The number of threads worth using here: the cores this process may run on, or GAIT_THREADS.
size_t DefaultThreads();

// Calls body(0) ... body(count - 1), each once, from up to `threads` threads including the caller's, and
// returns when all are done. Loops inside of loops share these threads. With one thread the order is 0, 1, 2,
// ...; put the longest pieces first for balance.
void ForEach(size_t count, size_t threads, const std::function<void(size_t)>& body);

// This thread, and those it starts from now on, let others go first that want the processor: nice 0 to 19.
// Its own loops start none: a scheduler that shares by session heeds nice inside of one only, and the browser
// has another.
void GiveWay(int nice);

}  // namespace gait
