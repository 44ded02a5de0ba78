#include "gait/cli/view_options.h"

#include <CLI/App.hpp>

#include "gait/cli/load.h"

namespace gait::cli {

void ViewOptions::Add(CLI::App& app, verbs::ViewVerb::Of of) {
  app.add_option("RUN", run_, kRunHelp)->required()->group("What");
  const auto option = [&](const char* name, std::string& value, const char* about, const char* type) {
    app.add_option(name, value, about)->group("What")->type_name(type);
  };
  option("--steps", steps_, "only these steps: 3:8 (both included), 3:, :8 or 3", "RANGE");
  option("--device", selection_.device, "only these devices: 'GPU 0', 0 or a pattern", "NAME");
  option("--host", selection_.host, "only these hosts", "NAME");
  option("--program", selection_.program,
         of == verbs::ViewVerb::Of::kTime ? "only while these programs run: name, id or pattern"
                                          : "only these programs: name, id or pattern",
         "NAME");
  option("--series", selection_.series, "the steps of this annotation, where there are several", "NAME");
}

Result<std::shared_ptr<const analyze::LoadedRun>> ViewOptions::Load(const CommonOptions& common) const {
  analyze::Selection parsed;
  GAIT_CHECK_OK(analyze::ParseSteps(steps_, parsed));  // a bad range is told before a long read
  return cli::Load(run_, common);
}

bool ViewOptions::narrowed() const {
  return !steps_.empty() || !selection_.host.empty() || !selection_.program.empty() ||
         !selection_.series.empty();
}

Result<analyze::RunView> ViewOptions::View(const analyze::LoadedRun& run) const {
  analyze::Selection selection = selection_;
  GAIT_CHECK_OK(analyze::ParseSteps(steps_, selection));
  return analyze::RunView::Make(run, selection);
}

}  // namespace gait::cli
