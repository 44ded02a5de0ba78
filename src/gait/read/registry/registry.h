// The formats that gait reads, and the one that a file has.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gait/read/format/format.h"

namespace gait::read {

std::span<const Format* const> Formats();

// A file by its name: "vm" and XPlane of "vm.xplane.pb.gz".
struct NamedFile {
  std::string_view stem;
  const Format* format;
};
std::optional<NamedFile> FileOfName(std::string_view name);

// The format that the file's name tells, else the first: its reader says what other files look like.
const Format& FormatOf(std::string_view path);

}  // namespace gait::read
