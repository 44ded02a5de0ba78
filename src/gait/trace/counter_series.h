// CounterSeries: a value over time, sampled: a GPU's power, a process's memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gait {

struct CounterSample {
  int64_t unix_ns = 0;
  double value = 0;
};

struct CounterSeries {
  std::string device;  // "GPU 0", "host"
  std::string name;    // with its unit: "power_watts"
  std::vector<CounterSample> samples;
};

}  // namespace gait
