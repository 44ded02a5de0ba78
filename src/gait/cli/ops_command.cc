#include <CLI/App.hpp>

#include <fmt/format.h>

#include "gait/analyze/ops/ops_report.h"
#include "gait/cli/peak_options.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class OpsVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "ops",
        "understand",
        "which operations, scopes and layers take the device's time",
        "Show which operations, scopes and layers take the device's time.",
        {"gait ops runs", "gait ops runs --by layer", "gait ops runs --by scope --name attention"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    ViewVerb::AddOptions(app);
    app.add_option("--by", by_, "op, scope, category, source, program, layer or shape")
        ->group("What")
        ->type_name("WHAT");
    peaks_.Add(app);
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    if (!analyze::ParseGroupBy(by_)) {  // told before a long read
      return UsageError(fmt::format("operations cannot be shown by '{}'.", by_),
                        "There are: op, scope, category, source, program, layer, shape");
    }
    GAIT_CHECK_OK(peaks_.Check());
    return ViewVerb::Run(common);
  }

 protected:
  Result<Outcome> Report(const analyze::RunView& view) override {
    return Outcome{analyze::OpsDocument(view, *analyze::ParseGroupBy(by_), peaks_.given())};
  }

 private:
  std::string by_ = "op";
  PeakOptions peaks_;
};

}  // namespace

std::unique_ptr<Verb> MakeOpsVerb() { return std::make_unique<OpsVerb>(); }

}  // namespace gait::cli
