// The web app's files, which are embedded in the program (cmake/embed.py).
#pragma once

#include <span>
#include <string_view>

namespace gait::serve {

struct Asset {
  std::string_view path;  // "/index.html"
  std::string_view type;  // media type
  std::string_view content;
  std::string_view gzip;  // the same compressed; empty: not worth it
  bool immutable;         // the path holds a hash of the content
};

// The files sorted by path; empty when the app was not built.
std::span<const Asset> Assets();

}  // namespace gait::serve
