// Bytes: the whole content of a file, mapped where that is possible and read where it is not (standard input,
// FIFOs, compressed files). Move-only; the bytes stay valid and constant while it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait {

class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string owned) : owned_(std::move(owned)) {}
  Bytes(Bytes&& other) noexcept { *this = std::move(other); }
  Bytes& operator=(Bytes&& other) noexcept;
  ~Bytes();

  std::string_view view() const {
    return map_ ? std::string_view(map_, map_size_) : std::string_view(owned_);
  }

  // Says that a part of view() is not needed for now; a mapped file gives its pages back. Thread-safe, only a
  // hint.
  void Release(std::string_view part) const;

 private:
  friend Result<Bytes> MapFile(const std::string& path);

  std::string owned_;
  const char* map_ = nullptr;
  size_t map_size_ = 0;
};

// A file's content, unwrapped from gzip or zstd.
struct OpenedFile {
  Bytes bytes;
  std::string cut;  // why only the beginning of a compressed stream is here; empty when it is whole
};
Result<OpenedFile> OpenFile(const std::string& path);  // "-" is standard input
Result<OpenedFile> Unwrap(Bytes bytes, const std::string& name);

// Reads until `read` returns 0. `read(buffer, size)` behaves as read(2) does, negative for an error.
Result<std::string> ReadAll(const std::function<int64_t(char*, size_t)>& read, const std::string& name);

}  // namespace gait
