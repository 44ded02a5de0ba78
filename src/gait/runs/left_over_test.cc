#include "gait/runs/left_over.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "gait/runs/find.h"
#include "gait/runs/scratch_dir.h"

namespace gait::runs {
namespace {

// A process that has ended.
int64_t GoneProcess() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(LeftOver, WhoWritesIt) {
  EXPECT_TRUE(IsPartialName(".vm.xplane.pb.123.partial"));
  EXPECT_FALSE(IsPartialName("vm.xplane.pb.partial"));
  EXPECT_FALSE(IsPartialName("..partial.pb"));
  EXPECT_EQ(WriterOf(".vm.xplane.pb.123.partial"), 123);
  EXPECT_EQ(WriterOf(".vm.xplane.pb.123.k3xq.partial"), 123);
  EXPECT_EQ(WriterOf(".vm.xplane.pb.partial"), std::nullopt);
}

TEST(LeftOver, OfAProcessThatIsGone) {
  const int64_t now = std::time(nullptr);
  const std::string gone = fmt::format(".a.{}.partial", GoneProcess());
  const std::string own = fmt::format(".a.{}.partial", ::getpid());
  EXPECT_TRUE(IsLeftOver(gone, now - 60));
  EXPECT_FALSE(IsLeftOver(gone, now));  // of another machine, perhaps
  EXPECT_FALSE(IsLeftOver(own, now - 60));
  EXPECT_FALSE(IsLeftOver(".a.partial", now - 60));
  EXPECT_TRUE(IsLeftOver(".a.partial", now - 2 * 24 * 60 * 60));
}

TEST(LeftOver, OnlyThoseAreRemoved) {
  const ScratchDir scratch;
  const auto make = [&](const std::string& name, int minutes) {
    const std::filesystem::path path = std::filesystem::path(scratch.path()) / name;
    std::ofstream(path) << "half";
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(minutes));
    return path;
  };
  const auto over = make(fmt::format(".vm.xplane.pb.{}.partial", GoneProcess()), 5);
  const auto in_use = make(fmt::format(".vm.xplane.pb.{}.partial", ::getpid()), 5);
  const auto other = make("notes.partial", 5);
  const Result<Listing> listing = FindRuns(scratch.path());
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->partial.size(), 2U);
  const Result<size_t> removed = RemoveLeftOvers(*listing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 1U);
  EXPECT_FALSE(std::filesystem::exists(over));
  EXPECT_TRUE(std::filesystem::exists(in_use));
  EXPECT_TRUE(std::filesystem::exists(other));
}

}  // namespace
}  // namespace gait::runs
