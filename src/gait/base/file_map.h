// FileMap: a file mapped for reading that stays readable when its writer shortens it. The missing part then
// reads as zeros, and changed() is true.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace gait {

class FileMap {
 public:
  // nullopt where the file cannot be mapped and has to be read.
  static std::optional<FileMap> Open(int fd, const struct stat& info);

  FileMap(FileMap&& other) noexcept { *this = std::move(other); }
  FileMap& operator=(FileMap&& other) noexcept;
  ~FileMap();

  std::string_view view() const { return {data_, size_}; }

  // Says that a part of view() is not needed for now, and gives its pages back. Thread-safe, only a hint.
  void Release(std::string_view part) const;

  // Whether the file was written to since it was opened.
  bool changed() const;

 private:
  FileMap() = default;

  const char* data_ = nullptr;
  size_t size_ = 0;
  int fd_ = -1;
  int slot_ = -1;  // where the handler of faults finds it
  struct timespec modified_ = {};
};

}  // namespace gait
