#include <CLI/App.hpp>

#include <string>
#include <vector>

#include "gait/analyze/question/memory/heap.h"
#include "gait/analyze/question/memory/heap_report.h"
#include "gait/cli/view_options.h"
#include "gait/read/pprof/reader.h"
#include "gait/runs/memory_profiles.h"
#include "gait/verbs/question.h"

namespace gait::cli {
namespace {

// A run, or device memory profiles: one, two to compare, or many in the order of time.
class MemoryVerb : public Verb {
 public:
  const VerbHelp& help() const override { return verbs::FindViewVerb("memory")->help; }

  void AddOptions(CLI::App& app) override {
    options_.Add(app);
    app.get_option("--program")->description("of what programs need, only these: name, id or pattern");
    app.add_option("PROF", more_, "with RUN a device memory profile: further ones to compare with it")
        ->group("What");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    GAIT_TRY(const std::vector<std::string> paths, runs::FindMemoryProfiles(options_.run(), more_));
    if (!paths.empty()) return Profiles(paths);
    GAIT_TRY(const auto run, options_.Load(common));
    GAIT_TRY(const analyze::RunView view, options_.View(*run));
    GAIT_TRY(report::Document document, verbs::Answer(view, {.verb = "memory"}));
    return Outcome{std::move(document)};
  }

 private:
  Result<Outcome> Profiles(const std::vector<std::string>& paths) const {
    if (options_.narrowed()) {
      return UsageError("a device memory profile has no steps, hosts or programs to select.",
                        "Leave --steps, --host, --program and --series out.");
    }
    std::vector<HeapProfile> profiles;
    for (const std::string& path : paths) {
      GAIT_TRY(HeapProfile profile, pprof::ReadFile(path));
      profiles.push_back(std::move(profile));
    }
    GAIT_CHECK_OK(analyze::SelectDevice(profiles, options_.device()));
    return Outcome{analyze::HeapDocument(profiles)};
  }

  ViewOptions options_;
  std::vector<std::string> more_;
};

}  // namespace

std::unique_ptr<Verb> MakeMemoryVerb() { return std::make_unique<MemoryVerb>(); }

}  // namespace gait::cli
