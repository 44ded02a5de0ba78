#include "gait/serve/run_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "gait/base/testing/scratch_dir.h"
#include "gait/serve/routes.h"

namespace gait::serve {
namespace {

using testing_support::ScratchDir;

const std::string kCapture = std::string(GAIT_TEST_DATA) + "/graphs/attention.xplane.pb.gz";

// A log directory with copies of a capture.
class LogDir {
 public:
  void Add(const std::string& name) {
    const std::string path = scratch_.Write(name + "/vm.xplane.pb.gz", "");
    std::filesystem::copy_file(kCapture, path, std::filesystem::copy_options::overwrite_existing);
  }
  std::string path() const { return scratch_.path(); }
  std::string operator/(const std::string& name) const { return scratch_ / name; }

 private:
  ScratchDir scratch_;
};

TEST(Directory, NamesRunsByTheirPlaceBelowIt) {
  LogDir logs;
  logs.Add("a");
  logs.Add("b/c");
  const auto list = Directory(logs.path()).List();
  ASSERT_EQ(list->runs.size(), 2U);
  EXPECT_NE(list->runs[0].id, list->runs[1].id);
  EXPECT_EQ(list->runs[0].id.size(), 12U);
  // The same tree elsewhere has the same ids.
  LogDir other;
  other.Add("a");
  other.Add("b/c");
  const auto again = Directory(other.path()).List();
  for (const ListedRun& run : list->runs) {
    EXPECT_TRUE(std::ranges::any_of(again->runs, [&](const ListedRun& r) { return r.id == run.id; }));
  }
}

TEST(Directory, NamesRunsAlikeHoweverItIsWritten) {
  LogDir logs;
  logs.Add("a");
  logs.Add("b");
  const auto id = [](const std::string& path) { return Directory(path).List()->runs.at(0).id; };
  EXPECT_EQ(id(logs.path()), id(std::string(logs.path()) + "/"));
  const std::string run = logs / "a";
  EXPECT_EQ(id(run), id(run + "/"));
  EXPECT_NE(id(run), id(logs / "b"));
}

TEST(Directory, SaysWhyThereIsNothing) {
  const LogDir logs;
  Directory directory(logs.path());
  EXPECT_TRUE(directory.List()->empty);
  EXPECT_EQ(directory.Find("newest"), nullptr);
  EXPECT_TRUE(Directory(logs / "missing").List()->empty);
}

TEST(RunStore, ReadsEachRunOnce) {
  LogDir logs;
  logs.Add("a");
  Directory directory(logs.path());
  RunStore store(size_t{1} << 30);
  const auto run = directory.Find("newest");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(store.Progress(*run).state, RunState::kClosed);
  std::vector<std::shared_ptr<OpenRun>> opened(8);
  std::vector<std::thread> threads;
  for (auto& slot : opened) threads.emplace_back([&] { slot = store.Open(*run).value_or(nullptr); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& open : opened) EXPECT_EQ(open, opened[0]);
  ASSERT_NE(opened[0], nullptr);
  EXPECT_EQ(store.Progress(*run).state, RunState::kOpen);
  EXPECT_EQ(store.Progress(*run).fraction, 1);
}

TEST(RunStore, KeepsTheNewestWithinItsBudget) {
  LogDir logs;
  logs.Add("a");
  logs.Add("b");
  Directory directory(logs.path());
  RunStore store(1, [] { return size_t{2}; });
  const auto list = directory.List();
  ASSERT_EQ(list->runs.size(), 2U);
  const auto first = store.Open(list->runs[0]);
  ASSERT_TRUE(first);
  EXPECT_EQ(store.Progress(list->runs[0]).state, RunState::kOpen);
  ASSERT_TRUE(store.Open(list->runs[1]));
  EXPECT_EQ(store.Progress(list->runs[0]).state, RunState::kClosed);
  EXPECT_EQ(store.Progress(list->runs[1]).state, RunState::kOpen);
  EXPECT_EQ((*first)->run().hosts.size(), 1U);  // who still uses it is not disturbed
}

TEST(RunStore, DropsWhatOthersKeepBeforeRuns) {
  LogDir logs;
  logs.Add("a");
  logs.Add("b");
  Directory directory(logs.path());
  size_t kept = 3;
  RunStore store(2, [&] { return kept; }, [&] { return kept > 0 && kept-- > 0; });
  const auto list = directory.List();
  ASSERT_TRUE(store.Open(list->runs[0]));
  ASSERT_TRUE(store.Open(list->runs[1]));
  EXPECT_EQ(kept, 2U);  // no more than is too much
  EXPECT_EQ(store.Progress(list->runs[0]).state, RunState::kOpen);
}

TEST(RunStore, CountsAllThatIsHeldAndTrimsBetweenLoads) {
  LogDir logs;
  logs.Add("a");
  Directory directory(logs.path());
  size_t held = 1;
  RunStore store(2, [&] { return held; });
  const auto run = directory.Find("newest");
  const auto open = store.Open(*run);
  ASSERT_TRUE(open);
  ASSERT_TRUE((*open)->Search("q", {.text = "fusion"}));
  const auto view = [&](int64_t step) {
    analyze::Selection selection;
    selection.first_step = selection.last_step = step;
    return (*open)->View(selection).value_or(nullptr);
  };
  const std::weak_ptr<const analyze::RunView> first = view(1);
  const std::weak_ptr<const analyze::RunView> second = view(2);
  store.Trim();
  EXPECT_FALSE(first.expired());  // within the budget all stays
  held = 3;
  store.Trim();
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(second.expired());  // who used it last may go on
  EXPECT_FALSE((*open)->DropOldest());
  EXPECT_EQ(store.Progress(*run).state, RunState::kOpen);
}

TEST(RunStore, GivesUpWhatNobodyWaitsFor) {
  LogDir logs;
  logs.Add("good");
  const std::string fifo = logs / "slow/vm.xplane.pb";
  std::filesystem::create_directories(logs / "slow");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int writer = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);  // it never writes, and never ends
  ASSERT_GE(writer, 0);
  ListedRun slow{"slow", "1", "", {}};
  slow.run.path = logs / "slow";
  slow.run.hosts.push_back({"vm", fifo});
  RunStore store(size_t{1} << 40);
  std::stop_source first;
  std::stop_source second;
  std::jthread one([&] { EXPECT_FALSE(store.Open(slow, first.get_token())); });
  while (store.Progress(slow).state != RunState::kLoading) std::this_thread::yield();
  std::jthread two([&] { EXPECT_FALSE(store.Open(slow, second.get_token())); });
  // It holds up nobody else.
  Directory directory(logs / "good");
  EXPECT_TRUE(store.Open(*directory.Find("newest")));
  first.request_stop();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(store.Progress(slow).state, RunState::kLoading);  // the other one still waits
  second.request_stop();
  one.join();
  two.join();
  EXPECT_EQ(store.Progress(slow).state, RunState::kClosed);
  ::close(writer);
}

TEST(RunStore, TriesAgainWhatFailed) {
  LogDir logs;
  logs.Add("a");
  std::ofstream(logs / "a/vm.xplane.pb.gz", std::ios::binary) << "no capture";
  Directory directory(logs.path());
  RunStore store(size_t{1} << 30);
  const auto run = directory.Find("newest");
  ASSERT_NE(run, nullptr);
  EXPECT_FALSE(store.Open(*run));
  EXPECT_EQ(store.Progress(*run).state, RunState::kFailed);
  EXPECT_TRUE(store.Progress(*run).error);
  logs.Add("a");
  EXPECT_TRUE(store.Open(*run));
}

TEST(Routes, AnswerAboutARunAndForgetItWhenItIsGone) {
  LogDir logs;
  logs.Add("a");
  Routes routes(logs.path(), size_t{1} << 30);
  const std::string id = routes.directory().Find("newest")->id;
  const auto status = [&](const std::string& path) { return routes({.path = path}).status; };
  EXPECT_EQ(status("/api/runs"), 200);
  EXPECT_EQ(status("/api/runs/" + id + "/steps"), 200);
  EXPECT_EQ(status("/api/runs/" + id + "/tracks"), 200);
  EXPECT_EQ(status("/api/runs/" + id + "/nothing"), 404);
  EXPECT_EQ(status("/api/runs/zzz/steps"), 404);
  EXPECT_EQ(status("/"), 200);
  EXPECT_EQ(status("/missing.js"), 404);
  std::filesystem::remove_all(logs / "a");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(status("/api/runs/" + id + "/steps"), 410);
}

TEST(Routes, WorkForOneWhoHasGoneEndsAndIsNotKept) {
  LogDir logs;
  logs.Add("a");
  Routes routes(logs.path(), size_t{1} << 40);
  const std::string run = "/api/runs/" + routes.directory().Find("newest")->id;
  EXPECT_EQ(routes({.path = run + "/tracks"}).status, 200);  // it is open
  std::stop_source gone;
  gone.request_stop();
  const std::vector<std::pair<std::string, std::multimap<std::string, std::string>>> questions = {
      {"search", {{"q", "fusion"}}},
      {"area", {{"from", "0"}, {"to", "1000000000000"}}},
      {"flame", {{"tracks", "0"}}},
      {"tile", {{"tracks", "0"}, {"level", "20"}, {"first", "0"}, {"buckets", "1000"}}},
      {"steps", {}},
      {"doctor", {}}};
  for (const auto& [what, parameters] : questions) {
    const std::string path = run + "/" + what;
    EXPECT_EQ(routes({.path = path, .parameters = parameters, .gone = gone.get_token()}).status, 499) << what;
    EXPECT_EQ(routes({.path = path, .parameters = parameters}).status, 200) << what;
  }
}

}  // namespace
}  // namespace gait::serve
