#include "gait/capture/background.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace gait::capture {
namespace {

using std::chrono::seconds;
using Progress = std::function<void(double)>;

TEST(Background, RunsStagesInOrderOnAnotherThread) {
  std::string order;
  std::thread::id where;
  const auto job = Background::Get().Submit({{"one",
                                              [&](const Progress&) -> Result<void> {
                                                where = std::this_thread::get_id();
                                                order += "1";
                                                return {};
                                              }},
                                             {"two", [&](const Progress& progress) -> Result<void> {
                                                progress(0.5);
                                                order += "2";
                                                return {};
                                              }}});
  ASSERT_TRUE(job->Wait(seconds(10)));
  EXPECT_EQ(order, "12");
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(job->fraction(), 1);
  EXPECT_FALSE(job->error());
}

TEST(Background, AFailureSkipsAllButWhatAlwaysRuns) {
  std::string order;
  const auto stage = [&](const char* mark) {
    return [&order, mark](const Progress&) -> Result<void> {
      order += mark;
      return {};
    };
  };
  const auto job =
      Background::Get().Submit({{"fails", [](const Progress&) -> Result<void> { return Unreadable("no"); }},
                                {"skipped", stage("s")},
                                {"last", stage("l"), true}});
  ASSERT_TRUE(job->Wait(seconds(10)));
  EXPECT_EQ(order, "l");
  EXPECT_EQ(job->error().value().what, "no");
}

TEST(Background, MemoryThatRunsOutCostsTheJobOnly) {
  const auto job =
      Background::Get().Submit({{"write", [](const Progress&) -> Result<void> { throw std::bad_alloc(); }}});
  ASSERT_TRUE(job->Wait(seconds(10)));
  ASSERT_TRUE(job->error());
  EXPECT_NE(job->error()->what.find("write: "), std::string::npos);
}

TEST(Background, AStageLetsGoOfWhatItHolds) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  std::atomic<bool> gone = false;
  // Moved all the way: the stages may be over before this thread goes on.
  std::vector<Stage> stages;
  stages.push_back({"holds", [held = std::move(held)](const Progress&) -> Result<void> { return {}; }});
  stages.push_back({"looks", [&](const Progress&) -> Result<void> {
                      gone = seen.expired();
                      return {};
                    }});
  const auto job = Background::Get().Submit(std::move(stages));
  ASSERT_TRUE(job->Wait(seconds(10)));
  EXPECT_TRUE(gone);
}

TEST(Background, WaitGivesUpInTime) {
  std::atomic<bool> go = false;
  const auto job = Background::Get().Submit({{"waits", [&](const Progress&) -> Result<void> {
                                                while (!go) std::this_thread::yield();
                                                return {};
                                              }}});
  EXPECT_FALSE(job->Wait(std::chrono::milliseconds(20)));
  EXPECT_EQ(job->stage(), "waits");
  EXPECT_FALSE(Background::Get().WaitAll(std::chrono::milliseconds(1)));
  EXPECT_EQ(Background::Get().pending(), 1u);
  go = true;
  EXPECT_TRUE(Background::Get().WaitAll(seconds(10)));
}

TEST(Background, WorksInAForkedChild) {
  ASSERT_TRUE(Background::Get().Submit({})->Wait(seconds(10)));
  const pid_t child = ::fork();
  if (child == 0) {
    const bool done = Background::Get().Submit({})->Wait(seconds(10));
    ::_exit(done ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gait::capture
