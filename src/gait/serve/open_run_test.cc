#include "gait/serve/open_run.h"

#include <string>

#include <gtest/gtest.h>

#include "gait/load/load.h"
#include "gait/runs/resolve.h"
#include "gait/timeline/area.h"
#include "gait/timeline/tile.h"

namespace gait::serve {
namespace {

std::stop_token Stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

class StoppedWork : public testing::Test {
 protected:
  StoppedWork() {
    const std::string path = std::string(GAIT_TEST_DATA) + "/graphs/attention.xplane.pb.gz";
    auto loaded = load::LoadRun(runs::RunOfFile(path).value(), {});
    run = std::make_unique<OpenRun>(std::make_shared<const analyze::LoadedRun>(std::move(loaded).value()));
  }
  std::unique_ptr<OpenRun> run;
};

TEST_F(StoppedWork, OfASearchIsCutShortAndNotKept) {
  timeline::SearchQuery query{.text = "/./"};
  query.stop = Stopped();
  EXPECT_EQ(run->Search("q", query).value()->total, 0U);
  query.stop = {};
  EXPECT_GT(run->Search("q", query).value()->total, 0U);
}

TEST_F(StoppedWork, OfATileAndAnAreaIsCutShort) {
  timeline::TileRequest tile;
  for (const timeline::TimelineTrack& track : run->timeline().captured.tracks) tile.rows.push_back({&track});
  tile.window = {run->timeline().span.begin, 24, 1000};
  const size_t whole = timeline::MakeTile(tile).size();
  tile.stop = Stopped();
  EXPECT_LT(timeline::MakeTile(tile).size(), whole / 10);
  timeline::AreaQuery area{.window = run->timeline().span};
  const auto view = run->View({}).value();
  EXPECT_FALSE(timeline::FindArea(run->book(), run->timeline(), *view, area).rows.empty());
  area.stop = Stopped();
  EXPECT_TRUE(timeline::FindArea(run->book(), run->timeline(), *view, area).rows.empty());
}

}  // namespace
}  // namespace gait::serve
