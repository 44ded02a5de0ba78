// Programs that link failing_new.cc have an operator new that can be made to fail.
#pragma once

#include <cstdint>

namespace gait::testing {

// The n-th allocation from now on fails, once; 0: none does.
void FailAllocation(int64_t n);
// Since the last FailAllocation.
int64_t Allocations();

}  // namespace gait::testing
