#include "gait/trace/async_operations.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "gait/trace/async_phase.h"

namespace gait {
namespace {

TEST(AsyncPhases, OfOpcodes) {
  EXPECT_EQ(PhaseOfOpcode("all-reduce"), Phase::kWhole);
  EXPECT_EQ(PhaseOfOpcode("copy-start"), Phase::kStart);
  EXPECT_EQ(PhaseOfOpcode("async-update"), Phase::kUpdate);
  EXPECT_EQ(PhaseOfOpcode("recv"), Phase::kStart);
  EXPECT_EQ(PhaseOfOpcode("recv-done"), Phase::kDone);
  EXPECT_EQ(WithoutPhase("all-gather-done"), "all-gather");
  EXPECT_TRUE(IsCommunication("collective-permute-start"));
  EXPECT_FALSE(IsCommunication("copy-start"));
}

// A program instruction by instruction; the last of a computation is its root.
class ProgramMaker {
 public:
  InstructionIndex Add(const std::string& name, const std::string& opcode,
                       std::vector<InstructionIndex> operands = {},
                       std::vector<ComputationIndex> called = {}) {
    Instruction instruction;
    instruction.name = program.strings.Intern(name);
    instruction.opcode = program.strings.Intern(opcode);
    instruction.operands = std::move(operands);
    instruction.called = std::move(called);
    program.instructions.push_back(std::move(instruction));
    return InstructionIndex(program.instructions.size() - 1);
  }
  // A computation of one instruction.
  ComputationIndex Wrap(const std::string& opcode) {
    Computation computation;
    computation.root = Add("wrapped." + opcode, opcode);
    program.computations.push_back(computation);
    return ComputationIndex(program.computations.size() - 1);
  }
  // NAME-start and NAME-done.
  void Pair(const std::string& name, const std::string& opcode) {
    Add(name + "-done", opcode + "-done", {Add(name + "-start", opcode + "-start")});
  }

  Program program;
};

TEST(AsyncPhases, ADoneBeginsWithItsStart) {
  ProgramMaker maker;
  const InstructionIndex start = maker.Add("start", "async-start");
  const InstructionIndex update = maker.Add("update", "async-update", {start});
  const InstructionIndex done = maker.Add("done", "async-done", {update});
  EXPECT_EQ(Beginning(maker.program, done), start);
  EXPECT_EQ(Beginning(maker.program, start), start);
  const InstructionIndex circle = maker.Add("circle", "all-reduce-done", {InstructionIndex(4)});
  maker.Add("other", "all-reduce-done", {circle});
  EXPECT_TRUE(Beginning(maker.program, circle).valid());  // and it ends
}

struct Op {
  std::string name;  // of the instruction
  int64_t begin;
  int64_t end;
};
using Ops = std::vector<Op>;
// What is in flight: name, begin, end.
using Flights = std::vector<std::tuple<std::string, int64_t, int64_t>>;

class AsyncOperations : public testing::Test {
 protected:
  AsyncOperations() {
    maker_.Pair("copy", "copy");
    maker_.Pair("reduce", "all-reduce");
    maker_.Add("mul", "multiply");
    Plane plane;
    plane.name = builder_.Intern("/device:TPU:0");
    plane.kind = PlaneKind::kTpu;
    plane_ = builder_.AddPlane(plane);
  }

  void Line(TrackKind kind, const Ops& ops) {
    TrackInfo info;
    info.plane = plane_;
    info.kind = kind;
    TrackWriter writer = builder_.NewTrack(info);
    for (const Op& op : ops) {
      writer.Arg(builder_.Intern("hlo_op"), ArgValue::String(builder_.Intern(op.name)));
      writer.Arg(builder_.Intern("run_id"), ArgValue::Int(op.begin));
      writer.Event(Ps(op.begin), Ps(op.end - op.begin), builder_.Intern(op.name));
    }
    builder_.Add(std::move(writer));
  }

  // What was added to the lines so far.
  Flights Find() {
    maker_.program.BuildIndex();
    const size_t lines = builder_.trace().tracks().size();
    std::vector<Attribution> by_set(builder_.trace().arg_sets().size());
    for (size_t i = 0; i < by_set.size(); ++i) {
      const auto op = builder_.trace().FindArg(ArgSetId(i), "hlo_op");
      if (!op) continue;
      const InstructionIndex found = maker_.program.Find(builder_.trace().text(op->string()));
      if (found.valid()) by_set[i] = {AttributionKind::kByName, {ProgramIndex(0), found}};
    }
    builder_.AddProgram(std::move(maker_.program));
    builder_.SetAttribution(std::move(by_set));
    AddAsyncOperations(builder_);
    trace_ = std::move(builder_).Finish();
    Flights flights;
    for (size_t t = lines; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      EXPECT_TRUE(track.info().derived);
      EXPECT_EQ(track.info().kind, TrackKind::kAsyncOps);
      EXPECT_EQ(track.info().plane, plane_);
      for (size_t i = 0; i < track.size(); ++i) {
        const EventRef event{TrackId(t), EventIndex(i)};
        flights.emplace_back(trace_.name(event), track.begin(event.index).value(),
                             track.end(event.index).value());
      }
    }
    return flights;
  }

  ProgramMaker maker_;
  TraceBuilder builder_;
  PlaneId plane_;
  Trace trace_;
};

TEST_F(AsyncOperations, LastFromTheBeginOfTheStartToTheEndOfTheDone) {
  Line(TrackKind::kOps, {{"copy-start", 10, 12},
                         {"reduce-start", 12, 14},
                         {"mul", 20, 60},
                         {"copy-done", 60, 80},
                         {"reduce-done", 80, 81}});
  EXPECT_EQ(Find(), (Flights{{"copy-start", 10, 80}, {"reduce-start", 12, 81}}));
  EXPECT_EQ(trace_.event_count(), 5u);  // of the file
  // With the arguments of the done, and it executes what that does.
  const EventRef copy{TrackId(1), EventIndex(0)};
  EXPECT_EQ(trace_.Integer(copy, "run_id"), 60);
  const InstructionRef ref = trace_.attribution(trace_.track(copy.track).args(copy.index)).instruction;
  ASSERT_TRUE(ref.valid());
  EXPECT_EQ(trace_.programs()[0].text(trace_.instruction(ref)->name), "copy-done");
}

TEST_F(AsyncOperations, OfALoopArePairedInOrder) {
  Ops ops = {{"mul", 0, 400}};  // around the body
  Flights expected;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t t = 100 * i;
    ops.push_back({"copy-start", t + 1, t + 2});
    ops.push_back({"copy-done", t + 50 + i, t + 60});
    expected.emplace_back("copy-start", t + 1, t + 60);
  }
  Line(TrackKind::kOps, ops);
  EXPECT_EQ(Find(), expected);
}

// The first done began before the capture, the last start is not done in it; in the middle a done was lost.
TEST_F(AsyncOperations, OneWithoutTheOtherIsNotInFlight) {
  Line(TrackKind::kOps, {{"copy-done", 0, 10},
                         {"copy-start", 20, 21},
                         {"copy-start", 120, 121},
                         {"copy-done", 130, 140},
                         {"copy-done", 160, 170},
                         {"copy-start", 220, 221}});
  EXPECT_EQ(Find(), (Flights{{"copy-start", 120, 140}}));
}

// Between 30 and 250 nothing was recorded.
TEST_F(AsyncOperations, DoNotReachIntoAnotherExecutionOfTheProgram) {
  Line(TrackKind::kModules,
       {{"jit_f", 0, 90}, {"jit_f", 100, 190}, {"jit_f", 200, 290}, {"jit_f", 300, 390}});
  Line(TrackKind::kOps,
       {{"copy-start", 20, 21}, {"copy-done", 250, 260}, {"copy-start", 300, 301}, {"copy-done", 310, 320}});
  EXPECT_EQ(Find(), (Flights{{"copy-start", 300, 320}}));
}

// Seen in files of TPUs: what ran while the clock was set begins and ends at one time, and events that begin
// together are in order of length.
TEST_F(AsyncOperations, AStartMayStandBehindADoneThatBeginsWithIt) {
  Line(TrackKind::kModules, {{"jit_f", 0, 99}, {"jit_f", 100, 199}});
  Line(TrackKind::kOps, {{"copy-start", 10, 11},
                         {"copy-done", 20, 30},
                         {"copy-start", 110, 110},
                         {"copy-done", 110, 130},
                         {"reduce-start", 40, 41},  // its done was lost
                         {"reduce-start", 110, 110},
                         {"reduce-done", 110, 140}});
  EXPECT_EQ(Find(), (Flights{{"copy-start", 10, 30}, {"reduce-start", 110, 140}, {"copy-start", 110, 130}}));
}

TEST_F(AsyncOperations, ThatTheFileShowsAreNotAddedAgain) {
  Line(TrackKind::kOps, {{"copy-start", 0, 2},
                         {"reduce-start", 2, 4},
                         {"copy-done", 50, 100},
                         {"reduce-done", 100, 110},
                         {"copy-start", 200, 202},
                         {"copy-done", 250, 300}});
  Line(TrackKind::kAsyncOps, {{"copy-done", 0, 100}, {"reduce-start", 2, 110}});  // the third was cut off
  EXPECT_EQ(Find(), (Flights{{"copy-start", 200, 300}}));
}

TEST_F(AsyncOperations, AreNotAddedWhereTheFileShowsAll) {
  Line(TrackKind::kOps, {{"copy-start", 0, 2}, {"copy-done", 50, 100}});
  Line(TrackKind::kAsyncOps, {{"copy-done", 0, 100}});
  EXPECT_TRUE(Find().empty());
  EXPECT_EQ(trace_.tracks().size(), 2u);
}

TEST_F(AsyncOperations, AreCopiesAndCommunication) {
  const auto wrap = [&](const std::string& name, const std::string& opcode) {
    const InstructionIndex start = maker_.Add(name + "-start", "async-start", {}, {maker_.Wrap(opcode)});
    maker_.Add(name + "-done", "async-done", {maker_.Add(name + "-update", "async-update", {start})});
  };
  wrap("scatter", "reduce-scatter");
  wrap("compute", "fusion");  // its in-flight time says nothing about when it runs
  maker_.Add("send-done", "send-done", {maker_.Add("send", "send")});
  Ops ops;
  for (const std::string name : {"scatter", "compute"}) {
    ops.push_back({name + "-start", 0, 1});
    ops.push_back({name + "-update", 2, 3});
    ops.push_back({name + "-done", 5, 9});
  }
  ops.push_back({"send", 10, 11});
  ops.push_back({"send-done", 15, 19});
  Line(TrackKind::kOps, ops);
  EXPECT_EQ(Find(), (Flights{{"scatter-start", 0, 9}, {"send", 10, 19}}));
}

// On a GPU the kernel of a start is the whole collective.
TEST_F(AsyncOperations, OfStreamsAreTheirKernels) {
  Line(TrackKind::kStream, {{"reduce-start", 0, 10}, {"reduce-done", 20, 21}});
  EXPECT_TRUE(Find().empty());
}

}  // namespace
}  // namespace gait
