#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/App.hpp>

#include "gait/cli/run_settings.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

namespace fs = std::filesystem;

// The folder that makes a Python program capture itself: of the build tree, or of the environment in whose
// bin/ this command was installed. Empty when there is none.
fs::path LaunchFolder() {
  std::error_code error;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  std::vector<fs::path> candidates = {prefix / "python" / "gait" / "launch"};
  for (const char* library : {"lib", "lib64", "local/lib"}) {
    for (const auto& entry : fs::directory_iterator(prefix / library, error)) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        candidates.push_back(entry.path() / packages / "gait" / "launch");
      }
    }
  }
  for (const fs::path& candidate : candidates) {
    if (fs::exists(candidate / "sitecustomize.py", error)) return candidate;
  }
  return {};
}

void Prepend(const char* variable, const std::string& value, char separator) {
  const char* const before = std::getenv(variable);
  const std::string all = before != nullptr && *before != '\0' ? value + separator + before : value;
  ::setenv(variable, all.c_str(), 1);
}

void Append(const char* variable, const std::string& value, char separator) {
  const char* const before = std::getenv(variable);
  const std::string all = before != nullptr && *before != '\0' ? before + (separator + value) : value;
  ::setenv(variable, all.c_str(), 1);
}

// The option of a Python command that keeps gait out: 'I' and 'E' ignore PYTHONPATH, 'S' all that is done at
// the start. 0: none.
char OptionThatKeepsOut(const std::vector<std::string>& command) {
  if (!fs::path(command.front()).filename().string().starts_with("python")) return 0;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return 0;
    for (std::size_t k = 1; k < word.size(); ++k) {
      const char letter = word[k];
      if (letter == 'I' || letter == 'E' || letter == 'S') return letter;
      if (letter == 'c' || letter == 'm') return 0;  // the program's own words follow
      if (letter == 'X' || letter == 'W') {          // with a value, in this word or the next
        if (k + 1 == word.size()) ++i;
        break;
      }
    }
  }
  return 0;
}

// Which say what to capture, beside the options.
bool HasVariables() {
  constexpr const char* kNames[] = {"GAIT", "PROFILE_ENABLED", "PROFILE_STEP"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

class LaunchVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "run",
        "capture",
        "run a JAX program as it is and capture some of its steps",
        "Run a JAX program as it is and capture some of its steps.",
        {"gait run -- python train.py", "gait run --steps 100:105 -- python train.py --lr 0.1",
         "gait run --dir runs --slow-step 1.5 -- python train.py"},
        false,
        false,
        false};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("COMMAND", command_, "the program and its arguments, after --")->required()->group("What");
    const auto option = [&](const char* name, const char* key, const char* about, const char* type,
                            SettingCheck check) {
      return app
          .add_option_function<std::string>(
              name, [this, key](const std::string& value) { Set(key, value); }, about)
          ->group("What")
          ->check(check)
          ->type_name(type);
    };
    const auto flag = [&](const char* name, const char* key, const char* about) {
      app.add_flag_callback(name, [this, key] { Set(key, "1"); }, about)->group("What");
    };
    option("-o,--dir,--out", "dir", "the log directory; else runs", "DIR", CheckText);
    option("--name", "name", "a folder below it", "NAME", CheckName);
    auto* const steps =
        option("--steps", "steps", "these steps: 100:105 (both included), 100, or several with commas",
               "RANGE", CheckSteps);
    option("--start", "start", "the first step; else 10", "N", CheckFromZero)->excludes(steps);
    option("--count", "count", "so many steps a capture; else 5", "N", CheckFromOne)->excludes(steps);
    option("--every", "every", "again every so many steps", "N", CheckFromZero);
    option("--slow-step", "slow_step", "after a step that took so many times the median", "FACTOR",
           CheckFactor);
    option("--trigger-file", "trigger_file", "when this file appears", "FILE", CheckText);
    option("--hosts", "hosts", "only in this process of a job", "N", CheckFromZero);
    option("--max-sessions", "max_sessions", "at most so many captures", "N", CheckFromZero);
    option("--max-seconds", "max_seconds", "at most so long each", "S", CheckSeconds);
    option("--max-bytes", "max_bytes", "at most so much in all", "N", CheckFromZero);
    flag("--after-compile", "after_compile", "not while programs are being compiled");
    flag("--perfetto", "perfetto", "also a file for Perfetto");
    flag("--memory", "memory", "also a device memory profile");
    flag("--python", "python", "also Python calls, which slows the program down");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_CHECK_OK(CheckTogether(settings_, !HasVariables()));
    const fs::path folder = LaunchFolder();
    if (folder.empty()) {
      return Unreadable("the Python package of gait is not beside this command.",
                        "Use the command of an environment that has it: pip install gait-profiler");
    }
    if (const char letter = OptionThatKeepsOut(command_); letter != 0 && !common.quiet) {
      std::fputs(
          fmt::format("gait: nothing can be captured: Python's option -{} keeps gait out of the program.\n"
                      "      Run it without -{}.\n",
                      letter, letter)
              .c_str(),
          stderr);
    }
    for (const auto& [key, value] : settings_) Append("GAIT", fmt::format("{}={}", key, value), ',');
    ::setenv("GAIT", "1", 0);  // the defaults
    Prepend("PYTHONPATH", folder.string(), ':');
    if (common.quiet) ::setenv("GAIT_QUIET", "1", 1);
    std::signal(SIGPIPE, SIG_DFL);  // the program's own affair again
    std::signal(SIGXFSZ, SIG_DFL);
    std::vector<char*> words;
    for (std::string& word : command_) words.push_back(word.data());
    words.push_back(nullptr);
    ::execvp(words.front(), words.data());
    return Unreadable(fmt::format("{}: {}.", command_.front(), std::strerror(errno)),
                      "Give the program as you would type it: gait run -- python train.py");
  }

 private:
  void Set(const char* key, const std::string& value) { settings_[key] = value; }

  std::vector<std::string> command_;
  std::map<std::string, std::string> settings_;  // as the variable GAIT takes them
};

}  // namespace

std::unique_ptr<Verb> MakeRunVerb() { return std::make_unique<LaunchVerb>(); }

}  // namespace gait::cli
