#include <CLI/App.hpp>

#include "gait/analyze/inspect/dump.h"
#include "gait/base/parse_time.h"
#include "gait/cli/load.h"
#include "gait/cli/verb.h"

namespace gait::cli {
namespace {

constexpr int64_t kTextLimit = 100;

class DumpVerb : public Verb {
 public:
  const VerbHelp& help() const override {
    static constexpr VerbHelp kHelp = {
        "dump",
        "understand",
        "events with their arguments, in order of time",
        "Show events with their arguments, in order of time.",
        {"gait dump runs --limit 20", "gait dump runs --track 'Stream #14' --from 1.5ms --to 2ms",
         "gait dump runs --name 'fusion|gemm' --csv"}};
    return kHelp;
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RUN", run_, kRunHelp)->required()->group("What");
    app.add_option("--track", options_.track,
                   "a track as info shows it, its name, its id, or a REGEX on these")
        ->group("What")
        ->type_name("TRACK");
    app.add_option("--name", options_.name, "a regular expression on the event's name (RE2's)")
        ->group("What")
        ->type_name("REGEX");
    app.add_option("--from", from_, "leave out what ended before: 1.5ms, 300us, 2s")
        ->group("What")
        ->type_name("TIME");
    app.add_option("--to", to_, "leave out what begins at this time or later")
        ->group("What")
        ->type_name("TIME");
    app.add_option("--limit,--top", limit_, "so many events; 0: all; text shows 100 if left out")
        ->group("What")
        ->type_name("N");
  }

  Result<Outcome> Run(const CommonOptions& common) override {
    // What was typed is checked before a large file is read.
    if (!from_.empty()) {
      GAIT_TRY(options_.from, ParseTime(from_));
    }
    if (!to_.empty()) {
      GAIT_TRY(options_.to, ParseTime(to_));
    }
    if (limit_.value_or(0) < 0) {
      return UsageError("--limit is negative.", "Give a number of events; 0 shows all.");
    }
    GAIT_CHECK_OK(analyze::CheckOptions(options_));
    options_.limit = static_cast<uint64_t>(limit_.value_or(common.json || common.csv ? 0 : kTextLimit));
    GAIT_TRY(const auto run, Load(run_, common));
    GAIT_TRY(report::Document document, analyze::DumpDocument(run, options_));
    return Outcome{std::move(document)};
  }

 private:
  std::string run_;
  std::string from_;
  std::string to_;
  std::optional<int64_t> limit_;
  analyze::DumpOptions options_;
};

}  // namespace

std::unique_ptr<Verb> MakeDumpVerb() { return std::make_unique<DumpVerb>(); }

}  // namespace gait::cli
