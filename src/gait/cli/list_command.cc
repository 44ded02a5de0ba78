#include <sys/stat.h>

#include <cstdlib>

#include <CLI/App.hpp>

#include "gait/analyze/list.h"
#include "gait/cli/verb.h"
#include "gait/runs/find.h"
#include "gait/runs/names.h"
#include "gait/runs/resolve.h"

namespace gait::cli {
namespace {

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
    app.add_option("LOGDIR", directory_, "where to look, or one file; else $GAIT_LOGDIR, else here")
        ->group("What");
  }

  Result<Outcome> Run(const CommonOptions&) override {
    if (directory_.empty()) {
      const char* logdir = std::getenv("GAIT_LOGDIR");
      directory_ = logdir != nullptr && *logdir != '\0' ? logdir : ".";
    }
    GAIT_TRY(const runs::Listing listing, Find(runs::ExpandHome(directory_)));
    if (listing.runs.empty()) return std::unexpected(runs::NoRuns(listing));
    return Outcome{analyze::ListDocument(listing)};
  }

 private:
  // A bare file is a run too.
  static Result<runs::Listing> Find(const std::string& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return runs::FindRuns(path);
    runs::Listing listing;
    listing.directory = path;
    GAIT_TRY(runs::Run run, runs::RunOfFile(path));
    listing.runs.push_back(std::move(run));
    return listing;
  }

  std::string directory_;
};

}  // namespace

std::unique_ptr<Verb> MakeListVerb() { return std::make_unique<ListVerb>(); }

}  // namespace gait::cli
