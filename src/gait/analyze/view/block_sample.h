// A block that was captured again and again, each time into a capture of its own, is a series of steps that
// lies in several captures beside each other: all of them are its sample.
//
// Every report that tells a step's spread asks here, so that all are about the same captures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"

namespace gait::analyze {

struct SampledCapture {
  std::string name;       // of its folder
  bool compiles = false;  // in the block
  bool counts = true;     // the first one warms up, and so do those that compile where others do not
};

struct BlockSample {
  std::string block;
  std::vector<SampledCapture> captures;  // the oldest first; empty: the run is no sample

  bool empty() const { return captures.empty(); }
  size_t counted() const;
  // "runs/x: 5 captures of 'rep' lie beside each other; 4 without the first are its steps"
  std::string Note(const LoadedRun& own) const;

  // Of one value for each capture those of the captures that count.
  template <typename T>
  std::vector<T> Counted(std::vector<T> values) const {
    std::vector<T> counted;
    for (size_t i = 0; i < captures.size(); ++i) {
      if (captures[i].counts) counted.push_back(std::move(values[i]));
    }
    return counted;
  }
};

// The captures beside that of `own` of the same block, as a single step, on as many devices, narrowed like
// `own`; calls `add` with each, in their order. Where the sample is empty, `add` may have been called all the
// same. A view of chosen steps is no sample.
Result<BlockSample> FindBlockSample(const RunView& own,
                                    const std::function<Result<void>(const RunView&)>& add);

// Whether two of the runs lie in one folder: each would be a part of the other's sample, so none has one.
bool ShareFolder(const std::vector<const RunView*>& views);

// of(own), or of its sample: pooled(of(own), of each capture that counts). Where the views are compared with
// each other, of views that share a folder. What is to be said of samples goes to the notes.
template <typename T, typename Of, typename Pool>
Result<std::vector<T>> OfSamples(const std::vector<const RunView*>& views, Of of, Pool pooled,
                                 std::vector<std::string>& notes) {
  const bool alone = !ShareFolder(views);
  std::vector<T> all;
  for (const RunView* view : views) {
    GAIT_TRY(T own, of(*view));
    std::vector<T> values;
    BlockSample sample;
    if (alone) {
      GAIT_TRY(sample, FindBlockSample(*view, [&](const RunView& capture) -> Result<void> {
                 GAIT_TRY(T value, of(capture));
                 values.push_back(std::move(value));
                 return {};
               }));
    }
    if (!sample.empty()) {
      own = pooled(std::move(own), sample.Counted(std::move(values)));
      notes.push_back(sample.Note(*view->run));
    }
    all.push_back(std::move(own));
  }
  return all;
}

}  // namespace gait::analyze
