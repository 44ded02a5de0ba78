// RunFolder: the folder of a new run in TensorBoard's layout, DIR/plugins/profile/<time>. An empty folder is
// removed again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"

namespace gait::capture::remote {

class RunFolder {
 public:
  // Makes the folder and the folders above it. No two runs get the same folder. An error when that is not
  // possible.
  static Result<RunFolder> Make(const std::string& log_dir);

  // Removes the folders that Make made, as far as they are empty.
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
