#include "gait/timeline/derive/repeats.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gait/analyze/operations/op_runs.h"

namespace gait::timeline {
namespace {

class RepeatFinder {
 public:
  RepeatFinder(const Trace& trace, const Program& program, const std::vector<ProgramWork>& work)
      : trace_(trace), work_(work), in_loop_(LoopInstructions(program)), runs_(work.size()) {}

  std::vector<uint32_t> Find() && {
    for (size_t i = 0; i < work_.size(); ++i) {
      if (const std::optional<size_t> last = Repeats(i)) BeginRun(WidestGap(*last, i), i);
      runs_[i] = run_;
      Note(i);
    }
    return std::move(runs_);
  }

 private:
  using Kernel = std::pair<uint32_t, uint32_t>;  // instruction and name

  static std::vector<bool> LoopInstructions(const Program& program) {
    const std::vector<bool> computations = analyze::InLoops(program);
    std::vector<bool> instructions(program.instructions.size());
    for (size_t c = 0; c < computations.size(); ++c) {
      if (!computations[c]) continue;
      const Computation& computation = program.computations[c];
      std::fill(instructions.begin() + computation.begin.value, instructions.begin() + computation.end.value,
                true);
    }
    return instructions;
  }

  Kernel KernelOf(size_t i) const {
    const EventRef event = work_[i].event;
    return {work_[i].instruction.value, trace_.track(event.track).name(event.index).value};
  }

  // Where its kernel ran before in this run, with other operations in between.
  std::optional<size_t> Repeats(size_t i) const {
    if (in_loop_[work_[i].instruction.value]) return std::nullopt;
    const auto found = last_.find(KernelOf(i));
    if (found == last_.end()) return std::nullopt;
    for (size_t between = found->second + 1; between < i; ++between) {
      if (work_[between].instruction != work_[i].instruction) return found->second;
    }
    return std::nullopt;
  }

  // The piece of (from, to] before which nothing of the program ran for the longest time.
  size_t WidestGap(size_t from, size_t to) const {
    Ps reached = Time(from).end;
    Ps widest = Ps(-1);
    size_t best = to;
    for (size_t i = from + 1; i <= to; ++i) {
      const Ps gap = std::max(Time(i).begin - reached, Ps());
      if (gap > widest) {
        widest = gap;
        best = i;
      }
      reached = std::max(reached, Time(i).end);
    }
    return best;
  }

  // Pieces from `first` on are of the next run.
  void BeginRun(size_t first, size_t now) {
    ++run_;
    last_.clear();
    for (size_t i = first; i < now; ++i) {
      runs_[i] = run_;
      Note(i);
    }
  }

  void Note(size_t i) { last_[KernelOf(i)] = i; }

  Interval Time(size_t i) const { return trace_.track(work_[i].event.track).interval(work_[i].event.index); }

  const Trace& trace_;
  const std::vector<ProgramWork>& work_;
  std::vector<bool> in_loop_;
  std::vector<uint32_t> runs_;
  std::map<Kernel, size_t> last_;  // of the current run
  uint32_t run_ = 0;
};

}  // namespace

std::vector<uint32_t> RunsByRepeats(const Trace& trace, const Program& program,
                                    const std::vector<ProgramWork>& work) {
  return RepeatFinder(trace, program, work).Find();
}

}  // namespace gait::timeline
