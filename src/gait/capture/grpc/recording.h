// Recording: the captures of all targets of a task, made at the same time. First every server has to answer.
// Then all servers are asked to record at once, and each capture is written as soon as it has come.
#pragma once

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <vector>

#include "client.h"
#include "gait/capture/remote/task.h"

namespace gait::capture::remote {

class Recording {
 public:
  // `report` is called by one thread at a time.
  // `is_alone`: gait has gone, and nobody else looks at what came before it is kept.
  Recording(Task task, std::function<void(const Report&)> report, std::function<bool()> is_alone);

  // Returns when every target is done. Nothing is recorded unless all servers answer.
  void Run();

  // From another thread, while Run runs: ends the recordings early; their captures still come.
  void Stop();
  // The same, without waiting for captures that have not come.
  void GiveUp();
  // Prevents any recording that has not begun. True: nothing was recorded and nothing will be.
  bool ForgetUnlessItRecords();
  // Whether a file is being written: the process must not end meanwhile.
  bool IsWriting() const { return writing_ > 0; }
  // Time is up: targets whose capture has not come have failed for good.
  void Expire();

 private:
  void RunTarget(size_t target);
  void Say(const Report& report);
  bool End(size_t target);  // false when it has ended already
  void Fail(size_t target, const Failure& failure);
  void Write(size_t target, std::string_view capture);
  std::vector<std::shared_ptr<Client>> Connected();

  const Task task_;
  const std::function<void(const Report&)> report_;
  const std::function<bool()> is_alone_;
  std::vector<std::shared_ptr<Client>> clients_;  // null before it is connected
  std::latch connected_;
  std::atomic<bool> may_record_ = true;
  std::atomic<bool> announced_ = false;
  std::atomic<int> writing_ = 0;
  std::vector<bool> ended_;  // by target: its file is being written, or it has failed
  std::mutex mutex_;         // guards clients_, ended_ and report_
};

}  // namespace gait::capture::remote
