#include "gait/read/xplane/sniff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "gait/base/wire.h"

namespace gait::xplane {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD in UTF-8
constexpr size_t kSample = 256 << 10;
constexpr size_t kFields = 1000;  // looked at to tell messages apart

// A binary file saved as text has every byte that is no UTF-8 replaced. In an intact profile the sequence
// hardly occurs; in a mangled one it makes up a good part of the file.
bool IsMangled(std::string_view content) {
  const std::string_view sample = content.substr(0, kSample);
  size_t count = 0;
  for (size_t at = sample.find(kReplacement); at != std::string_view::npos;
       at = sample.find(kReplacement, at + 3)) {
    ++count;
  }
  return count >= 4 && count * 3 * 200 > sample.size();
}

bool IsMangledLineEnds(std::string_view content) {
  const std::string_view sample = content.substr(0, kSample);
  size_t ends = 0;
  for (size_t at = sample.find('\n'); at != std::string_view::npos; at = sample.find('\n', at + 1)) {
    if (at == 0 || sample[at - 1] != '\r') return false;
    ++ends;
  }
  return ends >= 16;
}

// Bytes of the UTF-8 character that `text` begins with; 0 when it is none.
size_t CharacterLength(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (size_t i = 1; i < std::min(length, text.size()); ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// Lengths and numbers of a profile are bytes above 127 that make no characters: where there are many such
// bytes and all of them are characters, a text tool took each byte for one.
bool IsMangledToCharacters(std::string_view content) {
  std::string_view rest = content.substr(0, kSample);
  size_t beyond_ascii = 0;
  while (!rest.empty()) {
    const size_t length = CharacterLength(rest);
    if (length == 0) return false;
    beyond_ascii += length > 1;
    rest.remove_prefix(std::min(length, rest.size()));
  }
  return beyond_ascii >= 64;
}

// Binary data may hold a few bytes that look like text: it takes at least four, all UTF-8, none of control.
bool IsText(std::string_view content) {
  std::string_view rest = content.substr(0, 4096);
  const bool sampled = rest.size() < content.size();
  if (content.size() < 4) return false;
  while (!rest.empty()) {
    const size_t length = CharacterLength(rest);
    if (length == 0) return false;
    if (length > rest.size()) return sampled;
    if (static_cast<uint8_t>(rest[0]) < 0x20 &&
        std::string_view("\t\n\v\f\r").find(rest[0]) == std::string_view::npos)
      return false;
    rest.remove_prefix(length);
  }
  return true;
}

std::string_view SkipSpace(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

struct Magic {
  std::string_view prefix;
  std::string_view what;
  std::string_view hint;
};

using namespace std::string_view_literals;
constexpr Magic kMagic[] = {
    {"\xfd"
     "7zXZ\0"sv,
     "xz-compressed", "Unpack it first: xz -dc {} > unpacked.xplane.pb"},
    {"PK\x03\x04"sv, "a zip archive", "Unpack it first and pass the .xplane.pb inside."},
    {"BZh"sv, "bzip2-compressed", "Unpack it first: bunzip2 -c {} > unpacked.xplane.pb"},
    {"\x1f\x8b"sv, "compressed twice", "Unpack it once: gunzip -c {} > once.xplane.pb.gz"},
    {"\x7f"
     "ELF"sv,
     "a program, not a profile", ""},
    {"SQLite format 3"sv, "an SQLite database (Nsight Systems exports look like this)",
     "gait reads XPlane files."},
    {"\x89PNG"sv, "a picture", ""},
    {"PAR1"sv, "a Parquet table", "gait reads XPlane files."},
};

// A plane has a number and then its name.
bool IsNamedPlane(std::string_view message) {
  FieldWalker fields(message);
  for (size_t i = 0; i < 4 && fields.Next(); ++i) {
    if (fields.number() == 1 && fields.is_bytes()) return false;  // the name of an HLO module
    if (fields.number() == 2) return fields.is_bytes();
  }
  return false;
}

// Whatever follows, it is a capture: perhaps a damaged one, of which the rest can be read.
bool HasNamedPlane(std::string_view content) {
  FieldWalker fields(content);
  for (size_t i = 0; i < kFields && fields.Next(); ++i) {
    if (fields.number() == 1 && fields.is_bytes() && IsNamedPlane(fields.bytes())) return true;
  }
  return false;
}

// Fields that nobody knows yet and names that are hard to read make it nothing else.
bool IsWholeCapture(std::string_view content) {
  FieldWalker fields(content);
  for (size_t i = 0; i < kFields && fields.Next(); ++i) {
    if (fields.cut()) return false;
  }
  return fields.position() == content.size() && fields.trouble().empty() && HasNamedPlane(content);
}

// Profiles of memory (pprof) have functions and a table of strings where a capture has no field at all. The
// first of the strings is empty in each; TensorBoard's input pipeline analysis has messages in both places.
bool IsHeapProfile(std::string_view content) {
  FieldWalker fields(content);
  bool function = false;
  std::optional<bool> empty_text;
  for (size_t i = 0; i < kFields && fields.Next(); ++i) {
    function |= fields.number() == 5 && fields.is_bytes();
    if (fields.number() == 6 && fields.is_bytes() && !empty_text) empty_text = fields.bytes().empty();
  }
  return function && empty_text.value_or(false);
}

// A capture's planes begin with a number; the module of an HLO proto with its name.
bool IsHloProto(std::string_view content) {
  FieldWalker fields(content);
  if (!fields.Next() || fields.number() != 1 || !fields.is_bytes()) return false;
  FieldWalker module(fields.bytes());
  bool name = false;
  bool computation = false;
  for (size_t i = 0; i < kFields && module.Next(); ++i) {
    if (module.number() == 1 && !module.is_bytes()) return false;
    name |= module.number() == 1;
    computation |= module.number() == 3 && module.is_bytes();
  }
  return name && computation;
}

bool IsWebPage(std::string_view text) {
  std::string begin(text.substr(0, 16));
  std::ranges::transform(begin, begin.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      std::to_array<std::string_view>({"<!doctype", "<html", "<?xml", "<!--", "<head", "<body"}),
      [&](std::string_view known) { return begin.starts_with(known); });
}

Error Make(const std::string& name, std::string_view what, std::string_view hint) {
  return {ErrorKind::kUnreadable, fmt::format("{}: not an XPlane file: {}", name, what), std::string(hint)};
}

}  // namespace

bool IsUnwritten(std::string_view content) {
  return std::ranges::all_of(content.substr(0, 4096), [](char c) { return c == 0; });
}

std::optional<Error> RecogniseOther(std::string_view content, const std::string& name) {
  if (content.empty()) {
    return Error{
        ErrorKind::kUnreadable, fmt::format("{}: the file is empty", name),
        "The profiler writes an empty file when a capture exceeds 2 GiB or the process dies while writing. "
        "Capture fewer steps."};
  }
  if (IsWholeCapture(content)) return std::nullopt;
  if (IsUnwritten(content)) {
    return Make(name, "it holds nothing but zero bytes",
                "The disk was full or the writer died. Capture again.");
  }
  for (const Magic& magic : kMagic) {
    if (content.starts_with(magic.prefix))
      return Make(name, magic.what, fmt::format(fmt::runtime(magic.hint), name));
  }
  if (content.substr(0, 512).find("ustar", 257) == 257)
    return Make(name, "a tar archive", "Unpack it first and pass the .xplane.pb inside.");
  if (IsHeapProfile(content) && !HasNamedPlane(content)) {
    return Make(name, "it is a device memory profile", fmt::format("Look at it with: gait memory {}", name));
  }
  if (IsHloProto(content)) {
    return Make(name, "it is an HLO program without a capture",
                "Put it beside a .xplane.pb file; gait hlo shows it then.");
  }
  const std::string_view text = SkipSpace(content.substr(0, 4096));
  if (text.starts_with("version https://git-lfs")) {
    return Make(name, "it is a Git LFS pointer, the data itself was not fetched", "Run: git lfs pull");
  }
  if (IsWebPage(text)) {
    return Make(name, "it is a web page, as when a download link led to a login or an error",
                "Download the file again and look at its size.");
  }
  if (IsMangled(content)) {
    return Make(name, "bytes were replaced by U+FFFD, as when a binary file is saved as text",
                "Copy it again in binary mode, or capture again.");
  }
  if (IsMangledLineEnds(content)) {
    return Make(name,
                "every line feed is preceded by a carriage return, as when a binary file is copied as text",
                "Copy it again in binary mode, or capture again.");
  }
  if ((text.starts_with("{") || text.starts_with("[")) && IsText(content)) {
    return Make(name, "it is JSON (a Chrome or Perfetto trace?)",
                "Pass the .xplane.pb that lies beside it: it holds more.");
  }
  if (IsText(content))
    return Make(name, "it is a text file", "Pass a .xplane.pb file or the folder above it.");
  if (IsMangledToCharacters(content)) {
    return Make(name, "all of it is UTF-8, as when a binary file is saved as text",
                "Copy it again in binary mode, or capture again.");
  }
  return std::nullopt;
}

std::optional<Error> RecogniseByHead(std::string_view head, const std::string& name) {
  if (std::optional<Error> other = RecogniseOther(head, name)) return other;
  if (HasNamedPlane(head)) return std::nullopt;
  constexpr uint32_t kMostFields = 15;  // more than an XSpace will ever have
  FieldWalker fields(head);
  bool strange = false;
  while (!strange && fields.Next()) strange = fields.number() > kMostFields;
  if (!strange && (fields.trouble().empty() || fields.ends_early())) return std::nullopt;
  const std::string_view trouble = strange ? "an impossible field" : fields.trouble();
  return NotAnXPlane(name, fmt::format("{} at byte {}", trouble, fields.position()), false);
}

Error NotAnXPlane(const std::string& name, std::string_view trouble, bool has_planes) {
  const std::string what = !trouble.empty() ? fmt::format("no plane could be read ({})", trouble)
                           : has_planes     ? "no plane has a readable name"
                                            : "it has no planes";
  return Make(name, what, "Pass a .xplane.pb file written by JAX, TensorFlow or PyTorch/XLA.");
}

}  // namespace gait::xplane
