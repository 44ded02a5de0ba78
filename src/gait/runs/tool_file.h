// Tool files: what TensorBoard and XProf leave beside captures. They hold results, not events, and some of
// them look like a capture or a memory profile to whoever goes by their bytes alone: their names tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::runs {

// "TensorBoard's overview page" of "vm.overview_page.pb"; nullopt for a name that may be a capture's.
std::optional<std::string> ToolOfFileName(std::string_view name);

// For a file with such a name: what it is, and which file to open instead. Looks into its folder.
std::optional<Error> RecogniseToolFile(const std::string& path);

}  // namespace gait::runs
