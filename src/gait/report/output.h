// Output: the target of a report. Collects small pieces and remembers the first failure, so that renderers
// need not check every write. A full disk is an error; a closed pipe ends the writing without an error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::report {

class Output {
 public:
  // Writes to a file descriptor, which stays open.
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  // Collects in memory: see text().
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view piece) {
    buffer_ += piece;
    if (descriptor_ >= 0 && buffer_.size() >= kBuffer) Flush();
  }
  void Flush();

  // False once nothing more can be written: row sources may stop.
  bool open() const { return error_ == 0; }
  // The first failure in words. A pipe that its reader closed (`| head`) is no failure.
  Result<void> Finish();

  const std::string& text() const { return buffer_; }

 private:
  static constexpr size_t kBuffer = size_t{64} << 10;

  int descriptor_ = -1;
  int error_ = 0;  // errno
  std::string buffer_;
};

}  // namespace gait::report
