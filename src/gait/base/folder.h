// The names in a folder. std::filesystem's iterators end the program when memory runs out; this function does
// not use them.
#pragma once

#include <dirent.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/limits.h"

namespace gait {

// The names without . and .., in no order, at most as many as the limit; empty where the folder cannot be
// read.
inline std::vector<std::string> NamesIn(const std::string& folder) {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> directory(::opendir(folder.empty() ? "." : folder.c_str()));
  while (const dirent* const entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (names.size() >= limits::kMaxDirectoryEntries) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace gait
