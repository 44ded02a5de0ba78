// Bytes: the whole content of a file. The file is mapped where that is possible, else read (standard input,
// FIFOs, compressed files). Move-only; the bytes stay valid and constant while the object lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "gait/base/decompress.h"
#include "gait/base/file_map.h"
#include "gait/base/limits.h"
#include "gait/base/result.h"

namespace gait {

// Looks at the first limits::kHeadBytes of an input that is read and not mapped. An error ends the reading:
// input that is clearly no profile is not worth waiting for, and may have no end.
using HeadCheck = std::function<std::optional<Error>(std::string_view head)>;

// As read(2): up to `size` bytes, 0 at the end, negative for an error.
using ReadFunction = std::function<int64_t(char* buffer, size_t size)>;

class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::string owned, HeldMemory held = {})
      : owned_(std::move(owned)), held_(std::move(held)) {}
  explicit Bytes(FileMap map) : map_(std::move(map)) {}
  Bytes(Bytes&& other) noexcept { *this = std::move(other); }
  Bytes& operator=(Bytes&& other) noexcept;

  std::string_view view() const {
    if (map_) return map_->view();
    return read_ ? std::string_view(read_.get(), size_) : std::string_view(owned_);
  }

  // Says that a part of view() is not needed for now; a mapped file gives its pages back. Thread-safe, only a
  // hint.
  void Release(std::string_view part) const {
    if (map_) map_->Release(part);
  }
  // Whether the file was written to since: the bytes may then be a mix of old and new content. Only mapped
  // files tell.
  bool changed() const { return map_ && map_->changed(); }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  friend Result<Bytes> ReadAll(const ReadFunction& read, const std::string& name, const HeadCheck& check);

  // One of three holds the content: bytes that were handed over, bytes that were read, or a map.
  std::string owned_;
  std::unique_ptr<char, Free> read_;
  std::optional<FileMap> map_;
  size_t size_ = 0;  // of read_
  HeldMemory held_;  // of owned_ or read_
};

// A file's content, unwrapped from gzip or zstd.
struct OpenedFile {
  Bytes bytes;
  StreamCut cut;
  std::optional<time_t> modified{};  // of a regular file, when it was opened

  // It changed seconds ago: its writer may not be done.
  bool fresh() const;
};
struct OpenOptions {
  HeadCheck check = {};  // not asked about compressed input
  int fifo_wait_ms = limits::kFifoWaitMs;
  std::stop_token stop = {};  // nobody waits for it any more: reading ends with an error
};
Result<OpenedFile> OpenFile(const std::string& path, const OpenOptions& options = {});  // "-": standard input
Result<OpenedFile> Unwrap(Bytes bytes, const std::string& name);

// Reads until `read` returns 0, up to what MemoryLimit leaves. Takes no more memory than the input has
// bytes.
Result<Bytes> ReadAll(const ReadFunction& read, const std::string& name, const HeadCheck& check = {});

}  // namespace gait
