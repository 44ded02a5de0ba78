#include "gait/read/xplane/cpu_devices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

using namespace testing_support;

enum : int64_t { kHloOp = 1, kOrdinal, kProducer, kConsumer, kModule, kText };
enum : int64_t { kDot = 1, kWhile, kAllReduce, kEndAllReduce, kExecute };

PlaneWriter Host() {
  PlaneWriter plane("/host:CPU");
  plane.StatName(kHloOp, "hlo_op").StatName(kOrdinal, "device_ordinal").StatName(kProducer, "_p");
  plane.StatName(kConsumer, "_c").StatName(kModule, "hlo_module").StatName(kText, "dot.1");
  plane.EventName(kDot, "dot.1").EventName(kWhile, "while.2").EventName(kAllReduce, "all-reduce.3");
  plane.EventName(kEndAllReduce, "end: all-reduce.3").EventName(kExecute, "ThunkExecutor::Execute");
  return plane;
}

Messages Op(int64_t ordinal) { return {RefStat(kHloOp, kText), IntStat(kOrdinal, ordinal)}; }
Messages Producing(int64_t ordinal, int64_t id) {
  Messages stats = Op(ordinal);
  stats.push_back(IntStat(kProducer, id));
  return stats;
}

Trace Read(const Messages& planes) {
  Result<Trace> trace = ReadBytes(Bytes(Space(planes)), "test");
  EXPECT_TRUE(trace);
  return trace ? std::move(*trace) : Trace();
}

// The derived rows, one line for each operation: "device 0: dot.1 [0,10) lane 0 in while.2".
std::string Rows(const Trace& trace) {
  std::string rows;
  for (const Track& track : trace.tracks()) {
    if (!track.info().derived) continue;
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      rows +=
          fmt::format("{} {} [{},{})", trace.text(trace.plane(track.info().plane).name),
                      trace.text(track.name(event)), track.begin(event).value(), track.end(event).value());
      if (track.parent(event).valid())
        rows += fmt::format(" in {}", trace.text(track.name(track.parent(event))));
      rows += '\n';
    }
  }
  return rows;
}

TEST(CpuDevices, OneRowPerOrdinalFromAllThreads) {
  PlaneWriter plane = Host();
  plane.Line(
      {.id = 1, .name = "tf_XLAEigen/1", .events = {Event(kDot, 0, 10, Op(0)), Event(kDot, 20, 5, Op(1))}});
  plane.Line(
      {.id = 2, .name = "tf_XLAEigen/2", .events = {Event(kDot, 5, 10, Op(0)), Event(kExecute, 0, 99)}});
  const Trace trace = Read({plane.Finish()});
  EXPECT_EQ(Rows(trace),
            "/device:CPU:0 dot.1 [0,10)\n"
            "/device:CPU:0 dot.1 [5,15)\n"
            "/device:CPU:1 dot.1 [20,25)\n");
  ASSERT_EQ(trace.planes().size(), 3U);
  EXPECT_EQ(trace.planes()[1].kind, PlaneKind::kCpuDevice);
  EXPECT_EQ(trace.planes()[2].ordinal, 1);
  const Track& row = trace.tracks()[2];
  EXPECT_EQ(row.info().kind, TrackKind::kOps);
  EXPECT_EQ(row.lane(EventIndex(1)), 1U);
  EXPECT_EQ(trace.event_count(), 4U);  // derived rows are not counted
  EXPECT_EQ(gait::testing_support::ArgsText(trace, {TrackId(2), EventIndex(0)}),
            "hlo_op=string dot.1; device_ordinal=int 0");
}

TEST(CpuDevices, AnAsynchronousOperationEndsAtItsEndEventOnAnotherLine) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 3, Producing(0, -77)), Event(kDot, 4, 2, Op(0))}});
  plane.Line({.id = 2,
              .events = {Event(kEndAllReduce, 50, 0, {IntStat(kConsumer, -77)}),
                         Event(kEndAllReduce, 60, 0, {IntStat(kConsumer, 5)})}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,50)\n"
            "/device:CPU:0 dot.1 [4,6)\n");
}

TEST(CpuDevices, AnEndBeforeTheEventsOwnEndIsIgnored) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 10, 30, Producing(0, 5))}});
  plane.Line({.id = 2, .events = {Event(kEndAllReduce, 5, 0, {IntStat(kConsumer, 5)})}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "/device:CPU:0 all-reduce.3 [10,40)\n");
}

TEST(CpuDevices, TheBodyOfAWhileIsInsideIt) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1,
              .events = {Event(kWhile, 0, 100, Op(0)), Event(kExecute, 5, 90), Event(kDot, 10, 10, Op(0)),
                         Event(kDot, 30, 10, Op(0)), Event(kDot, 200, 10, Op(0))}});
  plane.Line({.id = 2, .events = {Event(kDot, 15, 10, Op(0))}});  // at the same time, on another thread
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 while.2 [0,100)\n"
            "/device:CPU:0 dot.1 [10,20) in while.2\n"
            "/device:CPU:0 dot.1 [15,25)\n"
            "/device:CPU:0 dot.1 [30,40) in while.2\n"
            "/device:CPU:0 dot.1 [200,210)\n");
}

TEST(CpuDevices, NoParentAcrossDevices) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kWhile, 0, 100, Op(0)), Event(kDot, 10, 10, Op(1))}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 while.2 [0,100)\n"
            "/device:CPU:1 dot.1 [10,20)\n");
}

TEST(CpuDevices, AParentThatBeginsWithAnOperationEndingLater) {
  // The end event makes the inner operation longer than the outer one: it comes first in order.
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kWhile, 0, 100, Op(0)), Event(kAllReduce, 0, 5, Producing(0, 9))}});
  plane.Line({.id = 2, .events = {Event(kEndAllReduce, 150, 0, {IntStat(kConsumer, 9)})}});
  const std::string rows = Rows(Read({plane.Finish()}));
  EXPECT_NE(rows.find("all-reduce.3 [0,150)"), std::string::npos) << rows;
  EXPECT_NE(rows.find("while.2 [0,100)"), std::string::npos) << rows;
}

TEST(CpuDevices, NothingForAnEventWithoutOrdinalOrOperation) {
  PlaneWriter plane = Host();
  plane.Line(
      {.id = 1,
       .events = {Event(kDot, 0, 5, {RefStat(kHloOp, kText)}), Event(kDot, 9, 5, {IntStat(kOrdinal, 0)})}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "");
}

TEST(CpuDevices, NoRowsWhereOtherDevicesWorked) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kDot, 0, 5, Op(0))}});
  for (const char* const name : {"/device:GPU:0", "/device:TPU:0"}) {
    PlaneWriter device(name);
    EXPECT_NE(Rows(Read({plane.Finish(), device.Finish()})), "")
        << "a program on the CPU beside an idle " << name;
    device.EventName(kDot, "dot");
    device.Line({.id = 1, .events = {Event(kDot, 0, 5)}});
    EXPECT_EQ(Rows(Read({plane.Finish(), device.Finish()})), "");
  }
  EXPECT_NE(Rows(Read({plane.Finish(), PlaneWriter("/device:CUSTOM:Megascale Trace").Finish()})), "");
}

TEST(CpuDevices, TheCapturesOfTheTestData) {
  const auto rows = [](const std::string& name) {
    Result<Trace> trace = ReadFile(GAIT_TEST_DATA "/cpu/" + name + ".xplane.pb.gz");
    EXPECT_TRUE(trace) << name;
    size_t count = 0;
    for (const Track& track : trace->tracks()) count += track.info().derived && track.size() > 0;
    return count;
  };
  EXPECT_EQ(rows("one_device"), 1U);
  EXPECT_EQ(rows("one_device_jax_0_10"), 1U);
  EXPECT_EQ(rows("eight_devices"), 8U);
  EXPECT_EQ(rows("two_processes/plugins/profile/run/host0"), 2U);
  EXPECT_EQ(rows("two_processes/plugins/profile/run/host1"), 2U);
}

}  // namespace
}  // namespace gait::xplane
