// What this process holds in memory of its own: traces, views, searches, replies, and what the allocator
// keeps. Files that are mapped are not counted: the system takes their pages back by itself.
#pragma once

#include <cstddef>

namespace gait::serve {

// Bytes; 0 where the system does not say.
size_t HeldMemory();

// Gives what was freed back to the system.
void ReturnFreed();

}  // namespace gait::serve
