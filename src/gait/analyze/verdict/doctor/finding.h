// Finding: a problem that costs time or spoils the capture, with its cost, its evidence, its cause and its
// fix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/analyze/verdict/doctor/ledger.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

enum class Severity : uint8_t { kInfo, kLow, kWarning, kHigh };
std::string_view Name(Severity severity);  // "info", "low", "warning", "high"
std::optional<Severity> FindSeverity(std::string_view name);

// A row of evidence in words, with its place on the timeline.
struct Evidence {
  std::string text;
  std::string host{};              // empty: no place
  std::string track{};             // "GPU 0", "python3"
  std::optional<Interval> time{};  // in the host's time
};

// A verb that shows more, for one value of an option or none: gait idle --cause input.
struct See {
  std::string_view verb{};
  std::string_view option{};
  std::string_view value{};
};

struct Finding {
  std::string_view rule{};
  Severity severity = Severity::kInfo;
  std::optional<Ps>
      cost{};         // of a step: an upper bound (ledger.h); nullopt: it has none that can be measured
  PsRange between{};  // the cost is not known better than that
  double share = 0;   // of the step, 0 to 1
  std::string title;  // "Waiting for input"
  std::string cause;  // one sentence
  std::string fix;    // lines; code is indented
  std::vector<Evidence> evidence;
  See see{};
  Claims claims{};
  std::vector<std::string_view> overlaps{};  // rules of other findings that claim the same time
};

// A rule's answer about a run.
struct Verdict {
  std::vector<Finding> findings{};
  std::string unchecked{};  // why the rule could not look: "the capture holds no GPU"; empty: it looked
  Claims too_little{};      // for a finding; the balance counts them where the work need not be done

  static Verdict Clean() { return {}; }
  static Verdict Unchecked(std::string why) { return {{}, std::move(why)}; }
  static Verdict TooLittle(Claims claims) { return {{}, {}, std::move(claims)}; }
  static Verdict Of(Finding finding) { return {{std::move(finding)}, {}}; }
};

}  // namespace gait::analyze
