#include "gait/write/chrome_json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gait/base/decompress.h"
#include "gait/trace/trace_builder.h"

namespace gait::write {
namespace {

struct Event {
  int64_t begin;
  int64_t end;
  std::string name;
};

class ChromeJsonTest : public testing::Test {
 protected:
  PlaneId AddPlane(const std::string& name) {
    Plane plane;
    plane.name = builder_.Intern(name);
    return builder_.AddPlane(plane);
  }

  void AddTrack(PlaneId plane, const std::string& name, TrackKind kind, Layout layout,
                const std::vector<Event>& events, bool derived = false) {
    TrackInfo info;
    info.plane = plane;
    info.name = builder_.Intern(name);
    info.kind = kind;
    info.layout = layout;
    info.derived = derived;
    TrackWriter writer = builder_.NewTrack(info);
    for (const Event& event : events) {
      writer.Arg(builder_.Intern("id"), ArgValue::Int(event.begin));
      writer.Event(Ps(event.begin), Ps(event.end - event.begin), builder_.Intern(event.name));
    }
    builder_.Add(std::move(writer));
  }

  std::string Json() {
    const Trace trace = std::move(builder_).Finish();
    const std::string file = ChromeJson(trace);
    return Decompress(file, Compression::kGzip, "test").value().data;
  }

  static size_t Count(const std::string& text, const std::string& what) {
    size_t count = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  }

  TraceBuilder builder_;
};

TEST_F(ChromeJsonTest, AnEventSaysWhereWhenAndWhat) {
  AddTrack(AddPlane("/host:CPU"), "python", TrackKind::kThread, Layout::kNested,
           {{1'500'001, 4'000'000, "a \"b\""}});
  const std::string json = Json();
  EXPECT_NE(
      json.find(R"({"ph":"X","pid":1,"tid":1,"cat":"host","name":"a \"b\"","ts":1.500001,"dur":2.499999,)"
                R"("args":{"id":1500001}})"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("name":"process_name","args":{"name":"/host:CPU"})"), std::string::npos);
  EXPECT_NE(json.find(R"("name":"thread_name","args":{"name":"python"})"), std::string::npos);
  EXPECT_TRUE(json.ends_with("}]}\n")) << "speedscope and Perfetto stumble over an empty event at the end";
}

TEST_F(ChromeJsonTest, OverlappingKernelsHaveThreadsOfTheirOwn) {
  AddTrack(AddPlane("/device:GPU:0"), "Stream #1", TrackKind::kStream, Layout::kLanes,
           {{0, 10, "a"}, {5, 15, "b"}, {12, 20, "c"}});
  const std::string json = Json();
  EXPECT_EQ(Count(json, R"("ph":"X","pid":1,"tid":1)"), 2u);
  EXPECT_EQ(Count(json, R"("ph":"X","pid":1,"tid":2)"), 1u);
  EXPECT_NE(json.find("Stream #1 (2)"), std::string::npos);
}

TEST_F(ChromeJsonTest, NestedEventsStayTogetherAndOthersMove) {
  AddTrack(AddPlane("/host:CPU"), "python", TrackKind::kThread, Layout::kNested,
           {{0, 10, "outer"}, {1, 5, "inner"}, {4, 12, "across"}, {20, 30, "later"}});
  const std::string json = Json();
  EXPECT_EQ(Count(json, R"("ph":"X","pid":1,"tid":1)"), 3u);
  EXPECT_EQ(Count(json, R"("ph":"X","pid":1,"tid":2)"), 1u);
}

TEST_F(ChromeJsonTest, DerivedRowsAreLeftOut) {
  const PlaneId plane = AddPlane("/device:CPU:0");
  AddTrack(plane, "ops", TrackKind::kOps, Layout::kLanes, {{0, 1, "a"}}, true);
  EXPECT_EQ(Count(Json(), R"("ph":"X")"), 0u);
}

TEST_F(ChromeJsonTest, LargeIntegersAreText) {
  AddTrack(AddPlane("/host:CPU"), "t", TrackKind::kThread, Layout::kNested,
           {{int64_t{1} << 54, int64_t{1} << 55, "a"}});
  EXPECT_NE(Json().find(R"("args":{"id":"18014398509481984"})"), std::string::npos);
}

TEST_F(ChromeJsonTest, CountersAreSamples) {
  AddTrack(AddPlane("/device:GPU:0"), "_counters_", TrackKind::kCounters, Layout::kNested, {{7, 7, "power"}});
  EXPECT_NE(Json().find(
                R"({"ph":"C","pid":1,"tid":1,"cat":"counter","name":"power","ts":0.000007,"args":{"id":7}})"),
            std::string::npos);
}

TEST_F(ChromeJsonTest, NothingIsStillValid) {
  EXPECT_EQ(Json(), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
}

}  // namespace
}  // namespace gait::write
