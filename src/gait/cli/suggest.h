// Suggest: the word that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gait::cli {

// The nearest of the known words, or empty when no word is within two changed letters (one for short words,
// and for the begin of a long word).
std::string_view Suggest(std::string_view typed, std::span<const std::string_view> known);

}  // namespace gait::cli
