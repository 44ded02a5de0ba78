#include "gait/analyze/question/transfers/transfers.h"

#include <gtest/gtest.h>

#include "gait/analyze/question/transfers/copy_origin.h"
#include "gait/analyze/question/transfers/transfers_report.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

using Maker = TestTraceMaker;

constexpr const char* kToDevice = "kind_src:pinned kind_dst:device size:1000 dest:0 async:1";
constexpr const char* kToHost = "kind_src:device kind_dst:pageable size:50 dest:0 async:1";

TransfersResult Find(const std::shared_ptr<LoadedRun>& run, const Selection& selection = {}) {
  const auto view = RunView::Make(*run, selection);
  EXPECT_TRUE(view.has_value());
  return FindTransfers(*view);
}

const TransferSum& SumOf(const TransfersResult& result, CopyKind kind, bool in_program = false) {
  for (const TransferKind& k : result.kinds) {
    if (k.kind == kind && k.in_program == in_program) return k.sum;
  }
  static const TransferSum kNone;
  return kNone;
}

TEST(CopyDetails, ParsesEveryForm) {
  const CopyDetails cuda = ParseCopyDetails(kToDevice);
  EXPECT_EQ(cuda.source, MemoryKind::kPinned);
  EXPECT_EQ(cuda.destination, MemoryKind::kDevice);
  EXPECT_EQ(cuda.bytes, 1000);
  EXPECT_EQ(cuda.host_memory(), MemoryKind::kPinned);
  EXPECT_EQ(ParseCopyDetails("kind:device num_bytes:4 async:1").bytes, 4);
  EXPECT_EQ(ParseCopyDetails(kToHost).host_memory(), MemoryKind::kPageable);
  // AMD's host records, and worse.
  EXPECT_FALSE(ParseCopyDetails("kind:Unknown size:0 dest:512 async:1").bytes);
  EXPECT_FALSE(ParseCopyDetails("size:-5").bytes);
  EXPECT_FALSE(ParseCopyDetails("size:99999999999999999999 : x").bytes);
}

TEST(CopyDetails, KindByMemoryThenByName) {
  const auto kind = [](const char* name, const char* details, int64_t ordinal = 0) {
    return KindOfCopy(name, ParseCopyDetails(details), ordinal);
  };
  EXPECT_EQ(kind("MemcpyH2D", ""), CopyKind::kHostToDevice);
  EXPECT_EQ(kind("hipMemcpyDtoHAsync", ""), CopyKind::kDeviceToHost);
  EXPECT_EQ(kind("hipMemcpyDtoDAsync", "kind:Unknown size:0 dest:512"), CopyKind::kDeviceToDevice);
  EXPECT_EQ(kind("MemcpyOther", "kind_src:pinned kind_dst:pageable size:8"), CopyKind::kHostToHost);
  EXPECT_EQ(kind("MemcpyOther", kToHost), CopyKind::kDeviceToHost);
  EXPECT_EQ(kind("MemcpyP2P", ""), CopyKind::kPeer);
  EXPECT_EQ(kind("MemcpyD2D", "kind_src:device kind_dst:device size:8 dest:1"), CopyKind::kPeer);
  EXPECT_EQ(kind("MemcpyD2D", "kind_src:device kind_dst:device size:8 dest:1", 1), CopyKind::kDeviceToDevice);
  EXPECT_EQ(kind("Memset 4", "kind:device num_bytes:4"), CopyKind::kMemset);
  EXPECT_EQ(kind("__amd_rocclr_copyBuffer.kd", ""), CopyKind::kUnknown);
}

TEST(Transfers, SumsUnionsAndWhatComputeHides) {
  Maker maker;
  const PlaneId gpu = maker.Gpu(0);
  const Maker::Row compute = maker.Stream(gpu, 1);
  const Maker::Row one = maker.Stream(gpu, 2);
  const Maker::Row two = maker.Stream(gpu, 3);
  Program program;
  program.id = 1;
  program.name = "jit_f";
  Instruction add;
  add.name = program.strings.Intern("add.1");
  add.opcode = program.strings.Intern("add");
  program.instructions.push_back(add);
  program.BuildIndex();
  maker.builder().AddProgram(std::move(program));
  maker.Event(compute, 50, 120, "wrapped_add", {{"hlo_op", "add.1"}});
  maker.Event(one, 0, 100, "MemcpyH2D", {{"memcpy_details", kToDevice}});
  maker.Event(two, 90, 130, "MemcpyH2D", {{"memcpy_details", kToDevice}});
  maker.Event(two, 140, 160, "MemcpyD2H", {{"memcpy_details", kToHost}});
  maker.Event(two, 160, 170, "MemcpyH2D");
  maker.Event(two, 170, 180, "Memset 4", {{"Memset_details", "kind:device num_bytes:4 async:1"}});
  const TransfersResult result = Find(maker.Finish({{"add.1", {ProgramIndex(0), InstructionIndex(0)}}}));
  const TransferSum& to_device = SumOf(result, CopyKind::kHostToDevice);
  EXPECT_EQ(to_device.count, 3u);
  EXPECT_EQ(to_device.bytes, 2000);
  EXPECT_EQ(to_device.without_bytes, 1u);
  EXPECT_EQ(to_device.total, Ps(150));
  EXPECT_EQ(to_device.union_time, Ps(140));
  EXPECT_EQ(to_device.hidden, Ps(70));
  EXPECT_EQ(to_device.pinned, 2u);
  EXPECT_DOUBLE_EQ(to_device.rate().value(), 2000 / 140e-12);  // of the copies that state their bytes
  EXPECT_EQ(SumOf(result, CopyKind::kDeviceToHost).pageable, 1u);
  EXPECT_EQ(SumOf(result, CopyKind::kMemset).bytes, 4);
  EXPECT_EQ(result.all.count, 4u);  // memsets apart
  EXPECT_EQ(result.compute, Ps(70));
  EXPECT_EQ(result.count, 5u);
}

// The longest copies are under compute and cost nothing.
TEST(TransfersReport, TheAnswerNamesWhatIsNotHidden) {
  Maker maker;
  const PlaneId gpu = maker.Gpu(0);
  maker.Event(maker.Stream(gpu, 1), 0, 300, "fusion");
  const Maker::Row copies = maker.Stream(gpu, 2);
  maker.Event(copies, 10, 250, "MemcpyH2D", {{"memcpy_details", kToDevice}});
  maker.Event(copies, 310, 410, "MemcpyD2H", {{"memcpy_details", kToHost}});
  const auto run = maker.Finish();
  EXPECT_TRUE(TransfersDocument(*RunView::Make(*run, {}))
                  .answer.ends_with("71 % of it under compute; most of the rest is device to host."));
}

// A call of Python on one thread, a worker that stages and copies.
struct Worker {
  Maker maker;
  PlaneId gpu = maker.Gpu(0);
  PlaneId host = maker.Host();
  Maker::Row stream = maker.Stream(gpu, 7);
  Maker::Row python = maker.Thread(host, 1, "python3");
  Maker::Row worker = maker.Thread(host, 2, "anything");
  Maker::Row other = maker.Thread(host, 3, "anything else");

  // Asks at `at`; the worker stages from at + 10 to at + 40, calls at + 45, the device copies at + 50 to
  // + 60.
  void Step(int64_t number, int64_t at, bool other_thread = false) {
    maker.Event(python, at, at + 90, "train", {{"step_num", number}});
    maker.Event(python, at + 1, at + 9, "$train.py:7 step");
    maker.Event(python, at + 1, at + 8, "to_device");
    maker.Event(python, at + 2, at + 8, "$api.py:1 device_put");
    maker.Event(python, at + 3, at + 7, "Linearize", {{"_pt", 5}, {"_p", 100 + number}});
    maker.Event(worker, at + 10, at + 40, "Dispatch", {{"_ct", 5}, {"_c", 100 + number}});
    maker.Event(worker, at + 12, at + 38, "Transpose");
    maker.Event(other_thread ? other : worker, at + 45, at + 48, "MemcpyH2D", {{"correlation_id", number}});
    maker.Event(stream, at + 50, at + 60, "MemcpyH2D",
                {{"correlation_id", number}, {"memcpy_details", kToDevice}});
  }
};

TEST(Transfers, StagingBeforeTheCopyApartFromTheCopy) {
  Worker w;
  for (int64_t step = 0; step < 3; ++step) w.Step(step, 100 * step);
  const TransfersResult result = Find(w.maker.Finish());
  EXPECT_EQ(result.steps, 2);  // nobody knows where the first began
  ASSERT_EQ(result.sites.size(), 1u);
  const TransferSite& site = result.sites[0];
  EXPECT_EQ(site.sum.staged, 2u);
  EXPECT_EQ(site.sum.staging, Ps(60));
  EXPECT_EQ(site.sum.staging_union, Ps(60));
  EXPECT_EQ(site.sum.staging_idle, Ps(60));
  EXPECT_EQ(site.sum.total, Ps(20));
  EXPECT_EQ(site.staging_work, "Dispatch → Transpose");
  EXPECT_EQ(site.staging_threads, (std::vector<std::string>{"anything"}));
  EXPECT_EQ(site.asked_by, "to_device");
  EXPECT_EQ(site.python, "train.py:7 step");
  EXPECT_EQ(site.function, "device_put");
  EXPECT_TRUE(site.every_step);
  EXPECT_EQ(site.stack.front(), "train");
  EXPECT_EQ(site.stack.back(), "Linearize");
}

TEST(Transfers, WhatOneDeviceOfSeveralGetsEachTimeComesInEveryStep) {
  Worker w;
  const Maker::Row beside = w.maker.Stream(w.maker.Gpu(1), 7);
  for (int64_t step = 0; step < 3; ++step) {
    w.Step(step, 100 * step);
    w.maker.Event(w.python, 100 * step + 10, 100 * step + 11, "launch", {{"correlation_id", 50 + step}});
    w.maker.Event(beside, 100 * step + 20, 100 * step + 70, "kernel", {{"correlation_id", 50 + step}});
  }
  const TransfersResult result = Find(w.maker.Finish());
  ASSERT_EQ(result.sites.size(), 1u);
  EXPECT_EQ(result.sites[0].steps_with, 2u);
  EXPECT_TRUE(result.sites[0].every_step);
}

TEST(Transfers, TheWorkMayGoOnOnAnotherThread) {
  Worker w;
  w.Step(0, 0);
  w.Step(1, 100, true);
  w.Step(2, 200);
  const TransfersResult result = Find(w.maker.Finish());
  ASSERT_EQ(result.sites.size(), 1u);
  EXPECT_EQ(result.sites[0].sum.staged, 2u);  // of the steps that count
}

TEST(Transfers, WithoutALinkTheAskerIsUnknown) {
  Worker w;
  w.Step(0, 0);
  // A second copy of the worker that nothing leads to: what explained the first does not explain it too.
  w.maker.Event(w.worker, 70, 72, "MemcpyH2D", {{"correlation_id", 50}});
  w.maker.Event(w.stream, 75, 80, "MemcpyH2D", {{"correlation_id", 50}, {"memcpy_details", kToDevice}});
  const TransfersResult result = Find(w.maker.Finish());
  ASSERT_EQ(result.sites.size(), 2u);
  EXPECT_EQ(result.sites[1].asked_by, "");
  EXPECT_EQ(result.sites[1].python, "");
  EXPECT_EQ(result.sites[1].sum.staged, 0u);
  EXPECT_FALSE(result.sites[1].sum.staging_rate());
}

TEST(Transfers, ACallInsideOtherEventsIsItsOwnAsker) {
  Worker w;
  w.maker.Event(w.python, 0, 50, "np.asarray");
  w.maker.Event(w.python, 10, 20, "MemcpyD2H", {{"correlation_id", 1}});
  w.maker.Event(w.stream, 20, 30, "MemcpyD2H", {{"correlation_id", 1}, {"memcpy_details", kToHost}});
  w.maker.Event(w.other, 31, 40, "D2H Copy From Staging Buffer");
  const TransfersResult result = Find(w.maker.Finish());
  EXPECT_EQ(result.sites.at(0).asked_by, "np.asarray");
  EXPECT_EQ(result.sites.at(0).sum.staging, Ps(9));
  EXPECT_FALSE(result.sites.at(0).every_step);
}

TEST(Transfers, AsManyCallsAsCopiesArePairedInOrder) {
  Worker w;
  for (int64_t i = 0; i < 3; ++i) {
    w.maker.Event(w.python, 100 * i, 100 * i + 20, "BufferFromHostBuffer(f32[])");
    w.maker.Event(w.python, 100 * i + 5, 100 * i + 15, "Linearize", {{"_p", i + 1}});
    w.maker.Event(w.worker, 100 * i + 30, 100 * i + 35, "MemcpyH2D", {{"correlation_id", i}});
    w.maker.Event(w.stream, 100 * i + 40, 100 * i + 45, "MemcpyH2D",
                  {{"correlation_id", i}, {"memcpy_details", kToDevice}});
  }
  const TransfersResult result = Find(w.maker.Finish());
  ASSERT_EQ(result.sites.size(), 1u);
  EXPECT_EQ(result.sites[0].asked_by, "BufferFromHostBuffer(f32[])");
  EXPECT_EQ(result.sites[0].sum.staging, Ps(30));
}

TEST(Transfers, ATpusAsynchronousCopyLastsFromStartToDone) {
  Maker maker;
  const PlaneId tpu = maker.Plane("/device:TPU:0", PlaneKind::kTpu, 0);
  const Maker::Row ops = maker.Track(tpu, 1, "XLA Ops", TrackKind::kOps);
  Program program;
  program.id = 1;
  program.name = "jit_f";
  Shape on_device;
  on_device.type = ElementType::kF32;
  on_device.dimensions = {256};
  Shape on_host = on_device;
  on_host.memory_space = 5;
  Shape both;
  both.type = ElementType::kTuple;
  both.elements = {ShapeId(0), ShapeId(1)};
  program.shapes = {on_device, on_host, both};
  Instruction start;
  start.name = program.strings.Intern("copy-start");
  start.opcode = program.strings.Intern("copy-start");
  start.shape = ShapeId(2);
  Instruction done;
  done.name = program.strings.Intern("copy-done");
  done.opcode = program.strings.Intern("copy-done");
  done.operands = {InstructionIndex(0)};
  program.instructions = {start, done};
  program.BuildIndex();
  maker.builder().AddProgram(std::move(program));
  maker.Event(ops, 0, 2, "start", {{"hlo_op", "copy-start"}});
  maker.Event(ops, 50, 100, "done", {{"hlo_op", "copy-done"}});
  const TransfersResult result = Find(maker.Finish({{"copy-start", {ProgramIndex(0), InstructionIndex(0)}},
                                                    {"copy-done", {ProgramIndex(0), InstructionIndex(1)}}}));
  const TransferSum& sum = SumOf(result, CopyKind::kHostToDevice, true);
  EXPECT_EQ(sum.count, 1u);
  EXPECT_EQ(sum.bytes, 1024);
  EXPECT_EQ(sum.union_time, Ps(100));
  EXPECT_EQ(result.sites.at(0).operation, "jit_f/copy-start");
}

TEST(Transfers, OperationsOfProgramsThatAreNotThereNameThemselves) {
  const auto memset = [](int64_t begin, const char* program) {
    return TestEvent{.begin = begin,
                     .end = begin + 10,
                     .kernel = "Memset 4",
                     .correlation = begin,
                     .kind = AttributionKind::kNoProgram,
                     .args = {{"hlo_module", program}}};
  };
  TestCapture capture;
  capture.events = {memset(20, "jit_f"), memset(40, "jit_g")};
  capture.calls = {{0, 50, "ExecuteThunks"}, {10, 12, "Memset", 20}, {30, 32, "Memset", 40}};
  const TestView test(std::move(capture));
  const TransfersResult& result = FindTransfers(test.view);
  ASSERT_EQ(result.sites.size(), 2u);  // though the host launched both from one place
  EXPECT_TRUE(result.sites[0].operation.starts_with("jit_f/op")) << result.sites[0].operation;
  EXPECT_TRUE(result.sites[1].operation.starts_with("jit_g/op")) << result.sites[1].operation;
  EXPECT_EQ(result.sites[0].asked_by, "");
}

TEST(TransfersReport, SaysWhyThereAreNone) {
  Maker cpu;
  const PlaneId plane = cpu.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  cpu.Event(cpu.Track(plane, 1, "XLA Ops", TrackKind::kOps), 0, 10, "copy.1");
  const auto run = cpu.Finish();
  const report::Document document = TransfersDocument(*RunView::Make(*run, {}));
  EXPECT_EQ(document.answer, "No transfers in what was selected.");
  EXPECT_EQ(document.tables[0].if_empty,
            "no transfers: the devices are the CPU itself, whose copies inside host memory are operations");
  for (const report::Table& table : document.tables) {
    for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
  }
}

}  // namespace
}  // namespace gait::analyze
