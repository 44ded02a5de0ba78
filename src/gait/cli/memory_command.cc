#include "gait/analyze/memory/memory_report.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class MemoryVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "memory",
        "understand",
        "how much device memory was in use, for what, and what programs need",
        "Show how much device memory was in use, for what, and what programs need.",
        {"gait memory runs", "gait memory runs --table memory_groups", "gait memory a.prof b.prof"}};
    return kHelp;
  }

 protected:
  Result<Outcome> Report(const analyze::RunView& view) override {
    GAIT_TRY(report::Document document, analyze::MemoryDocument(view));
    return Outcome{std::move(document)};
  }
};

}  // namespace

std::unique_ptr<Verb> MakeMemoryVerb() { return std::make_unique<MemoryVerb>(); }

}  // namespace gait::cli
