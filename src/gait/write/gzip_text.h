// GzipText: compresses text while the text is made. The whole text is never in memory.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace gait::write {

class GzipText {
 public:
  GzipText();
  ~GzipText();
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;

  void Add(std::string_view piece) {
    pending_ += piece;
    if (pending_.size() >= kPiece) Compress(Z_NO_FLUSH);
  }
  // The whole text as a gzip file. Nothing can be added afterwards.
  std::string Finish();

 private:
  static constexpr size_t kPiece = size_t{1} << 20;

  void Compress(int flush);

  z_stream stream_{};
  std::string pending_;
  std::string compressed_;
};

}  // namespace gait::write
