// Folders and the names in them. std::filesystem's iterators end the program when memory runs out; these
// functions throw std::bad_alloc.
#pragma once

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/limits.h"

namespace gait {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenedFolder = std::unique_ptr<DIR, CloseFolder>;

// Null, and errno, where the folder cannot be opened.
inline OpenedFolder OpenFolder(const std::string& folder) {
  OpenedFolder opened(::opendir(folder.c_str()));
  if (opened == nullptr && errno == ENOMEM) throw std::bad_alloc();
  return opened;
}

// The names without . and .., in no order, at most as many as the limit; empty where the folder cannot be
// read.
inline std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  const OpenedFolder opened = OpenFolder(folder.empty() ? "." : folder);
  while (const dirent* const entry = opened ? ::readdir(opened.get()) : nullptr) {
    if (names.size() >= limits::kMaxDirectoryEntries) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace gait
