// The captures of a block beside each other as one series of steps (analyze/view/block_sample.h).
#pragma once

#include <string>
#include <vector>

#include "gait/analyze/question/steps/step_parts.h"
#include "gait/analyze/view/block_sample.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"

namespace gait::analyze {

class StepSample {
 public:
  // Reads the captures, one at a time.
  static Result<StepSample> Of(const RunView& own);

  bool empty() const { return sample_.empty(); }
  // The block of each capture that counts: on that host, on all hosts.
  std::vector<const StepSeries*> On(const std::string& host) const;
  std::vector<const StepSeries*> Everywhere() const;
  CountedTime time() const;
  std::string Note(const LoadedRun& own) const { return sample_.Note(own); }
  // captures: a row for each capture, and host.
  Table CapturesTable(bool one_host) const;

 private:
  struct Captured {
    std::string host;
    StepSeries block;  // a copy: the capture itself is not kept
    StepTimes times;   // of the step
    CountedTime time;
  };

  template <typename Do>
  void ForEachCounted(Do with) const {
    for (size_t i = 0; i < sample_.captures.size(); ++i) {
      if (!sample_.captures[i].counts) continue;
      for (const Captured& captured : captures_[i]) with(captured);
    }
  }

  BlockSample sample_;
  std::vector<std::vector<Captured>> captures_;  // by capture, host
};

}  // namespace gait::analyze
