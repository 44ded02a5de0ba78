#include "gait/read/xplane/cpu_devices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

using namespace testing_support;

enum : int64_t { kHloOp = 1, kOrdinal, kProducer, kConsumer, kModule, kText, kRun };
enum : int64_t { kDot = 1, kWhile, kAllReduce, kEndAllReduce, kExecute, kCompletion, kStart, kStop };

PlaneWriter Host() {
  PlaneWriter plane("/host:CPU");
  plane.StatName(kHloOp, "hlo_op").StatName(kOrdinal, "device_ordinal").StatName(kProducer, "_p");
  plane.StatName(kConsumer, "_c").StatName(kModule, "hlo_module").StatName(kText, "dot.1");
  plane.EventName(kDot, "dot.1").EventName(kWhile, "while.2").EventName(kAllReduce, "all-reduce.3");
  plane.EventName(kEndAllReduce, "end: all-reduce.3").EventName(kExecute, "ThunkExecutor::Execute");
  plane.StatName(kRun, "run_id").EventName(kCompletion, "ThunkExecutor::Execute (wait for completion)");
  plane.EventName(kStart, "ThreadpoolListener::StartRegion");
  plane.EventName(kStop, "ThreadpoolListener::StopRegion");
  return plane;
}

Messages Op(int64_t ordinal) { return {RefStat(kHloOp, kText), IntStat(kOrdinal, ordinal)}; }
Messages Producing(int64_t ordinal, int64_t id) {
  Messages stats = Op(ordinal);
  stats.push_back(IntStat(kProducer, id));
  return stats;
}

// What a run writes: an operation, the end event of one, the wait for all of them.
Message AllReduceOf(int64_t ordinal, int64_t run, int64_t begin, int64_t duration, int64_t id) {
  Messages stats = Producing(ordinal, id);
  stats.push_back(IntStat(kRun, run));
  return Event(kAllReduce, begin, duration, stats);
}
Message EndAt(int64_t begin, int64_t id) { return Event(kEndAllReduce, begin, 1, {IntStat(kConsumer, id)}); }
Message WaitUntil(int64_t end, const Messages& stats) { return Event(kCompletion, 0, end, stats); }
Messages RunOn(int64_t ordinal, int64_t run) { return {IntStat(kRun, run), IntStat(kOrdinal, ordinal)}; }

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

TEST(CpuDevices, OperationsThatDoNotSayWhereTheyRanAreLost) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kDot, 0, 10, {RefStat(kHloOp, kText)}), Event(kExecute, 0, 99)}});
  const Trace trace = Read({plane.Finish()});
  EXPECT_EQ(Rows(trace), "");
  ASSERT_EQ(trace.losses().size(), 1U);
  EXPECT_EQ(trace.losses()[0].count, 1U);
  EXPECT_EQ(trace.losses()[0].place, "CPU devices");
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

TEST(CpuDevices, WhatATaskRunsBeforeTheEndEventWaitedForTheOperation) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 3, Producing(0, 7))}});
  plane.Line({.id = 2,
              .events = {Event(kStart, 1, 0), Event(kExecute, 20, 25), Event(kDot, 21, 20, Op(0)),
                         EndAt(50, 7), Event(kStop, 52, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,20)\n"
            "/device:CPU:0 dot.1 [21,41)\n");
}

TEST(CpuDevices, AnOperationEndsAtTheNextEndOfItsOwnProcess) {
  const auto process = [](int64_t id, int64_t begin, int64_t end) {
    constexpr int64_t kProcess = 20;
    PlaneWriter plane = Host();
    plane.StatName(kProcess, "process_id").Stat(IntStat(kProcess, id));
    plane.Line({.id = 1, .events = {Event(kAllReduce, begin, 5, Producing(0, 7))}});
    plane.Line({.id = 2, .events = {EndAt(end, 7)}});
    return plane.Finish();
  };
  EXPECT_EQ(Rows(Read({process(1, 0, 20), process(2, 100, 150)})),
            "/device:CPU:0 all-reduce.3 [0,20)\n"
            "/device:CPU:0 all-reduce.3 [100,150)\n");
  PlaneWriter again = Host();
  again.Line(
      {.id = 1,
       .events = {Event(kAllReduce, 0, 5, Producing(0, 7)), Event(kAllReduce, 100, 5, Producing(0, 7))}});
  again.Line({.id = 2, .events = {EndAt(20, 7), EndAt(150, 7)}});
  EXPECT_EQ(Rows(Read({again.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,20)\n"
            "/device:CPU:0 all-reduce.3 [100,150)\n");
}

TEST(CpuDevices, NorDoesAnOperationThatWasContinuedEndBeforeItsOwnEvent) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 30, Producing(0, 7))}});
  plane.Line(
      {.id = 2,
       .events = {Event(kStart, 1, 0), Event(kDot, 20, 20, Op(0)), EndAt(50, 7), Event(kStop, 52, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,30)\n"
            "/device:CPU:0 dot.1 [20,40)\n");
}

TEST(CpuDevices, TheLastEndOfATaskIsOfTheOperationThatItFinished) {
  // The loop ends inside of what waited for the operation, which ends where that begins.
  PlaneWriter plane = Host();
  plane.Line(
      {.id = 1, .events = {Event(kWhile, 0, 10, Producing(0, 8)), Event(kAllReduce, 1, 3, Producing(0, 7))}});
  plane.Line({.id = 2,
              .events = {Event(kStart, 2, 0), Event(kDot, 20, 5, Op(0)), Event(kDot, 30, 5, Op(0)),
                         EndAt(40, 8), EndAt(50, 7), Event(kStop, 52, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 while.2 [0,40)\n"
            "/device:CPU:0 all-reduce.3 [1,20) in while.2\n"
            "/device:CPU:0 dot.1 [20,25)\n"
            "/device:CPU:0 dot.1 [30,35)\n");
}

TEST(CpuDevices, ALoopEndsAtItsEndEvent) {
  // The task runs the rest of its body.
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kWhile, 0, 10, Producing(0, 8)), Event(kDot, 1, 3, Op(0))}});
  plane.Line({.id = 2,
              .events = {Event(kStart, 2, 0), Event(kDot, 20, 5, Op(0)), EndAt(40, 8), Event(kStop, 52, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 while.2 [0,40)\n"
            "/device:CPU:0 dot.1 [1,4) in while.2\n"
            "/device:CPU:0 dot.1 [20,25)\n");
}

TEST(CpuDevices, WhatRanInAnotherTaskOrInNoneDidNotWaitForTheOperation) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 3, Producing(0, 7))}});
  plane.Line({.id = 2,
              .events = {Event(kStart, 1, 0), Event(kDot, 5, 5, Op(0)), Event(kStop, 11, 0),
                         Event(kDot, 12, 3, Op(0)), Event(kStart, 16, 0), EndAt(50, 7),
                         Event(kDot, 60, 5, Op(0)), Event(kStop, 70, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,50)\n"
            "/device:CPU:0 dot.1 [5,10)\n"
            "/device:CPU:0 dot.1 [12,15)\n"
            "/device:CPU:0 dot.1 [60,65)\n");
}

TEST(CpuDevices, ATaskThatATaskRunsWhileItWaitsIsAPartOfIt) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 3, Producing(0, 7))}});
  plane.Line({.id = 2,
              .events = {Event(kStart, 1, 0), Event(kDot, 20, 20, Op(0)), Event(kStart, 25, 0),
                         Event(kStop, 30, 0), EndAt(50, 7), Event(kStop, 52, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),
            "/device:CPU:0 all-reduce.3 [0,20)\n"
            "/device:CPU:0 dot.1 [20,40)\n");
}

TEST(CpuDevices, AnOperationThatEndsInsideAnotherWasNotFinishedByTheTask) {
  // Its end event is inside of what the task ran, as where a thread launches an operation and runs it itself.
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 0, 3, Producing(0, 7))}});
  plane.Line(
      {.id = 2, .events = {Event(kStart, 1, 0), Event(kExecute, 20, 40), EndAt(50, 7), Event(kStop, 70, 0)}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "/device:CPU:0 all-reduce.3 [0,50)\n");
}

TEST(CpuDevices, AnEndBeforeTheEventsOwnEndIsIgnored) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {Event(kAllReduce, 10, 30, Producing(0, 5))}});
  plane.Line({.id = 2, .events = {Event(kEndAllReduce, 5, 0, {IntStat(kConsumer, 5)})}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "/device:CPU:0 all-reduce.3 [10,40)\n");
}

TEST(CpuDevices, AnOperationEndsNotAfterItsRunWasComplete) {
  // The thread that wrote the end events of the first and the third was preempted for a while, as was that of
  // the fourth.
  PlaneWriter plane = Host();
  plane.Line({.id = 1,
              .events = {AllReduceOf(0, -5, 0, 3, 1), AllReduceOf(0, -5, 10, 3, 2),
                         AllReduceOf(0, 6, 20, 3, 3), AllReduceOf(1, -5, 30, 3, 4)}});
  plane.Line({.id = 2, .events = {EndAt(40, 2), EndAt(90, 1), EndAt(95, 3), EndAt(96, 4)}});
  plane.Line(
      {.id = 3,
       .events = {WaitUntil(50, RunOn(0, -5)), WaitUntil(60, RunOn(0, 6)), WaitUntil(70, RunOn(1, -5))}});
  const Trace trace = Read({plane.Finish()});
  EXPECT_EQ(Rows(trace),
            "/device:CPU:0 all-reduce.3 [0,50)\n"
            "/device:CPU:0 all-reduce.3 [10,40)\n"
            "/device:CPU:0 all-reduce.3 [20,60)\n"
            "/device:CPU:1 all-reduce.3 [30,70)\n");
  EXPECT_TRUE(trace.losses().empty());  // the end is known, nothing was repaired
}

TEST(CpuDevices, AnOperationEndsNotBeforeItsOwnEvent) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {AllReduceOf(0, 5, 0, 30, 1)}});
  plane.Line({.id = 2, .events = {EndAt(90, 1), WaitUntil(20, RunOn(0, 5))}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "/device:CPU:0 all-reduce.3 [0,30)\n");
}

TEST(CpuDevices, TheLastOfSeveralWaitsForOneRunCounts) {
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {AllReduceOf(0, 5, 0, 3, 1)}});
  plane.Line({.id = 2, .events = {EndAt(90, 1), WaitUntil(60, RunOn(0, 5))}});
  plane.Line({.id = 3, .events = {WaitUntil(50, RunOn(0, 5))}});
  EXPECT_EQ(Rows(Read({plane.Finish()})), "/device:CPU:0 all-reduce.3 [0,60)\n");
}

TEST(CpuDevices, WithoutItsRunsCompletionTheEndEventCounts) {
  // Waits for another run, on another device, for one that is not named, and under another name.
  PlaneWriter plane = Host();
  plane.Line({.id = 1, .events = {AllReduceOf(0, 5, 0, 3, 1), Event(kAllReduce, 1, 3, Producing(0, 2))}});
  plane.Line({.id = 2,
              .events = {EndAt(90, 1), EndAt(91, 2), WaitUntil(50, RunOn(0, 6)), WaitUntil(51, RunOn(1, 5)),
                         WaitUntil(52, {IntStat(kOrdinal, 0)}), WaitUntil(53, {IntStat(kRun, 5)}),
                         WaitUntil(54, {}), Event(kExecute, 0, 55, RunOn(0, 5))}});
  EXPECT_EQ(Rows(Read({plane.Finish()})),  // and no row for device 1, where nothing ran
            "/device:CPU:0 all-reduce.3 [0,90)\n"
            "/device:CPU:0 all-reduce.3 [1,91)\n");
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

TEST(CpuDevices, NoOperationOfTheTestDataEndsAfterItsRun) {
  for (const char* const name :
       {"one_device", "one_device_jax_0_10", "eight_devices", "two_processes/plugins/profile/run/host0"}) {
    Result<Trace> trace = ReadFile(fmt::format("{}/cpu/{}.xplane.pb.gz", GAIT_TEST_DATA, name));
    ASSERT_TRUE(trace) << name;
    std::map<std::pair<int64_t, int64_t>, Ps> complete_at;  // by run and device
    size_t compared = 0;
    for (const bool derived : {false, true}) {
      for (size_t t = 0; t < trace->tracks().size(); ++t) {
        const Track& track = trace->tracks()[t];
        for (size_t i = 0; track.info().derived == derived && i < track.size(); ++i) {
          const EventRef event{TrackId(t), EventIndex(i)};
          const bool waits = trace->name(event) == "ThunkExecutor::Execute (wait for completion)";
          if (!derived && !waits) continue;
          const std::pair run(*trace->Integer(event, "run_id"), *trace->Integer(event, "device_ordinal"));
          if (waits) complete_at[run] = track.end(event.index);
          if (!derived) continue;
          ASSERT_TRUE(complete_at.contains(run)) << name;
          EXPECT_LE(track.end(event.index), complete_at[run]) << name;
          ++compared;
        }
      }
    }
    EXPECT_GT(compared, 100U) << name;
  }
}

// Whether an instruction takes the result of another, directly or as a part or another view of it.
bool Takes(const Program& program, InstructionIndex taker, InstructionIndex result) {
  return std::ranges::any_of(program[taker].operands, [&](InstructionIndex operand) {
    if (operand == result) return true;
    const std::string_view opcode = program.text(program[operand].opcode);
    return (opcode == "bitcast" || opcode == "get-tuple-element") && Takes(program, operand, result);
  });
}

TEST(CpuDevices, NoOperationOfTheTestDataEndsAfterOneThatTakesItsResultBegins) {
  // The thread that launched an operation may see that it is done before the other has said so.
  const Ps tolerance = Microseconds(1);
  for (const char* const name :
       {"one_device", "one_device_jax_0_10", "eight_devices", "two_processes/plugins/profile/run/host0"}) {
    Result<Trace> trace = ReadFile(fmt::format("{}/cpu/{}.xplane.pb.gz", GAIT_TEST_DATA, name));
    ASSERT_TRUE(trace) << name;
    size_t compared = 0;
    for (size_t t = 0; t < trace->tracks().size(); ++t) {
      const Track& track = trace->tracks()[t];
      if (!track.info().derived) continue;
      // By run, program and instruction: where it begins next.
      std::map<std::pair<int64_t, int64_t>, std::map<InstructionIndex, Ps>> begins;
      for (size_t i = track.size(); i-- > 0;) {
        const EventRef event{TrackId(t), EventIndex(i)};
        const int64_t id = *trace->Integer(event, "program_id");
        const auto program = std::ranges::find(trace->programs(), static_cast<uint64_t>(id), &Program::id);
        ASSERT_NE(program, trace->programs().end()) << name;
        const InstructionIndex self = program->Find(trace->name(event));
        std::map<InstructionIndex, Ps>& next = begins[{*trace->Integer(event, "run_id"), id}];
        for (const auto& [taker, begin] : next) {
          if (!Takes(*program, taker, self)) continue;
          EXPECT_LE(track.end(event.index), begin + tolerance) << name << ": " << trace->name(event);
          ++compared;
        }
        next[self] = track.begin(event.index);
      }
    }
    EXPECT_GT(compared, 50U) << name;
  }
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
