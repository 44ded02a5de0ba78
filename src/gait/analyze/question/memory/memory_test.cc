#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/question/memory/memory.h"
#include "gait/analyze/question/memory/memory_report.h"
#include "gait/analyze/question/memory/program_memory.h"
#include "gait/analyze/question/memory/program_tables.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

struct Event {
  int64_t time;
  bool allocates;
  int64_t bytes;
  int64_t address;
  int64_t in_use = -1;  // -1: the event does not say
  std::string allocator = "GPU_0_bfc";
  int64_t reserved = 0;
  int64_t ever = 777;  // peak_bytes_in_use
};

struct Around {
  int64_t begin;
  int64_t end;
  std::string name;
};

Trace MakeTrace(const std::vector<Event>& events, const std::vector<Around>& around = {},
                std::vector<Program> programs = {}, std::string_view thread_name = "python3") {
  TraceBuilder builder;
  const auto text = [&](std::string_view s) { return builder.Intern(s); };
  const std::vector<Arg> size = {{text("memory_size"), ArgValue::Int(1000)}};
  builder.AddPlane({0, text("/device:GPU:0"), PlaneKind::kGpu, 0, std::nullopt, builder.InternArgs(size)});
  TrackInfo info;
  info.plane =
      builder.AddPlane({1, text("/host:CPU"), PlaneKind::kHost, std::nullopt, std::nullopt, kNoArgs});
  info.kind = TrackKind::kThread;
  info.name = text(thread_name);
  TrackWriter thread = builder.NewTrack(info);
  for (const Around& a : around) {
    if (a.name.starts_with("train "))
      thread.Arg(text("step_num"), ArgValue::Int(std::stoll(a.name.substr(6))));
    thread.Event(Ps(a.begin), Ps(a.end - a.begin), text(a.name.starts_with("train ") ? "train" : a.name));
  }
  for (const Event& e : events) {
    thread.Arg(text("allocator_name"), ArgValue::String(text(e.allocator)));
    if (e.in_use >= 0) {
      thread.Arg(text("bytes_allocated"), ArgValue::Int(e.in_use));
      thread.Arg(text("bytes_available"), ArgValue::Int(900 - e.in_use - e.reserved));
      thread.Arg(text("bytes_reserved"), ArgValue::Int(e.reserved));
      thread.Arg(text("peak_bytes_in_use"), ArgValue::Int(e.ever));
      thread.Arg(text("fragmentation"), ArgValue::Double(0.25));
    }
    thread.Arg(text("requested_bytes"), ArgValue::Int(e.bytes));
    thread.Arg(text("allocation_bytes"), ArgValue::Int(e.bytes));
    thread.Arg(text("addr"), ArgValue::Int(e.address));
    thread.Event(Ps(e.time), Ps(0), text(e.allocates ? "MemoryAllocation" : "MemoryDeallocation"));
  }
  builder.Add(std::move(thread));
  for (Program& program : programs) builder.AddProgram(std::move(program));
  return std::move(builder).Finish();
}

std::vector<Allocator> Find(Trace trace, const Selection& selection = {}) {
  LoadedRun run;
  run.hosts.push_back({"vm", "", std::move(trace)});
  const auto view = RunView::Make(run, selection);
  return FindAllocators(view->hosts[0], selection);
}

// Buffers of one program: a parameter, an output and a packed allocation of three temporaries.
Program MakeProgram() {
  Program program;
  program.id = 1;
  program.name = "jit_f";
  const auto text = [&](std::string_view s) { return program.strings.Intern(s); };
  Shape shape;
  shape.type = ElementType::kF32;
  shape.dimensions = {10};
  program.shapes.push_back(shape);
  for (const char* name : {"p", "a", "b", "c", "out"}) {
    Instruction instruction;
    instruction.name = text(name);
    instruction.opcode = text(std::string_view(name) == "p" ? "parameter" : "add");
    instruction.op_name = text("jit(f)/jvp(layer)/" + std::string(name));
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(0);
    program.instructions.push_back(instruction);
  }
  Computation entry;
  entry.begin = InstructionIndex(0);
  entry.end = InstructionIndex(5);
  entry.root = InstructionIndex(4);
  program.computations.push_back(entry);
  program.entry = ComputationIndex(0);
  program.BuildIndex();

  BufferAssignment buffers;
  for (int64_t i = 0; i < 5; ++i) {
    LogicalBuffer buffer;
    buffer.id = i;
    buffer.size = i == 1 ? 64 : 40;  // `a` is padded
    buffer.defined_by = InstructionIndex(static_cast<size_t>(i));
    buffers.buffers.push_back(buffer);
  }
  const auto allocation = [&](int64_t size, std::vector<AssignedBuffer> assigned) {
    BufferAllocation a;
    a.index = static_cast<int64_t>(buffers.allocations.size());
    a.size = size;
    a.assigned = std::move(assigned);
    return a;
  };
  buffers.allocations.push_back(allocation(40, {{0, 0, 40}}));
  buffers.allocations.back().entry_parameter = true;
  buffers.allocations.push_back(allocation(40, {{4, 0, 40}}));
  buffers.allocations.back().live_out = true;
  buffers.allocations.push_back(allocation(128, {{1, 0, 64}, {2, 64, 40}, {3, 0, 40}}));
  HeapTrace trace;
  trace.whole_module = true;
  trace.allocation = 99;  // numbered before allocations were combined
  const auto event = [&](HeapEvent::Kind kind, int64_t buffer, size_t at) {
    HeapEvent e;
    e.kind = kind;
    e.buffer = buffer;
    e.instruction = InstructionIndex(at);
    trace.events.push_back(e);
  };
  event(HeapEvent::Kind::kAllocate, 1, 1);
  event(HeapEvent::Kind::kAllocate, 2, 2);  // 104 live: the peak
  event(HeapEvent::Kind::kFree, 1, 2);
  event(HeapEvent::Kind::kAllocate, 3, 3);
  event(HeapEvent::Kind::kFree, 2, 4);
  event(HeapEvent::Kind::kFree, 3, 4);
  buffers.heap_traces.push_back(std::move(trace));
  program.buffers = std::move(buffers);
  return program;
}

TEST(Memory, WhatIsReservedForProgramsIsNotFree) {
  const std::vector<Allocator> found = Find(
      MakeTrace({{10, true, 300, 1, 300}, {20, false, 300, 1, 0}, {30, true, 50, 2, 50, "GPU_0_bfc", 600}}));
  ASSERT_EQ(found.size(), 1u);
  const Allocator& a = found[0];
  EXPECT_EQ(a.peak, 650);
  EXPECT_EQ(a.peak_time, Ps(30));
  EXPECT_EQ(a.limit, 900);
  EXPECT_EQ(a.headroom(), 250);
  ASSERT_EQ(a.live.size(), 2u);
  EXPECT_EQ(a.live[0].kind, LiveKind::kReserved);
  EXPECT_EQ(a.live[0].bytes, 600);
  EXPECT_EQ(a.live[1].bytes, 50);
}

TEST(Memory, SeededWithTheFirstEventsTotals) {
  const std::vector<Allocator> found =
      Find(MakeTrace({{10, true, 50, 1, 350}, {20, true, 100, 2, 450}, {30, false, 50, 1, 400}}));
  ASSERT_EQ(found.size(), 1u);
  const Allocator& a = found[0];
  EXPECT_EQ(a.device, "GPU 0");
  EXPECT_EQ(a.before, 300);
  EXPECT_EQ(a.peak, 450);
  EXPECT_EQ(a.peak_time, Ps(20));
  EXPECT_EQ(a.limit, 900);
  EXPECT_EQ(a.headroom(), 450);
  EXPECT_EQ(a.device_memory, 1000);
  EXPECT_EQ(a.lifetime_peak, 777);
  EXPECT_EQ(a.fragmentation, 0.25);
  ASSERT_EQ(a.live.size(), 2u);
  EXPECT_EQ(a.live[0].kind, LiveKind::kBefore);
  EXPECT_EQ(a.live[0].bytes, 300);
  EXPECT_EQ(a.live[1].bytes, 150);
  EXPECT_EQ(a.live[1].count, 2u);
}

TEST(Memory, OldProfilesGiveNegativeSizesAndNoTotals) {
  const std::vector<Allocator> found =
      Find(MakeTrace({{10, true, 50, 1}, {20, true, 70, 2}, {30, false, -50, 1}, {40, true, 10, 3}}));
  EXPECT_EQ(found[0].peak, 120);
  EXPECT_EQ(found[0].before, 0);
  EXPECT_EQ(found[0].events.back().in_use, 80);
  EXPECT_FALSE(found[0].limit.has_value());
}

TEST(Memory, AnAddressIsUsedAgain) {
  const std::vector<Allocator> found = Find(MakeTrace(
      {{10, true, 50, 1, 50}, {20, false, 50, 1, 0}, {30, true, 80, 1, 80}, {40, false, 80, 1, 0}}));
  EXPECT_EQ(found[0].peak, 80);
  ASSERT_EQ(found[0].live.size(), 1u);  // no rest
  EXPECT_EQ(found[0].live[0].bytes, 80);
}

TEST(Memory, WhatWasThereOnlyFell) {
  const std::vector<Allocator> found = Find(MakeTrace({{10, false, 50, 1, 250}, {20, false, 50, 2, 200}}));
  EXPECT_EQ(found[0].before, 300);
  EXPECT_EQ(found[0].peak, 300);
  ASSERT_EQ(found[0].live.size(), 1u);
  EXPECT_EQ(found[0].live[0].kind, LiveKind::kBefore);
}

TEST(Memory, AllocatorsStandApart) {
  const std::vector<Allocator> found =
      Find(MakeTrace({{10, true, 50, 1, 50, "xla_gpu_host_bfc"}, {11, true, 60, 1, 60}}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].space, MemorySpace::kDevice);
  EXPECT_EQ(found[1].space, MemorySpace::kHost);
  EXPECT_EQ(found[1].device, "host");
}

TEST(Memory, SelectedStepsHaveAPeakOfTheirOwn) {
  Selection selection;
  selection.first_step = selection.last_step = 2;
  const auto trace = [] {
    return MakeTrace({{10, true, 500, 1, 500}, {20, false, 500, 1, 0}, {110, true, 70, 2, 70}},
                     {{0, 100, "train 1"}, {100, 200, "train 2"}});
  };
  EXPECT_EQ(Find(trace())[0].peak, 500);
  EXPECT_EQ(Find(trace())[0].peak_step, 1);
  const std::vector<Allocator> one = Find(trace(), selection);
  EXPECT_EQ(one[0].peak, 70);
  EXPECT_EQ(one[0].peak_step, 2);
  EXPECT_EQ(one[0].allocations, 1u);
}

std::string AnswerOf(Trace trace, const Selection& selection = {}) {
  LoadedRun run;
  run.typed = run.run.path = "runs/x";
  run.hosts.push_back({"vm", "", std::move(trace)});
  return MemoryDocument(*RunView::Make(run, selection))->answer;
}

TEST(Memory, WhereMoreWasInUseThanAtThePeak) {
  const auto trace = [](int64_t first_ever) {
    return MakeTrace({{10, true, 90, 1, 90, "GPU_0_bfc", 0, first_ever},
                      {110, true, 410, 2, 500, "GPU_0_bfc", 0, std::max<int64_t>(500, first_ever)},
                      {120, false, 410, 2, 90, "GPU_0_bfc", 0, std::max<int64_t>(500, first_ever)}},
                     {{0, 100, "train 1"}, {100, 200, "train 2"}});
  };
  Selection one;
  one.first_step = one.last_step = 1;
  EXPECT_TRUE(AnswerOf(trace(800)).ends_with(" Before the capture it had reached 800 B."));
  EXPECT_TRUE(AnswerOf(trace(800), one).ends_with(" Before the capture it had reached 800 B."));
  // The first event has set the peak itself.
  EXPECT_TRUE(AnswerOf(trace(90), one).ends_with(" Elsewhere in the capture it reached 500 B."));
  EXPECT_TRUE(AnswerOf(trace(300), one).ends_with(" Elsewhere in the capture it reached 500 B."));
  EXPECT_EQ(AnswerOf(trace(90)).find("reached"), std::string::npos);
}

TEST(Memory, AllocationsOfAProgramAreKnownByTheirSize) {
  std::vector<Program> programs;
  programs.push_back(MakeProgram());
  const std::vector<Allocator> found = Find(MakeTrace(
      {{10, true, 128, 1, 128}, {11, true, 40, 2, 168}, {12, true, 7, 3, 175}, {31, true, 9, 4, 184}},
      {{0, 20, "PjRtLoadedExecutable::Execute (jit_f)"}, {30, 40, "X::BufferFromHostBuffer(s32[3])"}},
      std::move(programs)));
  ASSERT_EQ(found[0].live.size(), 4u);
  EXPECT_EQ(found[0].live[0].kind, LiveKind::kTemporaries);
  EXPECT_EQ(found[0].live[0].program, "jit_f");
  EXPECT_EQ(found[0].live[1].kind, LiveKind::kOutput);
  EXPECT_EQ(found[0].live[2].kind, LiveKind::kInput);
  EXPECT_EQ(found[0].live[2].shape, "s32[3]");
  EXPECT_EQ(found[0].live[3].kind, LiveKind::kOther);
}

TEST(Memory, OutputsAsLargeAsTheTemporaries) {
  const auto live = [](const std::vector<Event>& events) {
    std::vector<Program> programs;
    programs.push_back(MakeProgram());
    programs[0].buffers->allocations[2].size = 40;
    // The name of the program stands further in than what gives temporaries back.
    return Find(MakeTrace(
        events, {{0, 20, "PjRtCApiLoadedExecutable::Execute"}, {1, 10, "GpuExecutable::Execute (jit_f)"}},
        std::move(programs)))[0]
        .live;
  };
  const std::vector<LiveAllocation> inside =
      live({{5, true, 40, 1, 40}, {6, true, 40, 2, 80}, {15, false, 40, 2, 40}});
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_EQ(inside[0].kind, LiveKind::kTemporaries);
  EXPECT_EQ(inside[1].kind, LiveKind::kOutput);
  const std::vector<LiveAllocation> after = live({{5, true, 40, 1, 40},
                                                  {6, true, 40, 2, 80},
                                                  {15, false, 40, 2, 40},
                                                  {30, true, 70, 2, 110},
                                                  {40, false, 40, 1, 70}});
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].kind, LiveKind::kOther);
  EXPECT_EQ(after[1].kind, LiveKind::kOutput);
  EXPECT_EQ(after[1].bytes, 40);
}

TEST(Memory, CandidatesOfTheAutotunerAreCompilation) {
  const std::vector<Event> events = {{11, true, 100, 1, 100}, {31, true, 200, 2, 300}};
  const std::vector<Around> around = {
      {0, 20, "create redzone buffers"}, {1, 19, "create inputs"}, {30, 40, "Build buffer allocations"}};
  const std::vector<Allocator> worker = Find(MakeTrace(events, around, {}, "tf_pjrt_compile_thread_pool/5"));
  ASSERT_EQ(worker[0].live.size(), 1u);
  EXPECT_EQ(worker[0].live[0].kind, LiveKind::kCompilation);
  EXPECT_EQ(worker[0].live[0].bytes, 300);
  const std::vector<Allocator> python = Find(MakeTrace(events, around));  // where no worker tries them
  ASSERT_EQ(python[0].live.size(), 2u);
  EXPECT_EQ(python[0].live[0].kind, LiveKind::kOther);
  EXPECT_EQ(python[0].live[1].kind, LiveKind::kCompilation);
}

TEST(Memory, ATimelineKeepsItsPeak) {
  std::vector<MemoryPoint> points;
  for (int64_t i = 0; i < 100'000; ++i) points.push_back({Ps(i * i), i == 70'001 ? 1'000'000 : i % 997});
  const std::vector<MemoryPoint> few = Downsample(points, 1000);
  EXPECT_LE(few.size(), 1000u);
  EXPECT_GT(few.size(), 500u);
  const auto peak = std::ranges::max_element(few, {}, &MemoryPoint::in_use);
  EXPECT_EQ(peak->in_use, 1'000'000);
  EXPECT_EQ(peak->time, Ps(int64_t{70'001} * 70'001));
  EXPECT_TRUE(std::ranges::is_sorted(few, {}, &MemoryPoint::time));
  EXPECT_EQ(Downsample({{Ps(1), 2}}, 1000).size(), 1u);
}

TEST(Memory, WhatAProgramNeeds) {
  const Program program = MakeProgram();
  const ProgramMemory memory = FindProgramMemory(program);
  EXPECT_TRUE(memory.known);
  EXPECT_EQ(memory.parameters, 40);
  EXPECT_EQ(memory.outputs, 40);
  EXPECT_EQ(memory.temporaries, 128);
  EXPECT_EQ(memory.live_temporaries, 104);
  EXPECT_EQ(memory.packing(), 24);
  EXPECT_EQ(memory.padding, 24);
  EXPECT_EQ(memory.total(), 208);
  EXPECT_EQ(program.text(program[memory.peak_at].name), "b");
  int64_t sum = 0;
  for (const LiveBuffer& buffer : memory.live) sum += buffer.bytes;
  EXPECT_EQ(sum, memory.total() - memory.packing());
  std::vector<int64_t> over_the_schedule;  // 80 bytes of parameter and output are always there
  for (const SchedulePoint& point : memory.schedule) over_the_schedule.push_back(point.bytes);
  EXPECT_EQ(over_the_schedule, (std::vector<int64_t>{80 + 64, 80 + 104, 80 + 80, 80 + 40}));
}

// Bytes of the groups of one kind, the largest first.
std::vector<std::pair<std::string, double>> Groups(const HostMemory& memory, std::string_view by) {
  std::vector<std::pair<std::string, double>> found;
  for (const report::Row& row : MemoryGroupsTable(std::span(&memory, 1)).rows) {
    if (row[2].text() == by) found.emplace_back(row[3].text(), *row[4].number());
  }
  return found;
}

TEST(Memory, CategoriesAndScopesAreThoseOfOperations) {
  LoadedRun run;
  std::vector<Program> programs;
  programs.push_back(MakeProgram());
  run.hosts.push_back({"vm", "", MakeTrace({}, {}, std::move(programs))});
  const auto view = RunView::Make(run, {});
  const auto memory = FindMemory(*view);
  using Sums = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(Groups((*memory)[0], "category"), (Sums{{"elementwise", 144}, {"parameter", 40}}));
  EXPECT_EQ(Groups((*memory)[0], "scope"), (Sums{{"jit(f)/jvp/layer", 144}, {"jit(f)", 40}}));
}

TEST(Memory, AProgramWithoutBuffersAndOneWithAbsurdOnes) {
  Program program = MakeProgram();
  program.buffers->allocations[2].size = std::numeric_limits<int64_t>::max();
  program.buffers->buffers[1].size = -5;
  program.buffers->heap_traces[0].events[0].buffer = 12345;
  EXPECT_GE(FindProgramMemory(program).total(), 0);
  program.buffers.reset();
  EXPECT_FALSE(FindProgramMemory(program).known);
}

TEST(Memory, NothingInTheCapture) {
  LoadedRun run;
  run.typed = run.run.path = "runs/x";
  run.hosts.push_back({"vm", "", MakeTrace({})});
  const auto view = RunView::Make(run, {});
  const auto document = MemoryDocument(*view);
  EXPECT_EQ(document->answer, "No memory events and no buffer assignment in this capture.");
  for (const report::Table& table : document->tables) {
    for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
  }
}

TEST(Memory, SeveralHosts) {
  LoadedRun run;
  run.typed = run.run.path = "runs/x";
  run.hosts.push_back({"vm0", "", MakeTrace({{10, true, 50, 1, 50}})});
  run.hosts.push_back({"vm1", "", MakeTrace({{10, true, 90, 1, 90}})});
  const auto document = MemoryDocument(*RunView::Make(run, {}));
  EXPECT_TRUE(document->answer.starts_with("Peak 90 B on GPU 0 of vm1, ")) << document->answer;
  const auto live = std::ranges::find(document->tables, "memory_live", &report::Table::name);
  EXPECT_FALSE(live->columns[0].show.hidden);
  EXPECT_TRUE(live->title.empty());      // it would be the head of the hosts
  EXPECT_EQ(document->next.size(), 1u);  // no program, so nothing to group
}

TEST(Memory, WhatIsEmptyHasAReasonAndIsNotProposed) {
  LoadedRun run;
  run.typed = run.run.path = "runs/x";
  std::vector<Program> programs;
  programs.push_back(MakeProgram());
  run.hosts.push_back({"vm", "", MakeTrace({}, {}, std::move(programs))});
  const auto document = MemoryDocument(*RunView::Make(run, {}));
  const auto timeline = std::ranges::find(document->tables, "memory_timeline", &report::Table::name);
  EXPECT_TRUE(timeline->if_empty.starts_with("no memory events: "));
  ASSERT_EQ(document->next.size(), 1u);
  EXPECT_TRUE(document->next[0].ends_with("--table memory_groups")) << document->next[0];
}

TEST(Memory, TheProgramThatNeedsMostIsOneThatRan) {
  const Program small = MakeProgram();
  HostMemory memory;
  memory.programs = {FindProgramMemory(small), FindProgramMemory(small)};
  EXPECT_EQ(memory.program_at_peak(), &memory.programs[0]);  // none ran
  memory.programs[1].ran = true;
  EXPECT_EQ(memory.program_at_peak(), &memory.programs[1]);
}

}  // namespace
}  // namespace gait::analyze
