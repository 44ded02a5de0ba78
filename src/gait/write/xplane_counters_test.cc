#include "gait/write/xplane_counters.h"

#include <gtest/gtest.h>

#include "gait/base/bytes_source.h"
#include "gait/read/xplane/reader.h"

namespace gait::write {
namespace {

constexpr int64_t kStart = 1'794'742'512'659'368'825;

TEST(XPlaneCounters, AreReadBack) {
  const std::vector<CounterSeries> series = {
      {"GPU 0", "power_watts", {{kStart - 5, 1}, {kStart + 1000, 345.5}, {kStart + 2000, 350}}},
      {"GPU 0", "temperature_celsius", {{kStart + 1000, 61}}},
      {"host", "process_memory_bytes", {{kStart + 1, 5e9}}}};
  const std::string bytes = XPlaneCounters(series, kStart);
  const Result<Trace> trace = xplane::ReadBytes(Bytes(bytes), "test");
  ASSERT_TRUE(trace) << trace.error().what;
  ASSERT_EQ(trace->planes().size(), 2u);
  EXPECT_EQ(trace->text(trace->planes()[0].name), "/gait:GPU 0");
  EXPECT_EQ(trace->event_count(), 4u) << "the one before the session is left out";
  const Track& track = trace->tracks()[0];
  EXPECT_EQ(track.info().kind, TrackKind::kCounters);
  const EventRef first{TrackId(0), EventIndex(0)};
  EXPECT_EQ(trace->name(first), "power_watts");
  EXPECT_EQ(track.begin(first.index), Ps(1'000'000));
  EXPECT_EQ(trace->FindArg(first, "power_watts")->number(), 345.5);
  EXPECT_TRUE(trace->losses().empty()) << "out of order, say";
}

TEST(XPlaneCounters, WithoutSeriesThereIsNothing) { EXPECT_EQ(XPlaneCounters({}, 0), ""); }

TEST(SessionStart, OfARealCapture) {
  const Result<OpenedFile> file = OpenFile(std::string(GAIT_TEST_DATA) + "/h200/transfers.xplane.pb.gz");
  ASSERT_TRUE(file);
  const Result<Trace> trace = xplane::ReadFile(std::string(GAIT_TEST_DATA) + "/h200/transfers.xplane.pb.gz");
  ASSERT_TRUE(trace);
  ASSERT_TRUE(trace->environment().start_unix_ns);
  EXPECT_EQ(SessionStart(file->bytes.view()), trace->environment().start_unix_ns);
}

TEST(SessionStart, OfSomethingElse) {
  EXPECT_EQ(SessionStart(""), std::nullopt);
  EXPECT_EQ(SessionStart("not a capture"), std::nullopt);
  EXPECT_EQ(SessionStart(XPlaneCounters(std::vector<CounterSeries>{{"GPU 0", "x", {{5, 1}}}}, 0)),
            std::nullopt);
}

}  // namespace
}  // namespace gait::write
