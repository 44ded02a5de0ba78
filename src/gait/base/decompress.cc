#include "gait/base/decompress.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "gait/base/c_memory.h"

namespace gait {
namespace {

std::unexpected<Error> TooLarge(const std::string& name) {
  return Unreadable(fmt::format("{}: unpacks to more than {} MiB, the limit for content in memory", name,
                                MemoryLimit() >> 20),
                    "Unpack it first, for files are mapped; or allow more with --max-memory.");
}

// Grows the content by doubling without filling more than the new part, up to the limit.
bool Grow(Decompressed& out) {
  const size_t before = out.data.size();
  out.data.resize(out.held.Hold(std::max<size_t>(before * 2, size_t{1} << 20)));
  return out.data.size() > before;
}

// Deflate cannot do better; a trailer that says more is none.
constexpr size_t kMaxDeflateRatio = 1032;

// Zeros after the last stream: a tape or a disk image rounds sizes up.
bool IsPadding(std::string_view rest) {
  return std::ranges::all_of(rest, [](char c) { return c == 0; });
}

// One gzip member whose size its trailer tells: libdeflate does it at two to three times zlib's speed.
// Anything unusual (several members, a cut stream, a lying trailer) returns false and is left to zlib.
bool InflateWhole(std::string_view data, Decompressed& out) {
  if (data.size() < 18) return false;
  uint32_t size = 0;
  std::memcpy(&size, data.data() + data.size() - sizeof size, sizeof size);
  if (size == 0 || size / kMaxDeflateRatio > data.size() || out.held.Hold(size) < size) return false;
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      OrNoMemory(libdeflate_alloc_decompressor()), libdeflate_free_decompressor);
  out.data.resize(size);
  size_t used = 0;
  const auto result = libdeflate_gzip_decompress_ex(decompressor.get(), data.data(), data.size(),
                                                    out.data.data(), size, &used, nullptr);
  return result == LIBDEFLATE_SUCCESS && used == data.size();
}

Result<Decompressed> InflateStream(std::string_view data, const std::string& name) {
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  Decompressed result;
  size_t read = 0;
  size_t written = 0;
  while (true) {
    if (written == result.data.size() && !Grow(result)) return TooLarge(name);
    const size_t in = std::min<size_t>(data.size() - read, 1U << 30);
    const size_t out = std::min<size_t>(result.data.size() - written, 1U << 30);
    // zlib's interface predates const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(result.data.data() + written);
    stream.avail_out = static_cast<uInt>(out);
    const int code = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (code == Z_STREAM_END) {
      const std::string_view rest = data.substr(read);
      if (IsPadding(rest)) break;
      if (DetectCompression(rest) != Compression::kGzip) {
        result.cut = {fmt::format("the gzip stream ends at byte {}, what follows is something else", read),
                      true};
        break;
      }
      inflateReset(&stream);
    } else if (code == Z_BUF_ERROR || (code == Z_OK && read == data.size() && stream.avail_out > 0)) {
      result.cut.why = "the gzip stream ends early";
      break;
    } else if (code != Z_OK) {
      result.cut = {fmt::format("the gzip stream is damaged at byte {}", read), true};
      break;
    }
  }
  result.data.resize(result.held.Hold(written));
  return result;
}

Result<Decompressed> DecompressZstd(std::string_view data, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(OrNoMemory(ZSTD_createDStream()),
                                                                        ZSTD_freeDStream);
  Decompressed result;
  ZSTD_inBuffer in = {data.data(), data.size(), 0};
  size_t written = 0;
  size_t pending = 1;  // 0 between two frames
  // At the end of a frame zstd must not be asked again: it would announce the next one.
  while (pending != 0 || !IsPadding(data.substr(in.pos))) {
    if (written == result.data.size() && !Grow(result)) return TooLarge(name);
    ZSTD_outBuffer out = {result.data.data() + written, result.data.size() - written, 0};
    const size_t in_before = in.pos;
    pending = ZSTD_decompressStream(stream.get(), &out, &in);
    written += out.pos;
    if (ZSTD_getErrorCode(pending) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(pending)) {
      result.cut = {
          fmt::format("the zstd stream is damaged at byte {}: {}", in.pos, ZSTD_getErrorName(pending)), true};
      break;
    }
    if (in.pos == in.size && out.pos < out.size) break;
    if (in.pos == in_before && out.pos == 0) break;
  }
  if (result.cut.empty() && pending != 0) result.cut.why = "the zstd stream ends early";
  result.data.resize(result.held.Hold(written));
  return result;
}

}  // namespace

Compression DetectCompression(std::string_view data) {
  if (data.starts_with("\x1f\x8b\x08")) return Compression::kGzip;
  if (data.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  return Compression::kNone;
}

Result<Decompressed> Decompress(std::string_view data, Compression compression, const std::string& name) {
  if (compression == Compression::kNone) return Decompressed{std::string(data), {}};
  if (Decompressed whole; compression == Compression::kGzip && InflateWhole(data, whole)) return whole;
  GAIT_TRY(Decompressed result,
           compression == Compression::kGzip ? InflateStream(data, name) : DecompressZstd(data, name));
  if (result.data.empty() && !result.cut.empty()) {
    return Unreadable(fmt::format("{}: {}", name, result.cut.why), "Copy the file again, or capture again.");
  }
  return result;
}

}  // namespace gait
