// ForEach: a loop over a few threads; each thread takes the next free index.
#pragma once

#include <cstddef>
#include <functional>

namespace gait {

// The number of threads to use: the cores that this process may run on, or GAIT_THREADS.
size_t DefaultThreads();

// Calls body(0) ... body(count - 1), each once, from up to `threads` threads including the caller's, and
// returns when all are done. Nested loops share these threads. With one thread the order is 0, 1, 2, ...; put
// the longest pieces first for balance.
void ForEach(size_t count, size_t threads, const std::function<void(size_t)>& body);

// Lowers the priority of this thread, and of the threads that it starts from now on: nice 0 to 19. Loops of
// this thread start no further threads: a scheduler that shares by session heeds nice only inside a session,
// and the browser runs in another one.
void GiveWay(int nice);

}  // namespace gait
