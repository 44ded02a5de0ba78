// The details of a slice's name: category and class (for colours), scope and operation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/device/work_class.h"
#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/timeline/tracks.h"

namespace gait::timeline {

struct NameDetails {
  std::string_view category;  // "matmul", "input", ...
  SliceClass slice_class = SliceClass::kHost;
  std::string scope;        // "jit(train_step)/jvp/layer_0/attention"; empty: none
  std::string operation;    // "fusion.12"; empty: it executes none
  uint64_t program_id = 0;  // of the operation
};

// Made from the capture's traces; O(argument sets + names + instructions). Thread-safe.
class NameDescriber {
 public:
  explicit NameDescriber(const Timeline& timeline);

  // `track` is the track of the name's example.
  NameDetails Describe(const SliceName& name, const TimelineTrack& track) const;

 private:
  std::vector<std::unique_ptr<analyze::WorkClasses>> classes_;  // by host
  std::map<const Program*, analyze::ProgramScopes> scopes_;
};

// Whether the slices of the track are device work.
bool IsDeviceWork(const TimelineTrack& track);
// Whether slices of one name on both tracks are of one kind. In captures without CUDA graphs a kernel and the
// call that launches it have the same name, but are of different kinds.
bool AreAlike(const TimelineTrack& a, const TimelineTrack& b);

}  // namespace gait::timeline
