// ViewVerbs: the verbs that answer a question about a view of a run, declared once. The command line, its
// help, the server's parameters and Python take name, words, options and builder from here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"
#include "gait/verbs/question.h"

namespace gait::verbs {

struct VerbHelp {
  std::string_view name;
  std::string_view job;       // the group in the list of verbs
  std::string_view summary;   // a few words for the list
  std::string_view sentence;  // the first line of --help
  std::array<std::string_view, 3> examples;
  bool makes_tables = true;  // false: says all there is to say itself and takes no options on rows and output
  bool has_rows = true;  // false: what it makes is one text, so it takes no options on rows and output either
  bool reads = true;     // false: opens no capture
};

// An option that one verb has and others have not.
struct QuestionOption {
  std::string_view name;  // "peak_tflops": --peak-tflops on a command line
  std::string_view type;  // "N"
  std::string_view about;
  std::variant<std::string Question::*, std::optional<double> Question::*> field;
};

struct ViewVerb {
  // What --program selects: the time in which programs ran, or only what they did themselves.
  enum class Of : uint8_t { kTime, kProgram };

  VerbHelp help;
  Of of;
  std::span<const QuestionOption> options;
  bool covers_windows;  // its numbers are of the view's windows, whose notes a reader must know
  Result<report::Document> (*answer)(const analyze::RunView&, const Question&);
  bool looks_beside = false;  // its numbers may be of captures beside the run too (block_sample.h)
};

std::span<const ViewVerb> ViewVerbs();
const ViewVerb* FindViewVerb(std::string_view name);  // null: there is none

}  // namespace gait::verbs
