// ViewVerb: a verb that looks at a part of a run and makes a document of it. Most verbs are this and a
// function of analyze/.
#pragma once

#include "gait/analyze/view.h"
#include "gait/cli/view_options.h"

namespace gait::cli {

class ViewVerb : public Verb {
 public:
  void AddOptions(CLI::App& app) override { options_.Add(app); }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const analyze::LoadedRun run, options_.Load(common));
    GAIT_TRY(const analyze::RunView view, options_.View(run));
    return Report(view);
  }

 protected:
  virtual Result<Outcome> Report(const analyze::RunView& view) = 0;

 private:
  ViewOptions options_;
};

}  // namespace gait::cli
