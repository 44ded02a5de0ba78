// The memory that this process itself holds: traces, views, searches, replies, and memory that the allocator
// keeps. Mapped files are not counted: the system takes their pages back by itself.
#pragma once

#include <cstddef>

namespace gait::serve {

// The memory in bytes; 0 where the system does not say.
size_t HeldMemory();

// Gives freed memory back to the system.
void ReturnFreed();

}  // namespace gait::serve
