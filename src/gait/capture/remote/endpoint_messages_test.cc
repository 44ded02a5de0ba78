#include "gait/capture/remote/endpoint_messages.h"

#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

TEST(CaptureRequest, AsksForStepsOrTime) {
  Task task{.session = "s", .duration_ms = 500, .steps = 5, .tracers = {}, .targets = {}};
  EXPECT_EQ(CaptureRequest(task, true),
            R"({"steps":6,"options":{"host_tracer_level":2,"python_tracer_level":0}})");
  EXPECT_EQ(CaptureRequest(task, false),
            R"({"duration_ms":500,"options":{"host_tracer_level":2,"python_tracer_level":0}})");
}

TEST(CaptureRequest, CarriesTheOptions) {
  Task task{.session = "s",
            .duration_ms = 1,
            .tracers = {.host = 1,
                        .device = 0,
                        .python = true,
                        .advanced = {{"a", true}, {"b", int64_t{7}}, {"c", "x\"y"}}},
            .targets = {}};
  EXPECT_EQ(CaptureRequest(task, false),
            R"({"duration_ms":1,"options":{"host_tracer_level":1,"python_tracer_level":1,)"
            R"("device_tracer_level":0,"a":true,"b":7,"c":"x\"y"}})");
}

TEST(StatusOfReply, KnowsGait) {
  EXPECT_TRUE(StatusOfReply(R"({"gait": "0.1.0", "steps": 3})").value().marks_steps);
  EXPECT_FALSE(StatusOfReply(R"({"gait": "0.1.0", "steps": 0})").value().marks_steps);
  for (const char* other : {"", "{}", "<html>", R"({"gait": 1, "steps": 3})", R"({"gait": "1"})", "[1]"}) {
    EXPECT_FALSE(StatusOfReply(other).has_value()) << other;
  }
}

TEST(FileOfReply, IsAPathOrTheProgramsError) {
  EXPECT_EQ(FileOfReply(R"({"file": "/gait/captures/1", "bytes": 3})").value(), "/gait/captures/1");
  EXPECT_EQ(FileOfReply(R"({"error": {"what": "not now", "hint": ""}})").error().what, "not now");
  for (const char* other : {"", "{}", R"({"file": "http://elsewhere/"})", R"({"file": 3})",
                            "{\"file\": \"/a b\"}", "{\"file\": \"/a\\r\\nHost: b\"}"}) {
    EXPECT_FALSE(FileOfReply(other).has_value()) << other;
  }
}

}  // namespace
}  // namespace gait::capture::remote
