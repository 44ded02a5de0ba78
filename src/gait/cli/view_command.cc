#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include <fmt/format.h>

#include "gait/cli/browser.h"
#include "gait/cli/verb.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"
#include "gait/runs/resolve.h"
#include "gait/serve/view.h"

namespace gait::cli {
namespace {

constexpr size_t kLeastMegabytes = 50;
constexpr size_t kMostMegabytes = 1'000'000'000;

// What is wrong with it; empty: nothing.
std::string NotAPort(const std::string& text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("'{}' is no port: a number from 0 to 65535 is.", text);
}

class ViewVerbCommand : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "view",
        "look",
        "the runs of a directory in the browser: timeline, charts",
        "Show the runs of a directory in the browser; serves until Ctrl-C.",
        {"gait view", "gait view runs", "gait view runs/gpt --port 8000 --no-browser"},
        false};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("LOGDIR|RUN", where_, "a log directory or a run; else $GAIT_LOGDIR, else here")
        ->group("What");
    app.add_option("--port", options_.port, "listen here; 0: any that is free")
        ->check(NotAPort)
        ->group("Server")
        ->type_name("N");
    app.add_option("--bind", options_.address, "listen on this address, which other machines may reach")
        ->group("Server")
        ->type_name("ADDRESS");
    app.add_option("--memory", megabytes_, "keep runs open within so much memory; else a quarter of it")
        ->check(CLI::Range(kLeastMegabytes, kMostMegabytes))
        ->group("Server")
        ->type_name("MB");
    app.add_flag("--no-token", no_token_, "let everyone on this machine look, without the address's token")
        ->group("Server");
    app.add_flag("--no-browser", no_browser_, "only print the address")->group("Server");
  }

  Result<Outcome> Run(const CommonOptions&) override {
    GAIT_CHECK_OK(Resolve());
    options_.token = !no_token_;
    options_.memory = megabytes_ * 1'000'000;
    std::optional<Browser> browser;
    const auto ready = [&](const serve::Address& address) {
      fmt::print("{}, {}\n{}\n", options_.directory, report::Plural(address.runs, "run"), address.url);
      if (::isatty(STDOUT_FILENO) == 1) fmt::print("Ctrl-C ends it.\n");
      std::fflush(stdout);
      if (!no_browser_ && HasDisplay()) browser.emplace(address.url);
    };
    GAIT_CHECK_OK(serve::View(options_, ready, [&] { browser.reset(); }));
    return Outcome{};
  }

 private:
  // A directory or file is served as it is; a name or DIR@2 means one run.
  Result<void> Resolve() {
    if (where_.empty()) {
      const char* logdir = std::getenv("GAIT_LOGDIR");
      where_ = logdir != nullptr && *logdir != '\0' ? logdir : ".";
    }
    options_.directory = runs::ExpandHome(where_);
    struct stat info{};
    if (::stat(options_.directory.c_str(), &info) == 0) return {};
    GAIT_TRY(const runs::ResolvedRun resolved, runs::ResolveRun(where_));
    options_.run = resolved.run.path;
    const std::string before = options_.directory.substr(0, options_.directory.rfind('@'));
    const bool counted = ::stat(before.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    options_.directory = counted ? before : resolved.run.path;
    return {};
  }

  std::string where_;
  bool no_browser_ = false;
  bool no_token_ = false;
  size_t megabytes_ = 0;
  serve::ViewOptions options_;
};

}  // namespace

std::unique_ptr<Verb> MakeViewVerb() { return std::make_unique<ViewVerbCommand>(); }

}  // namespace gait::cli
