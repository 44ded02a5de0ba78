// MutateXSpace: valid wire, wrong meaning. Takes an XPlane file apart, changes one of its fields as a damaged
// or hostile profiler might (a time, a count, an id, a name, a whole message twice, elsewhere or not at all),
// and puts it together again. Deeper than bytes that are turned over at random: almost all of those end in
// the wire format.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gait::fuzz {

// For LLVMFuzzerCustomMutator: the new size. What is no XPlane file, and every fourth time anything, is
// changed by bytes.
size_t MutateXSpace(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

}  // namespace gait::fuzz
