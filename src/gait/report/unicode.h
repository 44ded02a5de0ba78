// Text from files on its way to people. Names in a capture are bytes from anybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gait::report {

// One code point of a text. `valid` is false for a byte that is no UTF-8; the code point is then one byte
// long.
struct CodePoint {
  char32_t value = 0;
  uint8_t length = 1;
  bool valid = true;
};
CodePoint DecodeUtf8(std::string_view text);  // text must not be empty

// Cells of a terminal that a code point takes: 0 for combining marks, 2 for East Asian wide ones,
// otherwise 1.
int DisplayWidth(char32_t c);
size_t DisplayWidth(std::string_view text);

// The text with everything written out that could steer a terminal: control characters and bytes that are no
// UTF-8 (\x1b), and invisible direction marks (\u202e). The result is valid UTF-8 on one line.
std::string Printable(std::string_view text);

// The text as valid UTF-8: each bad byte becomes U+FFFD. Control characters stay.
std::string ValidUtf8(std::string_view text);

// At most `width` cells of a printable text, with an ellipsis in the middle. Of the cells beside the
// ellipsis, `head_share` comes from the front, the rest from the end. A text that fits is unchanged.
std::string CutMiddle(std::string_view text, size_t width, double head_share = 0.5);

// The same around a place in bytes: shows the word at the place and the text behind it; where there is room,
// also a little of the front and the end. Spaces in front stay.
std::string CutAround(std::string_view text, size_t place, size_t width, double head_share = 0.5);

}  // namespace gait::report
