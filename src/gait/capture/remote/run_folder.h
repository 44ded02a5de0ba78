// RunFolder: a new run in TensorBoard's layout, DIR/plugins/profile/<time>, that goes away again when nothing
// came to be in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"

namespace gait::capture::remote {

class RunFolder {
 public:
  // Makes the folder and those above it; no two runs get the same. An error when that is not possible.
  static Result<RunFolder> Make(const std::string& log_dir);

  // Removes what Make made as far as it is empty.
  ~RunFolder();
  RunFolder(RunFolder&& other) noexcept = default;
  RunFolder& operator=(RunFolder&& other) noexcept = default;

  std::string path() const { return path_.string(); }
  std::string name() const { return path_.filename().string(); }
  std::string File(std::string_view name) const { return (path_ / name).string(); }

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_{};  // the innermost last
};

}  // namespace gait::capture::remote
