// Compressed bytes for tests. Not part of the product.
#pragma once

#include <string>
#include <string_view>

namespace gait::testing_support {

std::string Gzip(std::string_view content);
std::string Zstd(std::string_view content);

}  // namespace gait::testing_support
