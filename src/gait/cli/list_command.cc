#include <cstdlib>

#include <fmt/format.h>
#include <CLI/App.hpp>

#include "gait/analyze/inspect/list.h"
#include "gait/cli/verb.h"
#include "gait/report/numbers.h"
#include "gait/runs/find.h"
#include "gait/runs/resolve.h"

namespace gait::cli {
namespace {

std::string RemovedText(const runs::Removed& removed) {
  const std::string files = report::Plural(removed.files, "unfinished file");
  if (removed.folders == 0) return files + " removed";
  return fmt::format("{} and {} removed", files, report::Plural(removed.folders, "empty folder"));
}

class ListVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "list",
        "look",
        "the runs below a directory, newest first",
        "List every run below a directory, newest first, without reading its events.",
        {"gait list", "gait list runs", "gait list runs --json"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("LOGDIR", directory_, "where to look, a pattern, a run; else $GAIT_LOGDIR, else here")
        ->group("What");
    app.add_flag("--clean", clean_, "remove unfinished files and empty folders that killed programs left")
        ->group("What");
  }

  Result<Outcome> Run(const CommonOptions&) override {
    if (directory_.empty()) {
      const char* logdir = std::getenv("GAIT_LOGDIR");
      directory_ = logdir != nullptr && *logdir != '\0' ? logdir : ".";
    }
    GAIT_TRY(runs::Listing listing, runs::ListRuns(directory_));
    runs::Removed removed;
    if (clean_) {
      GAIT_TRY(removed, runs::RemoveLeftOvers(listing));
    }
    GAIT_TRY(report::Document document, analyze::ListDocument(listing));
    if (clean_) document.notes.push_back(RemovedText(removed));
    return Outcome{std::move(document)};
  }

 private:
  std::string directory_;
  bool clean_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeListVerb() { return std::make_unique<ListVerb>(); }

}  // namespace gait::cli
