// What the reports call the work of a host event: each has an enumeration of its own, a projection of
// HostWork. docs/metrics/host_words.md has the same table, and what each report makes of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "gait/analyze/host/host_part.h"
#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/host/path_class.h"
#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {

struct Projection {
  HostWork work;
  HostPart part;    // of the time of the thread that runs the loop
  IdleCause cause;  // of a device that has nothing to do meanwhile
  PathClass path;   // on the critical path
};

inline constexpr auto kProjections = std::to_array<Projection>({
    {HostWork::kCompile, HostPart::kCompile, IdleCause::kCompile, PathClass::kCompile},
    {HostWork::kPeer, HostPart::kWait, IdleCause::kPeer, PathClass::kCommunication},
    {HostWork::kCallback, HostPart::kDispatch, IdleCause::kCallback, PathClass::kHost},
    {HostWork::kInput, HostPart::kFetch, IdleCause::kInput, PathClass::kInput},
    {HostWork::kStaging, HostPart::kToDevice, IdleCause::kStaging, PathClass::kInput},
    {HostWork::kSync, HostPart::kWait, IdleCause::kHostSync, PathClass::kHostSync},
    {HostWork::kAllocator, HostPart::kDispatch, IdleCause::kAllocator, PathClass::kHost},
    {HostWork::kCollect, HostPart::kCollect, IdleCause::kDispatch, PathClass::kHost},
    {HostWork::kDispatch, HostPart::kDispatch, IdleCause::kDispatch, PathClass::kHost},
    {HostWork::kNone, HostPart::kNone, IdleCause::kDispatch, PathClass::kHost},
});
static_assert(std::ranges::is_sorted(kProjections, {}, &Projection::work));
static_assert(kProjections.size() == static_cast<size_t>(HostWork::kNone) + 1);

constexpr const Projection& ProjectionOf(HostWork work) { return kProjections[static_cast<size_t>(work)]; }

}  // namespace gait::analyze
