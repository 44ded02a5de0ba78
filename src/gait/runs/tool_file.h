// Tool files: files that TensorBoard and XProf leave beside captures. Tool files hold results, not events.
// The bytes of some look like a capture or a memory profile; only their names tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::runs {

// "TensorBoard's overview page" of "vm.overview_page.pb"; nullopt for a name that may be a capture's.
std::optional<std::string> ToolOfFileName(std::string_view name);

// For a file with such a name: its kind, and the file to open instead. Looks into the file's folder.
std::optional<Error> RecogniseToolFile(const std::string& path);

}  // namespace gait::runs
