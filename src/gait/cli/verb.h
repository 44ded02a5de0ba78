// Verb: one command of gait. A verb declares its options and makes a Document. Parsing, rendering, errors and
// exit codes are the same for all verbs (app.cc).
//
// To add one: a file <verb>_command.cc with a class and a factory, the factory below, and a line in app.cc.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/report/table.h"
#include "gait/report/table_options.h"

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

struct VerbHelp {
  std::string_view name;
  std::string_view job;       // the group in the list of verbs
  std::string_view summary;   // a few words for the list
  std::string_view sentence;  // the first line of --help
  std::array<std::string_view, 3> examples;
  bool makes_tables = true;  // false: says all there is to say itself and takes no options on rows and output
  bool has_rows = true;  // false: what it makes is one text, so it takes no options on rows and output either
};

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
std::unique_ptr<Verb> MakeOverviewVerb();
std::unique_ptr<Verb> MakeDoctorVerb();
std::unique_ptr<Verb> MakeStepsVerb();
std::unique_ptr<Verb> MakeOpsVerb();
std::unique_ptr<Verb> MakeKernelsVerb();
std::unique_ptr<Verb> MakeIdleVerb();
std::unique_ptr<Verb> MakePathVerb();
std::unique_ptr<Verb> MakeMemoryVerb();
std::unique_ptr<Verb> MakeTransfersVerb();
std::unique_ptr<Verb> MakeCollectivesVerb();
std::unique_ptr<Verb> MakeCompileVerb();
std::unique_ptr<Verb> MakeRooflineVerb();
std::unique_ptr<Verb> MakeHostVerb();
std::unique_ptr<Verb> MakeDiffVerb();
std::unique_ptr<Verb> MakeCheckVerb();
std::unique_ptr<Verb> MakeScaleVerb();
std::unique_ptr<Verb> MakeReportVerb();
std::unique_ptr<Verb> MakeDumpVerb();
std::unique_ptr<Verb> MakeHloVerb();

// Descriptions that verbs share.
inline constexpr const char* kRunHelp = "file, folder, log directory (newest run), DIR@2 or name";

}  // namespace gait::cli
