// TracerOptions: the options of JAX's profiler: what it records, and how much.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gait/base/result.h"

namespace gait::capture::remote {

// One key of ProfileOptions.advanced_configuration.
struct AdvancedOption {
  std::string key;
  std::variant<bool, int64_t, std::string> value;

  std::string Text() const;  // "gpu_max_activity_api_events=100"

  friend bool operator==(const AdvancedOption&, const AdvancedOption&) = default;
};

struct TracerOptions {
  int host = 2;         // 0: none, 1: annotations, 2: the runtime's too, 3: everything
  int device = 1;       // 0 or 1
  bool python = false;  // every Python call: slows the program down and fills the capture
  std::vector<AdvancedOption> advanced{};

  friend bool operator==(const TracerOptions&, const TracerOptions&) = default;
};

// The known keys.
std::vector<std::string_view> AdvancedKeys();

// "KEY=VALUE". A usage error for a key that the profiler does not know, and for a value of another type: with
// either, the profiler drops all events of the GPU without a word.
Result<AdvancedOption> ParseAdvancedOption(std::string_view text);

}  // namespace gait::capture::remote
