// The options of every verb that looks at a part of a run, and the view that they select.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/cli/verb.h"

namespace gait::cli {

class ViewOptions {
 public:
  // RUN, --steps, --device, --host, --program, --series.
  void Add(CLI::App& app, verbs::ViewVerb::Of of = verbs::ViewVerb::Of::kTime);
  Result<std::shared_ptr<const analyze::LoadedRun>> Load(const CommonOptions& common) const;
  const std::string& run() const { return run_; }  // as typed
  const std::string& device() const { return selection_.device; }
  // Whether anything but RUN and --device was given.
  bool narrowed() const;
  // The view of a loaded run. The run must outlive the view.
  Result<analyze::RunView> View(const analyze::LoadedRun& run) const;

 private:
  std::string run_;
  std::string steps_;
  analyze::Selection selection_;
};

}  // namespace gait::cli
