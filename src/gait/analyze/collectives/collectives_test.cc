#include "gait/analyze/collectives/collectives.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>

#include "gait/analyze/question/collectives/collectives_report.h"
#include "gait/analyze/run/run_clock.h"
#include "gait/trace/async_operations.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

struct Op {
  std::string name;
  int64_t begin;
  int64_t end;
  int64_t run = 0;  // 0: none
  bool async_line = false;
};

struct TestDevice {
  int64_t ordinal;
  std::vector<Op> ops;
};

struct TestHost {
  std::string name;
  std::vector<TestDevice> devices;
  int64_t start_ns = 1'000'000'000;
};

struct TestInstruction {
  std::string name;
  std::string opcode;
  std::vector<std::vector<int64_t>> groups = {};
  std::vector<std::pair<int64_t, int64_t>> pairs = {};
  std::string operand = "p";
};

Program MakeProgram(const std::vector<TestInstruction>& instructions, std::vector<int64_t> device_ids) {
  Program program;
  program.id = 7;
  program.name = "jit_step";
  program.replica_count = 1;
  program.partition_count = static_cast<int64_t>(device_ids.size());
  program.device_ids = std::move(device_ids);
  Shape shape;
  shape.type = ElementType::kF32;
  shape.dimensions = {250};  // 1000 bytes
  program.shapes.push_back(std::move(shape));
  const auto add = [&](const TestInstruction& given) {
    Instruction instruction;
    instruction.name = program.strings.Intern(given.name);
    instruction.opcode = program.strings.Intern(given.opcode);
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(0);
    if (given.opcode != "parameter") {
      for (size_t i = 0; i < program.instructions.size(); ++i) {
        if (program.text(program.instructions[i].name) == given.operand) {
          instruction.operands = {InstructionIndex(i)};
        }
      }
    }
    if (!given.groups.empty()) {
      instruction.replica_groups = static_cast<uint32_t>(program.replica_groups.size());
      program.replica_groups.push_back({given.groups, static_cast<int64_t>(given.groups[0].size())});
    }
    if (!given.pairs.empty()) {
      instruction.source_target_pairs = static_cast<uint32_t>(program.source_target_pairs.size());
      program.source_target_pairs.push_back(given.pairs);
    }
    program.instructions.push_back(std::move(instruction));
  };
  add({"p", "parameter"});
  for (const TestInstruction& instruction : instructions) add(instruction);
  Computation entry;
  entry.begin = InstructionIndex(0);
  entry.end = InstructionIndex(program.instructions.size());
  entry.root = InstructionIndex(program.instructions.size() - 1);
  program.computations.push_back(entry);
  program.entry = ComputationIndex(0);
  program.BuildIndex();
  return program;
}

Trace MakeTrace(const TestHost& host, Program program) {
  TraceBuilder builder;
  const StringId hlo_op = builder.Intern("hlo_op");
  const StringId run_id = builder.Intern("run_id");
  for (const TestDevice& device : host.devices) {
    Plane plane;
    plane.name = builder.Intern("/device:CPU:" + std::to_string(device.ordinal));
    plane.kind = PlaneKind::kCpuDevice;
    plane.ordinal = device.ordinal;
    const PlaneId id = builder.AddPlane(plane);
    for (const bool async_line : {false, true}) {
      TrackInfo info;
      info.plane = id;
      info.kind = async_line ? TrackKind::kAsyncOps : TrackKind::kOps;
      info.layout = Layout::kLanes;
      TrackWriter track = builder.NewTrack(info);
      for (const Op& op : device.ops) {
        if (op.async_line != async_line) continue;
        if (program.Find(op.name).valid()) track.Arg(hlo_op, ArgValue::String(builder.Intern(op.name)));
        if (op.run != 0) track.Arg(run_id, ArgValue::Int(op.run));
        track.Event(Ps(op.begin), Ps(op.end - op.begin), builder.Intern(op.name));
      }
      builder.Add(std::move(track));
    }
  }
  builder.environment().start_unix_ns = host.start_ns;
  std::vector<Attribution> attribution(builder.trace().arg_sets().size());
  for (size_t i = 0; i < attribution.size(); ++i) {
    for (const ArgEntry& entry : builder.trace().arg_sets()[ArgSetId(i)]) {
      if (entry.key != hlo_op) continue;
      const StringId name(static_cast<size_t>(entry.bits));
      attribution[i] = {AttributionKind::kByName,
                        {ProgramIndex(0), program.Find(builder.trace().text(name))}};
    }
  }
  builder.AddProgram(std::move(program));
  builder.SetAttribution(std::move(attribution));
  AddAsyncOperations(builder);
  return std::move(builder).Finish();
}

class Collectives : public ::testing::Test {
 protected:
  const CollectivesResult& Analyze(const std::vector<TestHost>& hosts,
                                   const std::vector<TestInstruction>& instructions,
                                   const std::vector<int64_t>& device_ids) {
    run_.typed = "runs/x";
    for (const TestHost& host : hosts) {
      run_.hosts.push_back({host.name, "", MakeTrace(host, MakeProgram(instructions, device_ids))});
    }
    PutOnRunClock(run_);
    view_ = std::make_unique<RunView>(*RunView::Make(run_, {}));
    result_ = AnalyzeCollectives(*view_);
    return result_;
  }
  const CollectiveOperation& operation(size_t i) const {
    return result_.found.operations[result_.collectives[i].operation];
  }

  LoadedRun run_;
  std::unique_ptr<RunView> view_;
  CollectivesResult result_;
};

TEST_F(Collectives, OneDeviceHasNone) {
  const auto& result = Analyze({{"a", {{0, {{"mul", 0, 10}}}}}}, {{"mul", "multiply"}}, {0});
  EXPECT_TRUE(result.collectives.empty());
  EXPECT_EQ(CollectivesDocument(*view_).answer,
            "No communication: one device did all the work of this capture.");
}

TEST_F(Collectives, NoDeviceAtAll) {
  EXPECT_TRUE(Analyze({{"a", {}}}, {{"mul", "multiply"}}, {}).collectives.empty());
  EXPECT_FALSE(CollectivesDocument(*view_).answer.empty());
}

// Two devices meet three times; device 1 always comes 40 later, and computes under part of the second one.
TEST_F(Collectives, OneLateStartMakesNoStraggler) {
  const std::array<int64_t, 4> late = {90, 10, 10, 10};  // of the second device, in the first execution only
  std::vector<TestDevice> devices = {{0, {}}, {1, {}}};
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t t = 1000 * i;
    devices[i == 0 ? 0 : 1].ops.push_back({"ar", t, t + 200, i + 5});
    devices[i == 0 ? 1 : 0].ops.push_back({"ar", t + late[static_cast<size_t>(i)], t + 200, i + 5});
  }
  const auto& result = Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 1}}}}, {0, 1});
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(result.collectives[0].late.skew_of, (std::vector<Ps>{Ps(30), Ps(90)}));
  EXPECT_FALSE(result.collectives[0].late.device);
}

// Without run ids; the second host's capture begins a step later, and its clock is 30 us ahead. Steps take 10
// ms, now a little less and now more.
TEST_F(Collectives, HostsWhoseCapturesBeginInDifferentStepsMeetInTheSameOne) {
  std::vector<TestHost> hosts = {{"a", {{0, {}}}}, {"b", {{1, {}}}}};
  const std::array<int64_t, 6> jitter = {0, 700, 200, 900, 100, 500};
  for (size_t i = 0; i < jitter.size(); ++i) {
    const int64_t end = 1'000'000 * (10'000 * static_cast<int64_t>(i + 1) + jitter[i]);
    hosts[0].devices[0].ops.push_back({"ar", end - 40'000'000, end});
    if (i > 0) hosts[1].devices[0].ops.push_back({"ar", end - 20'000'000, end + 30'000'000});
  }
  const auto& result = Analyze(hosts, {{"ar", "all-reduce", {{0, 1}}}}, {0, 1});
  EXPECT_EQ(result.hosts[1].shift, Ps(30'000'000));
  EXPECT_EQ(result.clocks[1].spread, Ps());
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(result.collectives[0].executions, 6u);
  EXPECT_EQ(result.collectives[0].incomplete, 1u);
}

TEST_F(Collectives, TimeWaitSkewAndStraggler) {
  std::vector<TestDevice> devices = {{0, {}}, {1, {}}};
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t t = 1000 * i;
    devices[0].ops.push_back({"ar", t + 10, t + 110, i + 5});
    devices[1].ops.push_back({"ar", t + 50, t + 110, i + 5});
  }
  devices[1].ops.push_back({"mul", 1060, 1070});
  devices[1].ops.push_back({"mul", 1065, 1080});
  const auto& result =
      Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 1}}}, {"mul", "multiply"}}, {0, 1});
  ASSERT_EQ(result.collectives.size(), 1u);
  const CollectiveStats& stats = result.collectives[0];
  EXPECT_EQ(stats.executions, 3u);
  EXPECT_EQ(stats.time, Ps(60));
  EXPECT_EQ(stats.skew, Ps(40));
  EXPECT_EQ(stats.hidden, Ps(20));
  EXPECT_EQ(stats.exposed, Ps(3 * 100 + 3 * 60 - 20));
  EXPECT_EQ(stats.wait, Ps(40 + 60 + 40));
  ASSERT_TRUE(stats.late.device);
  EXPECT_EQ(*stats.late.device, 1u);
  EXPECT_EQ(stats.late.last[1], 3u);
  // 1000 bytes in 60 ps, twice half of it over the bus.
  EXPECT_NEAR(*stats.algorithm_bandwidth, 1000 / 60e-12, 1e6);
  EXPECT_NEAR(*stats.bus_bandwidth, 1000 / 60e-12, 1e6);
  EXPECT_EQ(result.devices[0].waited, Ps(40 + 60 + 40));
  EXPECT_EQ(stats.waited, (std::vector<Ps>{Ps(40 + 60 + 40), Ps()}));
  EXPECT_EQ(stats.executions_on, (std::vector<uint64_t>{3, 3}));
  EXPECT_EQ(result.devices[1].waited, Ps());
  EXPECT_EQ(result.devices[1].exposed, Ps(160));
  EXPECT_EQ(result.devices[1].hidden, Ps(20));
}

TEST_F(Collectives, AreMatchedByRunIdAndPosition) {
  // Device 1 misses the run 1 and has two executions in run 2.
  const std::vector<TestDevice> devices = {{0, {{"ar", 0, 100, 1}, {"ar", 200, 300, 2}, {"ar", 300, 400, 2}}},
                                           {1, {{"ar", 210, 300, 2}, {"ar", 320, 400, 2}}}};
  const auto& result = Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 1}}}}, {0, 1});
  const CollectiveStats& stats = result.collectives[0];
  EXPECT_TRUE(result.found.by_run[0]);
  EXPECT_EQ(stats.executions, 3u);
  EXPECT_EQ(stats.incomplete, 1u);
  EXPECT_EQ(stats.time, Ps(85));
  EXPECT_EQ(stats.skew, Ps(15));
  EXPECT_EQ(stats.largest_skew, Ps(20));
}

TEST_F(Collectives, WithoutRunIdsTheOrderMatches) {
  const std::vector<TestDevice> devices = {{0, {{"ar", 0, 50}, {"ar", 100, 150}}},
                                           {1, {{"ar", 5, 50}, {"ar", 130, 150}}}};
  const auto& result = Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 1}}}}, {0, 1});
  EXPECT_FALSE(result.found.by_run[0]);
  EXPECT_EQ(result.collectives[0].largest_skew, Ps(30));
}

TEST_F(Collectives, StartAndDoneAreOneFromBeginToEnd) {
  const std::vector<TestDevice> devices = {
      {0,
       {{"ar-start", 0, 5},
        {"mul", 10, 60},
        {"ar-done", 80, 100},
        {"ar-start", 0, 100, 0, true},
        {"ar-start", 200, 205},
        {"ar-done", 205, 210}}},
      {1, {{"ar-done", 0, 3}, {"ar-start", 10, 15}, {"ar-done", 40, 100}}}};
  const auto& result = Analyze({{"a", devices}},
                               {{"ar-start", "all-reduce-start", {{0, 1}}},
                                {"mul", "multiply"},
                                {"ar-done", "all-reduce-done", {}, {}, "ar-start"}},
                               {0, 1});
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(operation(0).name, "ar-start");
  EXPECT_EQ(operation(0).message_bytes, 1000);
  const auto& found = result.found.executions;
  ASSERT_EQ(found.size(), 3u);  // the done without a start is none
  EXPECT_EQ(found[0].time, (Interval{Ps(0), Ps(100)}));
  EXPECT_EQ(found[1].time, (Interval{Ps(200), Ps(210)}));
  EXPECT_EQ(found[2].time, (Interval{Ps(10), Ps(100)}));
  EXPECT_EQ(result.devices[0].exposed, Ps(60));
  EXPECT_EQ(result.devices[0].hidden, Ps(50));
  EXPECT_EQ(result.devices[1].exposed, Ps(3 + 90));
}

TEST_F(Collectives, ALoopAroundACollectiveDoesNotHideIt) {
  const std::vector<TestDevice> devices = {{0, {{"loop", 0, 100}, {"ar", 20, 50}, {"mul", 40, 60}}},
                                           {1, {{"loop", 0, 100}, {"ar", 30, 50}}}};
  const auto& result = Analyze(
      {{"a", devices}}, {{"loop", "while"}, {"ar", "all-reduce", {{0, 1}}}, {"mul", "multiply"}}, {0, 1});
  EXPECT_EQ(result.devices[0].exposed, Ps(20));
  EXPECT_EQ(result.devices[0].hidden, Ps(10));
}

TEST_F(Collectives, GroupsSideBySideAreApart) {
  std::vector<TestDevice> devices;
  for (int64_t d = 0; d < 4; ++d) devices.push_back({d, {{"ag", 10 * d, 100 + 10 * (d % 2)}}});
  const auto& result = Analyze({{"a", devices}}, {{"ag", "all-gather", {{0, 2}, {1, 3}}}}, {0, 1, 2, 3});
  const CollectiveStats& stats = result.collectives[0];
  EXPECT_TRUE(operation(0).members_known);
  EXPECT_EQ(operation(0).groups, 2);
  EXPECT_EQ(operation(0).group_size, 2);
  EXPECT_EQ(stats.executions, 1u);
  EXPECT_EQ(stats.skew, Ps(20));
  EXPECT_EQ(stats.time, Ps(80));
  EXPECT_EQ(stats.wait, Ps(20));  // 20 in both groups
}

TEST_F(Collectives, DeviceIdsFollowTheAssignmentNotTheOrder) {
  std::vector<TestDevice> devices;
  for (int64_t d = 0; d < 4; ++d) devices.push_back({d, {{"ag", 10 * d, 100}}});
  // Logical 0, 1, 2, 3 are devices 0, 2, 1, 3: the groups are {0, 2} and {1, 3} in devices.
  const auto& result = Analyze({{"a", devices}}, {{"ag", "all-gather", {{0, 1}, {2, 3}}}}, {0, 2, 1, 3});
  EXPECT_EQ(result.found.operations[0].group_of, (std::vector<uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(result.collectives[0].skew, Ps(20));
}

TEST_F(Collectives, PartOfTheDevicesLeavesPartnersUnknown) {
  const std::vector<TestDevice> devices = {{0, {{"ar", 0, 100}}}, {1, {{"ar", 50, 100}}}};
  const auto& result = Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 2}, {1, 3}}}}, {0, 1, 2, 3});
  EXPECT_FALSE(operation(0).members_known);
  EXPECT_FALSE(result.collectives[0].wait);
  EXPECT_FALSE(result.collectives[0].skew);
  EXPECT_EQ(result.collectives[0].executions, 1u);
  EXPECT_EQ(result.collectives[0].time, Ps(50));  // the faster of the two
  EXPECT_EQ(operation(0).unknown_because,
            "the capture holds 2 of the program's 4 devices and does not say which");
}

TEST_F(Collectives, PermutesConnectWhoSendsToWhom) {
  std::vector<TestDevice> devices;
  for (int64_t d = 0; d < 4; ++d) devices.push_back({d, {{"cp", 10 * d, 100}}});
  const auto& result =
      Analyze({{"a", devices}}, {{"cp", "collective-permute", {}, {{0, 1}, {1, 0}, {2, 3}}}}, {0, 1, 2, 3});
  EXPECT_EQ(operation(0).group_size, 2);
  EXPECT_EQ(result.found.operations[0].group_of, (std::vector<uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(result.clocks[1].samples, 0u);  // a sender may end before its receiver
}

TEST_F(Collectives, APermuteAroundARingIsOfAllOfIt) {
  std::vector<TestDevice> devices;
  for (int64_t d = 0; d < 4; ++d) devices.push_back({d, {{"cp", 10 * d, 100}}});
  Analyze({{"a", devices}}, {{"cp", "collective-permute", {}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}}},
          {0, 1, 2, 3});
  EXPECT_EQ(operation(0).group_size, 4);
}

TEST_F(Collectives, KernelsWithoutAnInstruction) {
  const std::string name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclArgs)";
  const std::vector<TestDevice> devices = {{0, {{name, 0, 100}}}, {1, {{name, 50, 100}}}};
  const auto& result = Analyze({{"a", devices}}, {{"mul", "multiply"}}, {0, 1});
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(operation(0).kind, CollectiveKind::kAllReduce);
  EXPECT_FALSE(operation(0).message_bytes);
  EXPECT_FALSE(operation(0).unknown_because.empty());
  EXPECT_FALSE(result.collectives[0].bus_bandwidth);
  EXPECT_EQ(result.devices[1].exposed, Ps(50));
}

// Host b's clock reads 300 more, and its capture started 2 ns later: without the alignment b0 would be last.
TEST_F(Collectives, ClocksOfHostsAreAligned) {
  std::vector<TestHost> hosts = {{"a", {{0, {}}, {1, {}}}}, {"b", {{2048, {}}, {2049, {}}}}};
  hosts[1].start_ns += 2;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t t = 10'000 * (i + 1);
    const int64_t on_b = t - 2000 + 300;
    hosts[0].devices[0].ops.push_back({"ar", t, t + 500, i + 1});
    hosts[0].devices[1].ops.push_back({"ar", t + 100, t + 500, i + 1});
    hosts[1].devices[0].ops.push_back({"ar", on_b + 20, on_b + 500, i + 1});
    hosts[1].devices[1].ops.push_back({"ar", on_b + 30, on_b + 500, i + 1});
  }
  const auto& result = Analyze(hosts, {{"ar", "all-reduce", {{0, 1, 2, 3}}}}, {0, 1, 2048, 2049});
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(result.hosts[1].shift, Ps(300));
  EXPECT_TRUE(result.hosts[1].aligned);
  EXPECT_EQ(result.clocks[3].offset, Ps(300));
  EXPECT_EQ(result.clocks[3].samples, 4u);
  EXPECT_EQ(result.collectives[0].skew, Ps(100));
  ASSERT_TRUE(result.late.device);
  EXPECT_EQ(*result.late.device, 1u);
}

TEST_F(Collectives, ZeroLengthOnesHaveNoBandwidth) {
  const std::vector<TestDevice> devices = {{0, {{"ar", 10, 10}}}, {1, {{"ar", 10, 10}, {"mul", 0, 30}}}};
  const auto& result =
      Analyze({{"a", devices}}, {{"ar", "all-reduce", {{0, 1}}}, {"mul", "multiply"}}, {0, 1});
  ASSERT_EQ(result.collectives.size(), 1u);
  EXPECT_EQ(result.collectives[0].time, Ps());
  EXPECT_FALSE(result.collectives[0].bus_bandwidth);
  EXPECT_FALSE(CollectivesDocument(*view_).answer.empty());
}

}  // namespace
}  // namespace gait::analyze
