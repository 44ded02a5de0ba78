#include "gait/analyze/inspect/dump.h"

#include <gtest/gtest.h>

#include "gait/analyze/run/test_run.h"

namespace gait::analyze {
namespace {

// Name of every event in the order of the dump.
std::vector<std::string> Names(const DumpOptions& options, size_t hosts = 1) {
  const auto document = DumpDocument(TestRun(hosts), options);
  std::vector<std::string> names;
  if (!document) return {document.error().what};
  report::Row row;
  while (document->tables[0].more(row)) {
    names.push_back(row[3].text());
    row.clear();
  }
  return names;
}
using Texts = std::vector<std::string>;

TEST(Dump, AllTracksInOrderOfTime) {
  EXPECT_EQ(Names({}), (Texts{"loop_fusion", "gemm", "loop_fusion", "train", "PjitFunction(f)", "train",
                              "PjitFunction(f)"}));
  EXPECT_EQ(Names({}, 2).size(), 14u);
}

TEST(Dump, Selections) {
  EXPECT_EQ(Names({.track = "14"}).size(), 3u);
  EXPECT_EQ(Names({.track = "-7"}).size(), 4u);
  EXPECT_EQ(Names({.track = "Stream #14(Compute)"}).size(), 3u);        // its very name, parentheses and all
  EXPECT_EQ(Names({.track = "GPU 0 Stream #14(Compute)"}).size(), 3u);  // as info prints it
  EXPECT_EQ(Names({.track = "host python3"}).size(), 4u);
  EXPECT_EQ(Names({.track = "^GPU \\d"}).size(), 3u);
  EXPECT_EQ(Names({.track = "^GPU 0"}).size(), 3u);
  EXPECT_EQ(Names({.track = "/host:CPU py"}).size(), 4u);
  EXPECT_EQ(Names({.name = "gemm|Pjit"}), (Texts{"gemm", "PjitFunction(f)", "PjitFunction(f)"}));
  EXPECT_EQ(Names({.from = Microseconds(115), .to = Microseconds(120)}), (Texts{"gemm"}));
  EXPECT_EQ(Names({.limit = 2}).size(), 2u);
}

TEST(Dump, ArgumentsAndCounts) {
  const auto document = DumpDocument(TestRun(), {.name = "Pjit", .limit = 1});
  ASSERT_TRUE(document);
  EXPECT_EQ(document->answer, "1 of 2 events that match, of 7 in all.");
  EXPECT_EQ(document->notes, (Texts{"1 event more; --limit 0 shows all"}));
  report::Row row;
  ASSERT_TRUE(document->tables[0].more(row));
  EXPECT_EQ(row[4].text(), "note=\"two words\"");
  EXPECT_EQ(row[4].json(), "[[\"note\",\"two words\"]]");
}

TEST(Dump, SumsHaveNoTimeAndDisplayNamesAreShown) {
  TraceBuilder builder;
  const auto text = [&](std::string_view s) { return builder.Intern(s); };
  const PlaneId plane =
      builder.AddPlane({0, text("/device:TPU:0"), PlaneKind::kTpu, 0, std::nullopt, kNoArgs});
  for (const TrackKind kind : {TrackKind::kAggregated, TrackKind::kOps}) {
    TrackInfo info;
    info.plane = plane;
    info.id = static_cast<int64_t>(kind);
    info.name = text("line");
    info.kind = kind;
    TrackWriter track = builder.NewTrack(info);
    track.Arg(text("display_name"), ArgValue::String(text("fusion.1")));
    track.Event(Microseconds(kind == TrackKind::kOps ? 5 : 0), Microseconds(1), text("%fusion.1 = long"));
    builder.Add(std::move(track));
  }
  auto run = std::make_shared<LoadedRun>();
  run->hosts.push_back({"vm", "", std::move(builder).Finish()});

  const auto document = DumpDocument(run, {.name = "^fusion"});  // as it is shown
  ASSERT_TRUE(document);
  report::Row timed;
  report::Row sum;
  ASSERT_TRUE(document->tables[0].more(timed));
  ASSERT_TRUE(document->tables[0].more(sum));
  EXPECT_EQ(timed[0].RawNumber(), "5000000");
  EXPECT_EQ(timed[3].text(), "%fusion.1 = long");
  EXPECT_EQ(timed[3].shown(), "fusion.1");
  EXPECT_EQ(timed[11].text(), "none");
  EXPECT_EQ(sum[0].kind(), report::Cell::Kind::kUnknown);
  EXPECT_EQ(sum[1].RawNumber(), "1000000");  // of all of them together
}

TEST(Dump, BadRequestsAreUsageErrors) {
  for (const DumpOptions& options : {DumpOptions{.name = "a("}, DumpOptions{.track = "nothing like it"},
                                     DumpOptions{.track = "a("}, DumpOptions{.from = Ps(2), .to = Ps(1)}}) {
    const auto document = DumpDocument(TestRun(), options);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace gait::analyze
