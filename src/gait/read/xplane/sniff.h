// Describes a file that is not an XPlane, in words that a person can act on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::xplane {

// An error for content that is recognisably something else (empty, HTML, a Git LFS pointer, JSON, an archive,
// text) or an XPlane damaged by a text conversion; nullopt when it may be one.
std::optional<Error> RecogniseOther(std::string_view content, const std::string& name);

// The same for input of which only the first bytes are there yet: input that cannot become a profile may have
// no end.
std::optional<Error> RecogniseByHead(std::string_view head, const std::string& name);

// Content of which nothing was written yet: none, or nothing but zero bytes.
bool IsUnwritten(std::string_view content);

// The error for content that passed RecogniseOther and still held no plane, or no plane with a readable name.
Error NotAnXPlane(const std::string& name, std::string_view trouble, bool has_planes);

}  // namespace gait::xplane
