#include "gait/html_report/answers.h"

#include <libdeflate.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "gait/base/c_memory.h"
#include "gait/report/json.h"

namespace gait::html_report {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of a report are little-endian");

// The file is written once and sent often: as small as it gets.
constexpr int kLevel = 9;

std::string Gzip(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      OrNoMemory(libdeflate_alloc_compressor(kLevel)), libdeflate_free_compressor);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

void Pad(std::string& bytes) { bytes.resize((bytes.size() + 7) / 8 * 8, ' '); }

}  // namespace

void Answers::Add(std::string question, std::string answer) {
  answers_.emplace_back(std::move(question), std::move(answer));
}

std::string Answers::Pack() const {
  std::string index = "[";
  for (const auto& [question, answer] : answers_) {
    index +=
        fmt::format("{}[{},{}]", index.size() > 1 ? "," : "", report::JsonString(question), answer.size());
  }
  index += "]";
  const auto length = static_cast<uint32_t>(index.size());
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  bytes += index;
  for (const auto& [question, answer] : answers_) {
    Pad(bytes);
    bytes += answer;
  }
  return Base64(Gzip(bytes));
}

std::string Base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr uint32_t kDigit = 63;
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = i; k < i + 3; ++k) {
      three = three << 8 | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    }
    for (int digit = 0; digit < 4; ++digit) {
      const bool beyond = i + static_cast<size_t>(digit) > bytes.size();
      out += beyond ? '=' : kDigits[three >> (18 - 6 * digit) & kDigit];
    }
  }
  return out;
}

}  // namespace gait::html_report
