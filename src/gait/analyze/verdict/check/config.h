// gait.toml: the limits of a project.
//
//   [check]
//   limits = ["step_time < 12ms", "device_busy > 80%"]
//   mfu = "> 30%"
//   baseline = "runs/main"
//   max_slower = "3%"
//
// The parser reads tables, keys, strings, numbers and arrays of strings of TOML. It ignores tables other than
// [check]. A file without [check] is an error, and so is a key outside of tables: a limit that nobody reads
// would let everything pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"

namespace gait::analyze {

struct CheckConfig {
  std::vector<std::string> limits{};
  std::string baseline{};
  std::string max_slower{};
};

// An error with the line for text that cannot be read, and for unknown keys of [check].
Result<CheckConfig> ParseConfig(std::string_view text, std::string_view file);

}  // namespace gait::analyze
