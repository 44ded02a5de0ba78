#include <CLI/App.hpp>

#include "gait/analyze/inspect/hlo.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

class HloVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "hlo",
        "understand",
        "programs as text; one instruction with cost and source",
        "Show the programs of a run, the text of one, or one instruction with its cost.",
        {"gait hlo runs", "gait hlo runs jit_train_step", "gait hlo runs jit_train_step fusion.1"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", run_, kRunHelp)->required()->group("What");
    app.add_option("PROGRAM", program_, "a name, an id, or a part of a name that only one has")
        ->group("What");
    app.add_option("INSTRUCTION", instruction_, "an instruction's name")->group("What");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const auto run, Load(run_, common));
    GAIT_TRY(report::Document document, analyze::HloDocument(run, program_, instruction_));
    return Outcome{std::move(document)};
  }

 private:
  std::string run_;
  std::string program_;
  std::string instruction_;
};

}  // namespace

std::unique_ptr<Verb> MakeHloVerb() { return std::make_unique<HloVerb>(); }

}  // namespace gait::cli
