// FileWriter: the one way in which gait makes a file. The file is there whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "gait/base/descriptor.h"
#include "gait/base/result.h"

namespace gait {

struct WriteOptions {
  uint64_t keep_free = 0;                           // bytes that must stay free on the file system
  std::function<void(double fraction)> progress{};  // of WriteFile; may be empty
  bool only_own = false;                            // only this user can read the file: a secret
};

// Writes to a file of a random name beside the final one; only this user can read the file. Commit makes sure
// that the content is on the disk, and only then renames the file. An existing file of the final name is
// replaced, and its mode stays (but for a secret). A symbolic link is followed. A target that is no regular
// file (a device, a pipe, /dev/stdout) is written to directly, and never replaced.
//
// Without Commit, or after an error, no file is left behind, and an existing file is unchanged. Errors hold
// the system's message and advice.
class FileWriter {
 public:
  // `size` is the number of bytes to come, as far as known: an error where they do not fit on the disk.
  static Result<FileWriter> Open(const std::string& path, uint64_t size = 0,
                                 const WriteOptions& options = {});
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Result<void> Write(std::string_view piece);
  Result<void> Commit();

 private:
  explicit FileWriter(std::string path) : path_(std::move(path)) {}
  std::unexpected<Error> Failed(int error) const;
  int CreatePartial();  // errno, or 0

  std::string path_;     // as it was asked for
  std::string target_;   // behind symbolic links; empty: written to directly
  std::string partial_;  // until Commit; empty: there is none
  Descriptor file_;
  bool only_own_ = false;
};

// Whether a path that somebody typed means standard output: "-", and whatever else leads there.
bool IsStandardOutput(const std::string& path);

// Writes all pieces at once, and commits.
Result<void> WriteFile(const std::string& path, std::initializer_list<std::string_view> content,
                       const WriteOptions& options = {});

}  // namespace gait
