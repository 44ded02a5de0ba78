// The parts that gait takes from an instruction's backend_config: free text of the compiler's backend, mostly
// JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/program.h"

namespace gait::hlo {

struct BackendConfig {
  std::optional<int64_t> trip_count;   // of a while loop
  std::optional<DotDimensions> dot;    // of a cuBLAS call
  std::string epilogue;                // of a cuBLAS call: "DEFAULT", "BIAS", "GELU_AUX", ...
  double beta = 0;                     // of a cuBLAS call: not 0 when it adds to a third operand
  std::vector<int64_t> scores;         // of a fused attention: dimensions of queries times keys
  std::optional<double> stated_flops;  // of a Pallas kernel, as its author estimated them
};

// Parses any number of texts and keeps its buffers between them. Not thread-safe.
class BackendConfigParser {
 public:
  BackendConfigParser();
  ~BackendConfigParser();
  BackendConfigParser(const BackendConfigParser&) = delete;
  BackendConfigParser& operator=(const BackendConfigParser&) = delete;

  // Never fails. Where the text is not JSON, nests deeper than limits::kMaxJsonDepth or has other types than
  // expected, the configuration lacks these parts. Linear in the text.
  BackendConfig Parse(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gait::hlo
