#include "gait/cli/peak_options.h"
#include "gait/cli/view_verb.h"

namespace gait::cli {
namespace {

class RooflineVerb : public ViewVerb {
 public:
  RooflineVerb() : ViewVerb(ViewOptions::Of::kProgram) {}
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "roofline",
        "understand",
        "how close operations come to the device's peaks; MFU",
        "Show how close operations and programs come to what the device could do, and the step's MFU.",
        {"gait roofline runs", "gait roofline runs --peak-tflops 989 --peak-gbps 4800",
         "gait roofline runs --table step"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    ViewVerb::AddOptions(app);
    AddPeakOptions(app, question_);
  }
};

}  // namespace

std::unique_ptr<Verb> MakeRooflineVerb() { return std::make_unique<RooflineVerb>(); }

}  // namespace gait::cli
