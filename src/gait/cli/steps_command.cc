#include "gait/cli/sample.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class StepsVerb : public ViewVerb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "steps",
        "understand",
        "how long each step took and where its time went",
        "Show how long each step took and where its time went.",
        {"gait steps runs", "gait steps runs --steps 3:8", "gait steps runs --table step_devices --csv"}};
    return kHelp;
  }

 protected:
  void Complete(const analyze::RunView& view, report::Document& document) override {
    if (std::string note = SampleNote(view); !note.empty()) document.notes.push_back(std::move(note));
  }
};

}  // namespace

std::unique_ptr<Verb> MakeStepsVerb() { return std::make_unique<StepsVerb>(); }

}  // namespace gait::cli
