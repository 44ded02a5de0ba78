#include "gait/runs/left_over.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "gait/base/file_writer.h"
#include "gait/base/testing/scratch_dir.h"
#include "gait/runs/find.h"
#include "gait/runs/resolve.h"

namespace gait::runs {
namespace {

using testing_support::ScratchDir;

// A process that has ended.
int64_t GoneProcess() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

void MakeOld(const std::filesystem::path& path, int hours) {
  std::filesystem::last_write_time(path,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
}

TEST(LeftOver, WhoWritesIt) {
  EXPECT_TRUE(IsPartialName(".vm.xplane.pb.123.partial"));
  EXPECT_FALSE(IsPartialName("vm.xplane.pb.partial"));
  EXPECT_FALSE(IsPartialName("..partial.pb"));
  EXPECT_EQ(WriterOf(".vm.xplane.pb.123.partial"), 123);
  EXPECT_EQ(WriterOf(".vm.xplane.pb.123.0123456789abcdef.partial"), 123);
  EXPECT_EQ(WriterOf(".report.html.123.0123456789abcdef.partial"), 123);
  EXPECT_EQ(WriterOf(".vm.xplane.pb.partial"), std::nullopt);
}

TEST(LeftOver, NoOtherNameIsGaits) {
  EXPECT_TRUE(IsPartialName(".gait.json.123.partial"));
  EXPECT_FALSE(IsPartialName(".mynotes.partial"));
  EXPECT_FALSE(IsPartialName(".mynotes.123.partial"));
  EXPECT_FALSE(IsPartialName(".mynotes.0123456789abcdef.partial"));
  EXPECT_FALSE(IsPartialName(".mynotes.123.0123456789ABCDEF.partial"));
}

TEST(LeftOver, FoldersOfCaptures) {
  EXPECT_TRUE(IsSessionFolder("runs/plugins/profile/2026_01_02_03_04_05"));
  EXPECT_TRUE(IsSessionFolder("plugins/profile/2026_01_02_03_04_05_2"));
  EXPECT_FALSE(IsSessionFolder("plugins/profile/mine"));
  EXPECT_FALSE(IsSessionFolder("profile/2026_01_02_03_04_05"));
}

TEST(LeftOver, OfAProcessThatIsGone) {
  const int64_t now = std::time(nullptr);
  const std::string gone = fmt::format(".a.prof.{}.partial", GoneProcess());
  const std::string own = fmt::format(".a.prof.{}.partial", ::getpid());
  EXPECT_TRUE(IsLeftOver(gone, now - 60));
  EXPECT_FALSE(IsLeftOver(gone, now));  // of another machine, perhaps
  EXPECT_FALSE(IsLeftOver(own, now - 60));
  EXPECT_FALSE(IsLeftOver(".a.prof.partial", now - 60));
  EXPECT_TRUE(IsLeftOver(".a.prof.partial", now - 2 * 24 * 60 * 60));
}

std::string PartialIn(const ScratchDir& scratch) {
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    if (IsPartialName(entry.path().filename().string())) return entry.path();
  }
  return "";
}

// A process of another container cannot be seen, and may stand still for long.
TEST(LeftOver, WhatSomebodyWritesIsNone) {
  const int64_t long_ago = std::time(nullptr) - 2 * 24 * 60 * 60;
  const ScratchDir scratch;
  {
    const Result<FileWriter> writer = FileWriter::Open(scratch / "report.html");
    ASSERT_TRUE(writer);
    ASSERT_NE(PartialIn(scratch), "");
    EXPECT_FALSE(IsLeftOver(PartialIn(scratch), long_ago));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<FileWriter> writer = FileWriter::Open(scratch / "report.html");
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_NE(PartialIn(scratch), "") << "killed";
  EXPECT_TRUE(IsLeftOver(PartialIn(scratch), long_ago));
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
  Result<Listing> listing = FindRuns(scratch.path());
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->partial.size(), 2U);
  const Result<Removed> removed = RemoveLeftOvers(*listing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, 1U);
  EXPECT_EQ(listing->partial.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(over));
  EXPECT_TRUE(std::filesystem::exists(in_use));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST(LeftOver, AFolderThatWasBeingCopiedIsNoRun) {
  const ScratchDir scratch;
  const std::string name = fmt::format("plugins/profile/.mine.{}.0123456789abcdef.partial", GoneProcess());
  scratch.Write(name + "/vm.xplane.pb");
  MakeOld(scratch / name, 1);
  Result<Listing> listing = FindRuns(scratch.path());
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->runs.empty());
  ASSERT_EQ(listing->partial.size(), 1U);
  EXPECT_EQ(RemoveLeftOvers(*listing)->folders, 1U);
  EXPECT_FALSE(std::filesystem::exists(scratch / name));
}

TEST(LeftOver, WhatLiesBehindALinkStays) {
  const ScratchDir elsewhere;
  const std::string file =
      elsewhere.Write(fmt::format("deep/.vm.xplane.pb.{}.0123456789abcdef.partial", GoneProcess()));
  MakeOld(file, 48);
  const ScratchDir scratch;
  std::filesystem::create_directory_symlink(elsewhere.path(), scratch / "link");
  std::filesystem::create_symlink(file, scratch / ".vm.xplane.pb.1.partial");
  Result<Listing> listing = FindRuns(scratch.path());
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->partial.empty());
  EXPECT_EQ(RemoveLeftOvers(*listing)->files, 0U);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(LeftOver, WhereThereIsNothingElse) {
  const ScratchDir scratch;
  MakeOld(scratch.Write(
              fmt::format("a/plugins/profile/2026_01_02_03_04_05/.vm.xplane.pb.{}.partial", GoneProcess())),
          1);
  std::filesystem::create_directories(scratch / "a/plugins/profile/2026_01_02_03_04_06");
  std::filesystem::create_directories(scratch / "a/plugins/profile/2026_01_02_03_04_07");
  MakeOld(scratch / "a/plugins/profile/2026_01_02_03_04_07", 48);
  Result<Listing> listing = ListRuns(scratch.path());
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->partial.size(), 3U);
  const Result<Removed> removed = RemoveLeftOvers(*listing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, 1U);
  EXPECT_EQ(removed->folders, 2U);
  ASSERT_EQ(listing->partial.size(), 1U);
  EXPECT_FALSE(listing->partial[0].left_over);
}

}  // namespace
}  // namespace gait::runs
