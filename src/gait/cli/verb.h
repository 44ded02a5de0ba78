// Verb: one command of gait. A verb declares its options and makes a Document. Parsing, rendering, errors and
// exit codes are the same for all verbs (app.cc).
//
// A question about a view of a run is a line of verbs/view_verbs.cc. Any other verb is a file
// <verb>_command.cc with a class and a factory, the factory below, and a line in app.cc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/report/table.h"
#include "gait/report/table_options.h"
#include "gait/verbs/view_verbs.h"

namespace gait::analyze {
struct LoadedRun;
}

namespace CLI {
class App;
}

namespace gait::cli {

// The options of every verb.
struct CommonOptions {
  bool json = false;
  bool csv = false;
  report::TableOptions rows{};
  std::optional<size_t> width;                         // of text; 0: never cut
  size_t threads = 0;                                  // 0: as many as are worth it
  bool quiet = false;                                  // no progress bar
  std::shared_ptr<const analyze::LoadedRun> loaded{};  // read already; not to be read again
};

using verbs::VerbHelp;

struct Outcome {
  report::Document document;
  bool found = false;  // exit code 1: a check failed or something was found
};

class Verb {
 public:
  virtual ~Verb() = default;
  virtual const VerbHelp& help() const = 0;
  virtual void AddOptions(CLI::App& app) = 0;
  virtual Result<Outcome> Run(const CommonOptions& common) = 0;
};

std::unique_ptr<Verb> MakeRunVerb();
std::unique_ptr<Verb> MakeCaptureVerb();
std::unique_ptr<Verb> MakeListVerb();
std::unique_ptr<Verb> MakeInfoVerb();
std::unique_ptr<Verb> MakeViewVerb();
std::unique_ptr<Verb> MakeDoctorVerb();
std::unique_ptr<Verb> MakeQuestionVerb(const verbs::ViewVerb& verb);
std::unique_ptr<Verb> MakeMemoryVerb();
std::unique_ptr<Verb> MakeDiffVerb();
std::unique_ptr<Verb> MakeCheckVerb();
std::unique_ptr<Verb> MakeScaleVerb();
std::unique_ptr<Verb> MakeReportVerb();
std::unique_ptr<Verb> MakeDumpVerb();
std::unique_ptr<Verb> MakeHloVerb();

// Descriptions that verbs share.
inline constexpr const char* kRunHelp = "file, folder, log directory (newest run), DIR@2 or name";

}  // namespace gait::cli
