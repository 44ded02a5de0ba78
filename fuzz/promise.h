// Promise: must hold whatever the input says. Where it does not, the fuzzer ends and keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gait::fuzz {

inline void Promise(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

}  // namespace gait::fuzz
