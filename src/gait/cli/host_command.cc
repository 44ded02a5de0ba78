#include "gait/analyze/host/host_report.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class HostVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "host",
        "understand",
        "what the host threads did, and where input comes from",
        "Show what the threads of the host did, and how its time of a step splits.",
        {"gait host runs", "gait host runs --table host_python", "gait host runs --name data --sort total"}};
    return kHelp;
  }

 protected:
  Result<Outcome> Report(const analyze::RunView& view) override {
    if (!view.selection.program.empty()) {
      return UsageError(
          "the host's threads work for all programs at once.",
          "Leave --program out, or see gait idle for what the host did while a program waited.");
    }
    return Outcome{analyze::HostDocument(view)};
  }
};

}  // namespace

std::unique_ptr<Verb> MakeHostVerb() { return std::make_unique<HostVerb>(); }

}  // namespace gait::cli
