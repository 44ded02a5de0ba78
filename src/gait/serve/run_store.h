// RunStore: opens runs and keeps them open, the ones used last, within a budget of memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "gait/base/result.h"
#include "gait/serve/directory.h"
#include "gait/serve/open_run.h"

namespace gait::serve {

enum class RunState : uint8_t { kClosed, kLoading, kOpen, kFailed };
std::string_view Name(RunState state);  // "closed", ...

// How far the reading of a run is.
struct LoadProgress {
  RunState state = RunState::kClosed;
  double fraction = 0;
  double milliseconds = 0;  // that it took, once it is open
  std::optional<Error> error{};
};

class RunStore {
 public:
  // `budget` in bytes: beyond it the runs that were not used for longest are dropped, all but the newest.
  explicit RunStore(size_t budget) : budget_(budget) {}

  // Reads the run if it is not open in this version. Runs are read one after the other, each on all threads,
  // as long as none takes long; those that ask for a run in the making wait for it. A run that failed is
  // tried again.
  Result<std::shared_ptr<OpenRun>> Open(const ListedRun& run);
  LoadProgress Progress(const ListedRun& run);
  // Drops what is open of runs that are no longer listed.
  void Forget(const RunList& list);

 private:
  struct Slot {
    std::string id;
    std::string version;
    std::atomic<double> fraction = 0;
    RunState state = RunState::kLoading;
    double milliseconds = 0;
    std::shared_ptr<OpenRun> open;
    Error error;
  };

  void Load(const std::shared_ptr<Slot>& slot, const runs::Run& run);
  void Trim();

  size_t budget_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::timed_mutex reading_;                // whose turn it is
  std::list<std::shared_ptr<Slot>> slots_;  // used last first
};

}  // namespace gait::serve
