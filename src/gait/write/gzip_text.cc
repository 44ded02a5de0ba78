#include "gait/write/gzip_text.h"

#include <new>
#include <utility>

namespace gait::write {

GzipText::GzipText() {
  constexpr int kLevel = 3;         // three times as fast as the default for a tenth more bytes
  constexpr int kWindow = 15 + 16;  // the largest, with a gzip header
  constexpr int kMemory = 8;
  if (::deflateInit2(&stream_, kLevel, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipText::~GzipText() { ::deflateEnd(&stream_); }

void GzipText::Compress(int flush) {
  stream_.next_in = reinterpret_cast<Bytef*>(pending_.data());
  stream_.avail_in = static_cast<uInt>(pending_.size());
  int status = Z_OK;
  do {
    const size_t done = compressed_.size();
    const size_t room = ::deflateBound(&stream_, stream_.avail_in) + 64;
    compressed_.resize(done + room);
    stream_.next_out = reinterpret_cast<Bytef*>(compressed_.data() + done);
    stream_.avail_out = static_cast<uInt>(room);
    status = ::deflate(&stream_, flush);
    compressed_.erase(done + room - stream_.avail_out);
  } while (stream_.avail_in > 0 || (flush == Z_FINISH && status == Z_OK));
  pending_.clear();
}

std::string GzipText::Finish() {
  Compress(Z_FINISH);
  return std::move(compressed_);
}

}  // namespace gait::write
