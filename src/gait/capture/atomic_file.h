// WriteAtomically: a file is there whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::capture {

struct WriteOptions {
  uint64_t keep_free = 0;                           // bytes that must stay free on the file system
  std::function<void(double fraction)> progress{};  // may be empty
};

// Writes `content`, piece after piece, beside `path`, makes sure that it is on the disk, and only then gives
// it its name; a file of that name is replaced. After an error nothing is left behind, and the name is as it
// was. The error says what the system said, and what to do about it.
Result<void> WriteAtomically(const std::string& path, std::initializer_list<std::string_view> content,
                             const WriteOptions& options = {});

}  // namespace gait::capture
