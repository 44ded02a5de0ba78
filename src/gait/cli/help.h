// The help texts: the list of verbs, and one verb with its options in groups.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gait/cli/verb.h"

namespace gait::cli {

// The text of `gait` without a verb.
std::string VerbList(std::span<const std::unique_ptr<Verb>> verbs);

// The text of `gait VERB --help`. `app` is the verb's subcommand.
std::string VerbHelpText(const VerbHelp& help, const CLI::App& app);

}  // namespace gait::cli
