// RunStore: opens runs and keeps the runs that were used last open, within a budget of memory. The budget is
// for all memory of the process, as the system counts it, so that no use is missed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gait/base/result.h"
#include "gait/serve/directory.h"
#include "gait/serve/held_memory.h"
#include "gait/serve/interest.h"
#include "gait/serve/open_run.h"

namespace gait::serve {

enum class RunState : uint8_t { kClosed, kLoading, kOpen, kFailed };
std::string_view Name(RunState state);  // "closed", ...

// The progress of reading a run.
struct LoadProgress {
  RunState state = RunState::kClosed;
  double fraction = 0;
  double milliseconds = 0;  // that it took, once it is open
  std::optional<Error> error{};
};

class RunStore {
 public:
  // `budget` limits the bytes that `held` returns. Beyond the budget `drop_first` drops what takes little
  // work to make again, until it returns false; then views and searches are dropped, the oldest first; then
  // the runs that were not used for longest, all but the newest.
  explicit RunStore(size_t budget, std::function<size_t()> held = HeldMemory,
                    std::function<bool()> drop_first = {})
      : budget_(budget), held_(std::move(held)), drop_first_(std::move(drop_first)) {}

  // Reads the run if this version of it is not open. Runs are read one after the other, each on all threads,
  // as long as none takes long. Requests for a run that is being read wait for it; when all of them have gone
  // (`gone`), the reading is given up. A run that failed is tried again.
  Result<std::shared_ptr<OpenRun>> Open(const ListedRun& run, const std::stop_token& gone = {});
  LoadProgress Progress(const ListedRun& run);
  // Closes runs that are no longer listed.
  void Forget(const RunList& list);
  // Drops objects until the budget is kept. To be called when something may have been made; costs one system
  // call within the budget.
  void Trim();

 private:
  struct Slot {
    std::string id;
    std::string version;
    std::atomic<double> fraction = 0;
    RunState state = RunState::kLoading;
    double milliseconds = 0;
    std::shared_ptr<OpenRun> open;
    Error error;
    std::shared_ptr<Interest> interest = std::make_shared<Interest>();
  };

  void Load(const std::shared_ptr<Slot>& slot, const runs::Run& run);
  std::vector<std::shared_ptr<OpenRun>> OpenRuns();  // used last at the end
  std::shared_ptr<OpenRun> DropOldest();             // null: only the newest is left

  size_t budget_;
  std::function<size_t()> held_;
  std::function<bool()> drop_first_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::timed_mutex reading_;  // whose turn it is
  std::mutex trimming_;
  std::list<std::shared_ptr<Slot>> slots_;  // used last first
};

}  // namespace gait::serve
