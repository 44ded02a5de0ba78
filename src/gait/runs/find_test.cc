#include "gait/runs/find.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "gait/base/testing/scratch_dir.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/runs/names.h"

namespace gait::runs {
namespace {

using testing_support::ScratchDir;

std::vector<std::string> Labels(const Listing& listing) {
  std::vector<std::string> labels;
  for (const Run& run : listing.runs) labels.push_back(run.label);
  return labels;
}
using Texts = std::vector<std::string>;

TEST(FindRuns, EveryLayoutNewestFirst) {
  ScratchDir dir;
  dir.Write("gpt/plugins/profile/2026_11_15_00_29_59/vm.xplane.pb");
  dir.Write("gpt/plugins/profile/2026_11_15_00_30_00/b.xplane.pb.gz");
  dir.Write("gpt/plugins/profile/2026_11_15_00_30_00/a.xplane.pb", "123");
  dir.Write("plugins/profile/2024_01_01_00_00_00/vm.xplane.pb");
  dir.Write("deep/er/run/vm.xplane.pb.zst");
  dir.Write("other/notes.txt");
  const auto when = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 50);
  std::filesystem::last_write_time(dir / "deep/er/run/vm.xplane.pb.zst", when);

  const auto listing = FindRuns(dir.path());
  ASSERT_TRUE(listing);
  EXPECT_EQ(Labels(*listing), (Texts{"gpt/2026_11_15_00_30_00", "gpt/2026_11_15_00_29_59",
                                     "2024_01_01_00_00_00", "deep/er/run"}));
  const auto& newest = listing->runs[0];
  ASSERT_EQ(newest.hosts.size(), 2u);
  EXPECT_EQ(newest.hosts[0].host, "a");
  EXPECT_EQ(newest.hosts[1].host, "b");
  EXPECT_EQ(newest.bytes(), 4u);
  EXPECT_EQ(newest.time_from, TimeFrom::kName);
  EXPECT_EQ(listing->runs[3].time_from, TimeFrom::kFile);
}

TEST(FindRuns, RunsOfOneSecondByTheirNumbers) {
  ScratchDir dir;
  for (const char* number : {"", "_2", "_9", "_12"})
    dir.Write(std::string("2026_11_15_00_30_00") + number + "/vm.xplane.pb");
  EXPECT_EQ(Labels(*FindRuns(dir.path())), (Texts{"2026_11_15_00_30_00_12", "2026_11_15_00_30_00_9",
                                                  "2026_11_15_00_30_00_2", "2026_11_15_00_30_00"}));
}

TEST(FindRuns, OneCaptureStoredTwiceIsOneHost) {
  ScratchDir dir;
  dir.Write("r/vm.xplane.pb.zst");
  dir.Write("r/vm.xplane.pb.gz");
  dir.Write("r/vm.xplane.pb", "plain");
  dir.Write("r/vn.xplane.pb.gz");
  const auto listing = FindRuns(dir.path());
  ASSERT_EQ(listing->runs.size(), 1u);
  const auto& hosts = listing->runs[0].hosts;
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(hosts[0].path, dir / "r/vm.xplane.pb");
  EXPECT_EQ(hosts[1].path, dir / "r/vn.xplane.pb.gz");
}

TEST(FindRuns, BareFilesAboveOtherRunsAreARun) {
  ScratchDir dir;
  dir.Write("bare.xplane.pb");
  dir.Write("plugins/profile/2026_11_15_00_29_59/vm.xplane.pb");
  EXPECT_EQ(FindRuns(dir.path())->runs.size(), 2u);
}

TEST(FindRuns, SaysWhatItCouldNotSee) {
  EXPECT_EQ(SearchNotes({}), Texts{});
  Listing listing;
  listing.unreadable = 1;
  EXPECT_EQ(SearchNotes(listing), Texts{"1 folder that cannot be read was left out"});
  listing.unreadable = 2;
  listing.cut = "more than 10 entries";
  EXPECT_EQ(SearchNotes(listing), (Texts{"2 folders that cannot be read were left out",
                                         "the search stopped early: more than 10 entries"}));
}

TEST(FindRuns, WhatLiesBesideWithoutCaches) {
  ScratchDir dir;
  dir.Write("r/vm.xplane.pb");
  for (const char* name :
       {"vm.trace.json.gz", "perfetto_trace.json.gz", "memory.prof", "jit_f.hlo_proto.pb"}) {
    dir.Write(std::string("r/") + name);
  }
  for (const char* cache :
       {"vm.SSTABLE", "ALL_HOSTS.op_stats_v2.pb", "NO_MODULE.hlo_proto.pb", ".cached_tools.json"}) {
    dir.Write(std::string("r/") + cache);
  }
  const auto listing = FindRuns(dir.path());
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->runs.size(), 1u);
  EXPECT_EQ(listing->runs[0].beside.size(), 4u);
  EXPECT_EQ(listing->entries, 10u);
}

TEST(FindRuns, LinksInCirclesAndForbiddenFolders) {
  ScratchDir dir;
  ScratchDir elsewhere;
  elsewhere.Write("run/vm.xplane.pb");
  dir.Write("a/vm.xplane.pb");
  std::filesystem::create_directory_symlink(dir.path(), dir / "a/loop");
  std::filesystem::create_directory_symlink(elsewhere.path(), dir / "linked");
  std::filesystem::create_symlink("nowhere", dir / "a/dangling.xplane.pb");
  std::filesystem::create_directory(dir / "closed");
  ::chmod((dir / "closed").c_str(), 0);
  const auto listing = FindRuns(dir.path());
  ::chmod((dir / "closed").c_str(), 0700);
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->runs.size(), 2u);
  EXPECT_EQ(listing->unreadable, ::geteuid() == 0 ? 0u : 1u);
}

TEST(FindRuns, ALinkDoesNotNameARun) {
  ScratchDir dir;
  dir.Write("folder/vm.xplane.pb");
  for (const char* link : {"a", "current", "latest", "z"})
    std::filesystem::create_directory_symlink(dir / "folder", dir / link);
  const auto listing = FindRuns(dir.path());
  ASSERT_EQ(listing->runs.size(), 1u);
  EXPECT_EQ(listing->runs[0].label, "folder");
}

TEST(FindRuns, WhatCannotBeReadIsTold) {
  ScratchDir dir;
  dir.Write("a/vm.xplane.pb");
  const std::string packed = dir.Write("b/vm.xplane.pb.xz");
  const auto listing = FindRuns(dir.path());
  EXPECT_EQ(listing->runs.size(), 1u);
  EXPECT_EQ(SearchNotes(*listing),
            std::vector<std::string>{"a capture that gait does not read was left out: " + packed});
}

TEST(FindRuns, AMissingDirectoryIsAnError) {
  const auto listing = FindRuns("/nowhere/at/all");
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().what, "/nowhere/at/all: No such file or directory");
}

TEST(FindRuns, LimitsEndTheSearchAloud) {
  ScratchDir dir;
  for (int i = 0; i < 20; ++i) dir.Write(fmt::format("{}.txt", i));
  EXPECT_EQ(FindRuns(dir.path(), 10)->cut, "more than 10 entries");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "d/";
  dir.Write(deep + "vm.xplane.pb");
  const auto listing = FindRuns(dir.path());
  EXPECT_EQ(listing->too_deep, 1u);
  EXPECT_EQ(listing->cut, "");
}

TEST(FindRuns, FiveThousandRunsInAMoment) {
  ScratchDir dir;
  for (int i = 0; i < 5000; ++i) dir.Write(fmt::format("plugins/profile/run_{}/vm.xplane.pb", i));
  const std::clock_t begin = std::clock();
  const auto listing = FindRuns(dir.path());
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(listing->runs.size(), 5000u);
  EXPECT_LT(took, 5.0);  // of the processor, whoever else wants it; 0.05 without a sanitizer
}

TEST(Names, Times) {
  EXPECT_TRUE(TimeOfRunName("2026_11_15_00_29_59"));
  EXPECT_EQ(*TimeOfRunName("2026_11_15_00_30_00") - *TimeOfRunName("2026_11_15_00_29_59"), 1);
  EXPECT_FALSE(TimeOfRunName("2026_13_15_00_29_59"));
  EXPECT_FALSE(TimeOfRunName("2025_03_11"));
  EXPECT_FALSE(TimeOfRunName("2026-11-15_00_29_59"));
}

// A name is a local time without a zone: beside runs that know their time it would sort by where it is read.
TEST(FindRuns, RunsThatKnowTheirTimeAreSortedByIt) {
  ScratchDir dir;
  const auto space_of = [](int64_t start_ns) {
    using namespace xplane::testing_support;
    PlaneWriter plane("Task Environment");
    plane.StatName(1, "profile_start_time").Stat(IntStat(1, start_ns));
    return Space({plane.Finish()});
  };
  dir.Write("2026_02_02_00_00_00/vm.xplane.pb", space_of(1'700'000'000'000'000'000));
  EXPECT_EQ(FindRuns(dir.path())->runs[0].time_from, TimeFrom::kName);
  dir.Write("named/vm.xplane.pb", space_of(1'700'000'001'000'000'000));
  const auto listing = FindRuns(dir.path());
  EXPECT_EQ(listing->runs[0].label, "named");
  EXPECT_EQ(listing->runs[1].time_s, 1'700'000'000);
}

TEST(Names, Paths) {
  EXPECT_EQ(BaseName("a/b/"), "b");
  EXPECT_EQ(BaseName("/"), "/");
  EXPECT_EQ(DirectoryOf("a/b"), "a");
  EXPECT_EQ(DirectoryOf("b"), ".");
  EXPECT_EQ(DirectoryOf("/b"), "/");
}

}  // namespace
}  // namespace gait::runs
