// Reads the launches of a loop as steps, with or without those of rare programs (step_inference.h, `rare`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gait/analyze/steps/program_loop.h"
#include "gait/analyze/steps/program_runs.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Launches as steps: all of them, or without those of rare programs.
struct Reading {
  std::vector<size_t> begins{};  // positions of launches with which steps begin; then the last one's end
  size_t period = 0;             // launches of a step, the rare ones left out
  bool cut = false;              // the loop ended before the last step's last launches
  std::vector<bool> kept{};      // by launch
};

class LoopReader {
 public:
  // Both must outlive this.
  LoopReader(const Trace& trace, const std::vector<ProgramRun>& launches);

  const std::optional<Reading>& chosen() const { return chosen_; }
  std::string NameOf(size_t launch) const;
  // What else the launches may be; empty: nothing.
  std::string Note() const;

 private:
  template <typename Keep>
  std::optional<Reading> Read(Keep keep) const;
  // Without programs that are launched less than once in so many steps; nullopt: there are none, or what is
  // left is no loop.
  std::optional<Reading> WithoutRare(size_t steps_for_one, bool by_name) const;
  // Whether something was left out, and what was not is half of all launches, and that share of the work of
  // the loop.
  bool IsEnough(const Reading& reading, int64_t one_in) const;

  const Trace& trace_;
  const std::vector<ProgramRun>& launches_;
  std::unordered_map<uint64_t, size_t> counts_;  // by program
  size_t most_ = 0;                              // of them
  std::optional<Reading> whole_, chosen_, other_;
};

}  // namespace gait::analyze
