#include "gait/cli/app.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "gait/base/memory_limit.h"
#include "gait/cli/exit_code.h"
#include "gait/cli/help.h"
#include "gait/cli/licenses.h"
#include "gait/cli/render.h"
#include "gait/cli/suggest.h"
#include "gait/cli/verb.h"
#include "gait/report/output.h"
#include "gait/report/terminal.h"
#include "gait/report/text_layout.h"
#include "gait/report/unicode.h"

namespace gait::cli {
namespace {

std::vector<std::unique_ptr<Verb>> AllVerbs() {
  std::vector<std::unique_ptr<Verb>> all;
  all.push_back(MakeRunVerb());
  all.push_back(MakeCaptureVerb());
  all.push_back(MakeListVerb());
  all.push_back(MakeInfoVerb());
  all.push_back(MakeViewVerb());
  for (const verbs::ViewVerb& verb : verbs::ViewVerbs()) {
    all.push_back(verb.help.name == "memory" ? MakeMemoryVerb() : MakeQuestionVerb(verb));
    if (verb.help.name == "overview") all.push_back(MakeDoctorVerb());
  }
  all.push_back(MakeDiffVerb());
  all.push_back(MakeCheckVerb());
  all.push_back(MakeScaleVerb());
  all.push_back(MakeReportVerb());
  all.push_back(MakeDumpVerb());
  all.push_back(MakeHloVerb());
  return all;
}

int Fail(const Error& error) {
  std::string text = fmt::format("gait: {}\n", report::Printable(error.what));
  const size_t width = ::isatty(STDERR_FILENO) == 1 ? report::TerminalWidth(STDERR_FILENO) : 0;
  if (!error.hint.empty()) text += report::Wrap(report::Printable(error.hint), width, "      ");
  std::fputs(text.c_str(), stderr);
  return static_cast<int>(ExitCodeOf(error));
}

int Print(const std::string& text) {
  report::Output out(STDOUT_FILENO);
  out.Write(text);
  const Result<void> written = out.Finish();
  return written ? static_cast<int>(ExitCode::kOk) : Fail(written.error());
}

void AddMemoryLimit(CLI::App& app) {
  app.add_option_function<std::string>(
         "--max-memory",
         [](const std::string& text) {
           const std::optional<size_t> bytes = ParseSize(text);
           if (!bytes)
             throw CLI::ValidationError(fmt::format("--max-memory: '{}' is no size such as 4GB", text));
           SetMemoryLimit(*bytes);
         },
         "to unpack into or read from a pipe: 4GB")
      ->group("Other")
      ->type_name("SIZE");
}

void AddOtherOptions(CLI::App& app, CommonOptions& common) {
  app.add_flag("-q,--quiet", common.quiet, "no progress bar")->group("Other");
  app.set_help_flag("-h,--help", "this text")->group("Other");
}

// CLI11's own check names the largest number there is, with its 309 digits.
const CLI::Validator kNotNegative(
    [](const std::string& typed) { return typed.starts_with('-') ? typed + " is negative" : std::string(); },
    "");

// What else is wrong with it is said where it is read.
const CLI::Validator kNotEmpty(
    [](const std::string& typed) {
      return typed.empty() ? std::string("its value is empty") : std::string();
    },
    "");

void AddTableOptions(CLI::App& app, CommonOptions& common) {
  // `dump` writes events as it comes by them: it has a limit of its own and one order, that of time.
  if (app.get_option_no_throw("--top") == nullptr) {
    app.add_option("--top", common.rows.top, "so many rows of the main list; 0: all")
        ->check(kNotNegative)
        ->group("Rows")
        ->type_name("N");
    app.add_option("--min", common.rows.min, "rows that take at least this time: 10ms, 300us, 2s")
        ->check(kNotEmpty)
        ->group("Rows")
        ->type_name("TIME");
    app.add_option("--sort", common.rows.sort, "by this column, largest first; -COLUMN turns it round")
        ->group("Rows")
        ->type_name("COLUMN");
  }
  // `dump` has a --name of its own, which selects events before they become rows.
  if (app.get_option_no_throw("--name") == nullptr) {
    app.add_option("--name", common.rows.name, "rows whose name matches a regular expression")
        ->group("Rows")
        ->type_name("REGEX");
  }
  // `doctor` explains its rules with it.
  if (app.get_option_no_throw("--explain") == nullptr) {
    app.add_flag("--explain", common.rows.explain, "say what each column means")->group("Output");
  }
  CLI::Option* json = app.add_flag("--json", common.json, "JSON: stable names, raw values")->group("Output");
  app.add_flag("--csv", common.csv, "CSV: the main table, raw values")->group("Output")->excludes(json);
  app.add_option("--table", common.rows.table, "only this table, whole")->group("Output")->type_name("NAME");
  app.add_option("--width", common.width, "cells in a line of text; 0: never cut")
      ->check(kNotNegative)
      ->group("Output")
      ->type_name("N");
  app.add_option("--threads", common.threads, "threads to read with")
      ->check(kNotNegative)
      ->group("Other")
      ->type_name("N");
}

// All options of a verb.
void AddOptions(Verb& verb, CLI::App& app, CommonOptions& common) {
  verb.AddOptions(app);
  if (verb.help().makes_tables && verb.help().has_rows) AddTableOptions(app, common);
  if (verb.help().reads) AddMemoryLimit(app);
  AddOtherOptions(app, common);
}

// The first argument that no option takes; with the option that was probably meant.
std::optional<Error> UnknownOption(const CLI::App& app, std::string_view verb) {
  const std::vector<std::string> extra = app.remaining();
  const auto typed = std::ranges::find_if(
      extra, [](const std::string& word) { return word.starts_with("-") && word != "--"; });
  if (typed == extra.end()) return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string option = typed->substr(0, typed->find('='));
  const std::string_view meant = Suggest(option, known);
  return Error{ErrorKind::kUsage, fmt::format("there is no option {}.", option),
               meant.empty() ? fmt::format("gait {} --help shows what it takes.", verb)
                             : fmt::format("Did you mean: {}", meant)};
}

// CLI11's words for a bad command line, as a sentence of ours.
Error UsageOf(const CLI::ParseError& error, const CLI::App& app, std::string_view verb) {
  if (const std::optional<Error> unknown = UnknownOption(app, verb)) return *unknown;
  std::string what = error.what();
  // "The following argument ..." begins after "gait: "; "RUN is required" keeps its capitals.
  if (what.size() > 1 && std::islower(static_cast<unsigned char>(what[1])) != 0) {
    what[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(what[0])));
  }
  if (!what.empty() && what.back() != '.') what += '.';
  return {ErrorKind::kUsage, std::move(what), fmt::format("gait {} --help shows what it takes.", verb)};
}

Error UnknownVerb(std::string_view typed, const std::vector<std::unique_ptr<Verb>>& verbs) {
  std::vector<std::string_view> names;
  for (const auto& verb : verbs) names.push_back(verb->help().name);
  const std::string_view meant = Suggest(typed, names);
  return {ErrorKind::kUsage, fmt::format("there is no verb '{}'.", typed),
          meant.empty() ? "gait alone lists the verbs." : fmt::format("Did you mean: gait {}", meant)};
}

int RunVerb(Verb& verb, int argc, char** argv) {
  CLI::App app(std::string(verb.help().sentence), "gait " + std::string(verb.help().name));
  CommonOptions common;
  AddOptions(verb, app, common);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Print(VerbHelpText(verb.help(), app));
  } catch (const CLI::ParseError& error) {
    return Fail(UsageOf(error, app, verb.help().name));
  }
  Result<Outcome> outcome = verb.Run(common);
  if (!outcome) return Fail(outcome.error());
  if (!verb.help().makes_tables) return static_cast<int>(ExitCode::kOk);
  const Result<void> rendered = Render(std::move(outcome->document), common);
  if (!rendered) return Fail(rendered.error());
  return static_cast<int>(outcome->found ? ExitCode::kFinding : ExitCode::kOk);
}

}  // namespace

Result<Outcome> RunVerb(std::string_view verb, std::vector<std::string> arguments, CommonOptions common) {
  const std::vector<std::unique_ptr<Verb>> verbs = AllVerbs();
  const auto found = std::ranges::find(verbs, verb, [](const auto& v) { return v->help().name; });
  if (found == verbs.end()) return std::unexpected(UnknownVerb(verb, verbs));
  CLI::App app(std::string((*found)->help().sentence));
  AddOptions(**found, app, common);
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return std::unexpected(UsageOf(error, app, verb));
  }
  return (*found)->Run(common);
}

std::vector<std::string_view> VerbNames() {
  std::vector<std::string_view> names;
  for (const auto& verb : AllVerbs()) names.push_back(verb->help().name);
  return names;
}

int RunCommandLine(int argc, char** argv) {
  const std::vector<std::unique_ptr<Verb>> verbs = AllVerbs();
  const std::string_view first = argc > 1 ? argv[1] : "--help";
  if (first == "help" && argc > 2) {
    const std::string_view wanted = argv[2];
    for (const auto& verb : verbs) {
      std::array<std::string, 2> words = {std::string(wanted), "--help"};
      std::array<char*, 3> as_typed = {words[0].data(), words[1].data(), nullptr};
      if (verb->help().name == wanted) return RunVerb(*verb, 2, as_typed.data());
    }
    return Fail(UnknownVerb(wanted, verbs));
  }
  if (first == "--help" || first == "-h" || first == "help") return Print(VerbList(verbs));
  if (first == "--licenses") return Print(std::string(Licenses()));
  if (first == "--version") return Print(fmt::format("gait {}\n", GAIT_VERSION));
  for (const auto& verb : verbs) {
    // The verb's own parser sees "gait VERB" as the program's name.
    if (verb->help().name == first) return RunVerb(*verb, argc - 1, argv + 1);
  }
  return Fail(UnknownVerb(first, verbs));
}

}  // namespace gait::cli
