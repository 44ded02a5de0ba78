#include "gait/read/registry/registry.h"

#include <array>

#include "gait/read/xplane/format.h"

namespace gait::read {
namespace {

constexpr std::array kFormats = {&xplane::kFormat};

}  // namespace

std::span<const Format* const> Formats() { return kFormats; }

std::optional<NamedFile> FileOfName(std::string_view name) {
  std::string_view plain = name;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (plain.size() == name.size() && plain.ends_with(packed)) plain.remove_suffix(packed.size());
  }
  for (const Format* format : Formats()) {
    if (plain.size() > format->ending.size() && plain.ends_with(format->ending))
      return NamedFile{plain.substr(0, plain.size() - format->ending.size()), format};
  }
  return std::nullopt;
}

const Format& FormatOf(std::string_view path) {
  const auto file = FileOfName(path.substr(path.rfind('/') + 1));
  return file ? *file->format : *Formats().front();
}

}  // namespace gait::read
