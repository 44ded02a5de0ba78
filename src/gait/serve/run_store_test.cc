#include "gait/serve/run_store.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "gait/runs/scratch_dir.h"
#include "gait/serve/routes.h"

namespace gait::serve {
namespace {

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
  runs::ScratchDir scratch_;
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
  RunStore store(1);
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

}  // namespace
}  // namespace gait::serve
