#include "gait/analyze/question/compile/shares.h"

#include <algorithm>

namespace gait::analyze {
namespace {

struct Edge {
  Ps time;
  bool begins;
  const CompileSlice* slice;
};

class Sweep {
 public:
  Sweep(const CompileWork& work, CompileShares& shares)
      : shares_(shares), workers_(work.tasks.size()), tuners_(work.tasks.size()) {}

  void Begin(const CompileSlice& slice) {
    const auto at =
        std::ranges::upper_bound(active_, slice.thread, {}, [](const CompileSlice* s) { return s->thread; });
    active_.insert(at, &slice);
    Count(slice, 1);
  }
  void End(const CompileSlice& slice) {
    active_.erase(std::ranges::find(active_, &slice));
    Count(slice, -1);
  }

  void Pass(Interval time) {
    if (active_.empty() || time.empty()) return;
    shares_.wall += time.length();
    shares_.times.push_back(time);
    counted_.clear();
    for (const CompileSlice* slice : active_) {
      if (!slice->caller || workers_[slice->task] == 0) counted_.push_back(slice);
    }
    const auto n = static_cast<int64_t>(counted_.size());
    int64_t rest = time.length().value() % n;
    for (const CompileSlice* slice : counted_) {
      const Ps share(time.length().value() / n + (rest-- > 0 ? 1 : 0));
      const CompilePhase phase = PhaseOf(slice->stage, tuners_[slice->task] > 0);
      shares_.tasks[slice->task][static_cast<size_t>(phase)] += share;
      StageTime& stage = shares_.stages[static_cast<size_t>(phase)][static_cast<size_t>(slice->stage)];
      stage.wall += share;
      stage.thread_time += time.length();
    }
    for (size_t i = 0; i < active_.size(); ++i) {
      const auto before = active_.begin() + static_cast<ptrdiff_t>(i);
      const bool first = std::none_of(active_.begin(), before,
                                      [&](const CompileSlice* s) { return s->task == active_[i]->task; });
      if (first) shares_.elapsed[active_[i]->task] += time.length();
    }
  }

 private:
  void Count(const CompileSlice& slice, int by) {
    if (!slice.caller) workers_[slice.task] += by;
    if (slice.autotuning) tuners_[slice.task] += by;
  }

  CompileShares& shares_;
  std::vector<const CompileSlice*> active_;  // by thread
  std::vector<const CompileSlice*> counted_;
  std::vector<int> workers_;  // by task: threads beside the one that asked
  std::vector<int> tuners_;   // by task: threads inside the autotuner
};

}  // namespace

CompileShares ShareCompileTime(const CompileWork& work, const IntervalSet& windows) {
  CompileShares shares;
  shares.tasks.resize(work.tasks.size());
  shares.elapsed.resize(work.tasks.size());
  std::vector<Edge> edges;
  edges.reserve(2 * work.slices.size());
  for (const CompileSlice& slice : work.slices) {
    edges.push_back({slice.time.begin, true, &slice});
    edges.push_back({slice.time.end, false, &slice});
  }
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    return a.time != b.time ? a.time < b.time : a.begins < b.begins;
  });
  Sweep sweep(work, shares);
  size_t window = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].begins) {
      sweep.Begin(*edges[i].slice);
    } else {
      sweep.End(*edges[i].slice);
    }
    if (i + 1 == edges.size()) break;
    const Interval time = {edges[i].time, edges[i + 1].time};
    while (window < windows.size() && windows[window].end <= time.begin) ++window;
    for (size_t w = window; w < windows.size() && windows[w].begin < time.end; ++w) {
      sweep.Pass({std::max(time.begin, windows[w].begin), std::min(time.end, windows[w].end)});
    }
  }
  shares.times = Normalize(std::move(shares.times));
  return shares;
}

}  // namespace gait::analyze
