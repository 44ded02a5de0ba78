#include <CLI/App.hpp>

#include "gait/analyze/inspect/info.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

class InfoVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "info",
        "look",
        "what a run holds: devices, steps, programs, tracks",
        "Show what a run holds: hosts, devices, steps, programs, tracks, settings.",
        {"gait info runs", "gait info runs/gpt --table tracks", "gait info runs --json"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", run_, kRunHelp)->required()->group("What");
    app.add_flag("--verbose", verbose_, "also the events whose names gait does not know")->group("What");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const auto run, Load(run_, common));
    return Outcome{analyze::InfoDocument(*run, verbose_)};
  }

 private:
  std::string run_;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeInfoVerb() { return std::make_unique<InfoVerb>(); }

}  // namespace gait::cli
