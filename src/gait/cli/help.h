// The help texts: the list of verbs, and one verb with its options in groups.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gait/cli/verb.h"

namespace gait::cli {

// What `gait` alone says.
std::string VerbList(std::span<const std::unique_ptr<Verb>> verbs);

// What `gait VERB --help` says. `app` is the verb's subcommand.
std::string VerbHelpText(const VerbHelp& help, const CLI::App& app);

}  // namespace gait::cli
