#include "gait/serve/compress.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "gait/base/c_memory.h"

namespace gait::serve {
namespace {

constexpr size_t kWorthIt = 1024;
constexpr int kGzipLevel = 1;
constexpr int kZstdLevel = 1;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// "gzip;q=0.5": the name, and whether it is wanted at all.
bool Accepts(std::string_view accept, std::string_view wanted) {
  while (!accept.empty()) {
    const size_t comma = std::min(accept.find(','), accept.size());
    std::string_view item = Trim(accept.substr(0, comma));
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    const size_t semicolon = std::min(item.find(';'), item.size());
    if (Trim(item.substr(0, semicolon)) != wanted) continue;
    const std::string_view rest = Trim(item.substr(std::min(semicolon + 1, item.size())));
    if (!rest.starts_with("q=")) return true;
    return std::strtod(std::string(rest.substr(2)).c_str(), nullptr) > 0;
  }
  return false;
}

std::string Gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      OrNoMemory(libdeflate_alloc_compressor(kGzipLevel)), libdeflate_free_compressor);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), kZstdLevel);
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

}  // namespace

bool AcceptsGzip(std::string_view accept) { return Accepts(Lower(accept), "gzip"); }

Encoding ChooseEncoding(std::string_view accept) {
  const std::string lower = Lower(accept);
  if (Accepts(lower, "zstd")) return Encoding::kZstd;
  if (Accepts(lower, "gzip")) return Encoding::kGzip;
  return Encoding::kNone;
}

std::string_view Name(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip:
      return "gzip";
    case Encoding::kZstd:
      return "zstd";
    case Encoding::kNone:
      return "";
  }
  return "";
}

std::string Compress(std::string_view text, Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip:
      return Gzip(text);
    case Encoding::kZstd:
      return Zstd(text);
    case Encoding::kNone:
      return std::string(text);
  }
  return std::string(text);
}

void CompressReply(Reply& reply, Encoding encoding) {
  if (encoding == Encoding::kNone || reply.encoding != Encoding::kNone || reply.stream ||
      reply.body->size() < kWorthIt) {
    return;
  }
  std::string packed = Compress(*reply.body, encoding);
  if (packed.empty() || packed.size() >= reply.body->size()) return;
  reply.body = std::make_shared<const std::string>(std::move(packed));
  reply.encoding = encoding;
}

}  // namespace gait::serve
