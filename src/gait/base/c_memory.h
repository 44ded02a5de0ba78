// What a C library made: where the memory for it ran out, std::bad_alloc, as everywhere else.
#pragma once

#include <new>

namespace gait {

template <typename T>
T* OrNoMemory(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace gait
