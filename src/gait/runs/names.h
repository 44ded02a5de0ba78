// The meaning of file and folder names in a log directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gait/runs/run.h"

namespace gait::runs {

// The kind of a file beside the captures; nullopt for files that do not matter, such as XProf's caches.
std::optional<BesideKind> BesideOfFileName(std::string_view name);

// The Unix time of a folder name YYYY_MM_DD_HH_MM_SS, which is in local time.
std::optional<int64_t> TimeOfRunName(std::string_view name);

// "step_9" before "step_10".
bool NaturallyBefore(const std::string& a, const std::string& b);

// Replaces "~" and "~user" at the beginning by the home directory, where that is known.
std::string ExpandHome(const std::string& path);

// "a/b" with one slash between the two.
std::string JoinPath(std::string_view directory, std::string_view name);
std::string_view BaseName(std::string_view path);
std::string_view DirectoryOf(std::string_view path);  // "." for a plain name

// The folder as its path below `root`, without the two folders that say nothing: "a/run" for
// "root/a/plugins/profile/run". The folder's own name where it is the root.
std::string LabelOf(std::string_view root, std::string_view folder);

// The folder of TensorBoard's layout that holds the run and those beside it (.../plugins/profile); empty
// where the run lies in none.
std::string_view FolderOfCaptures(std::string_view run_path);

}  // namespace gait::runs
