// Copies between host and device as evidence, shared by the rules about them.
#pragma once

#include <vector>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

struct TransferPicture {
  std::vector<Evidence> evidence;       // the sites that cost most
  const TransferSite* worst = nullptr;  // null: none of the direction
  uint64_t pageable = 0;                // copies from or to memory that is not pinned
  bool every_step = false;              // the worst comes in every step with the same size
};

// A summary of the copies outside programs in one direction.
TransferPicture PictureOf(const Patient& patient, CopyKind kind);

// Claims the self time (the time that nothing hides) of operations that copy in this direction and belong to
// no program.
void ClaimCopies(const Patient& patient, Category category, Claims& claims);

}  // namespace gait::analyze
