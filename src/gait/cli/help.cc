#include "gait/cli/help.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>

#include "gait/report/text_layout.h"

namespace gait::cli {
namespace {

// The jobs in the order in which people have them.
constexpr std::array<std::string_view, 5> kJobs = {"capture", "look", "understand", "compare", "share"};
constexpr size_t kWidth = 80;
constexpr size_t kOptionWidth = 20;

std::string OptionHead(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string head = option.get_name(false, true);
  std::replace(head.begin(), head.end(), ',', ' ');
  // CLI11 writes what is checked behind the type.
  const std::string type = option.get_type_name();
  if (option.get_type_size() > 0) head += " " + type.substr(0, type.find(':'));
  return head;
}

std::string Line(const std::string& head, const std::string& text) {
  const std::string indent(kOptionWidth + 4, ' ');
  std::string lines = report::Wrap(text, kWidth, indent);
  if (head.size() > kOptionWidth || lines.empty()) return fmt::format("  {}\n{}", head, lines);
  return lines.replace(0, indent.size(), fmt::format("  {:{}}  ", head, kOptionWidth));
}

}  // namespace

std::string VerbList(std::span<const std::unique_ptr<Verb>> verbs) {
  std::string out = "gait reads profiles of JAX and XLA programs and says where a step's time went.\n";
  size_t longest = 0;
  for (const auto& verb : verbs) longest = std::max(longest, verb->help().name.size());
  for (const std::string_view job : kJobs) {
    bool first = true;
    for (const auto& verb : verbs) {
      if (verb->help().job != job) continue;
      if (first) out += fmt::format("\n  {}\n", job);
      first = false;
      out += fmt::format("    {:<{}}  {}\n", verb->help().name, longest, verb->help().summary);
    }
  }
  out +=
      "\nA run is given as a file, a run folder, a log directory (its newest run),\n"
      "DIR@2 (its second newest) or a run's name. gait VERB --help says more.\n";
  return out;
}

std::string VerbHelpText(const VerbHelp& help, const CLI::App& app) {
  std::string out = report::Wrap(help.sentence, kWidth) + "\n";
  for (const std::string_view example : help.examples) out += fmt::format("  {}\n", example);
  std::vector<std::string> groups;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    const bool shown = !group.empty();
    if (shown && std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  for (const std::string& group : groups) {
    out += fmt::format("\n{}\n", group);
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() == group) out += Line(OptionHead(*option), option->get_description());
    }
  }
  return out;
}

}  // namespace gait::cli
