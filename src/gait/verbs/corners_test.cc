// The corners of captures, each as a small run: in all of them every analysis keeps its identity, and every
// verb makes its document.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gait/analyze/operations/operations.h"
#include "gait/analyze/question/host/host.h"
#include "gait/analyze/question/idle/gaps.h"
#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/question/path/critical_path.h"
#include "gait/analyze/question/transfers/transfers.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/verbs/question.h"

namespace gait::analyze {
namespace {

using Args = TestTraceMaker::Args;

Args Launched(int64_t id) { return {{"correlation_id", id}}; }

// A GPU, a thread that runs Python, and what a corner adds to them.
struct Corner {
  TestTraceMaker maker;
  PlaneId gpu = maker.Gpu(0);
  PlaneId host = maker.Host();
  TestTraceMaker::Row stream = maker.Stream(gpu, 1);
  TestTraceMaker::Row python = maker.Thread(host, 7, "python");
  int64_t launches = 0;

  // Work that the host launched at a time.
  void Work(TestTraceMaker::Row row, int64_t begin, int64_t end, const std::string& name, int64_t launch) {
    maker.Event(python, launch, launch + 1, "cuLaunchKernel", Launched(launches));
    maker.Event(row, begin, end, name, Launched(launches++));
  }
  void Step(int64_t number, int64_t begin, int64_t end) {
    maker.Event(python, begin, end, "train", {{"step_num", number}});
  }
};

std::shared_ptr<LoadedRun> Nesting() {
  Corner c;
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s + 90);
    c.maker.Event(c.python, 100 * s + 1, 100 * s + 60, "PjitFunction(f)");
    c.maker.Event(c.python, 100 * s + 2, 100 * s + 50, "$a.py:1 f");
    c.Work(c.stream, 100 * s + 20, 100 * s + 80, "outer", 100 * s + 3);
    c.Work(c.stream, 100 * s + 30, 100 * s + 50, "inner", 100 * s + 5);
    c.Work(c.stream, 100 * s + 35, 100 * s + 40, "MemcpyD2D", 100 * s + 7);
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> OverlapOnOneStream() {
  Corner c;
  const auto other = c.maker.Stream(c.gpu, 2);
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s + 90);
    c.Work(c.stream, 100 * s + 10, 100 * s + 50, "first", 100 * s + 1);
    c.Work(c.stream, 100 * s + 30, 100 * s + 70, "second", 100 * s + 2);
    c.Work(other, 100 * s + 40, 100 * s + 95, "MemcpyH2D", 100 * s + 3);
    c.Work(other, 100 * s + 40, 100 * s + 60, "ncclDevKernel_AllReduce", 100 * s + 4);
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> ZeroLengthEvents() {
  Corner c;
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s);
    c.Work(c.stream, 100 * s + 10, 100 * s + 10, "nothing", 100 * s);
    c.Work(c.stream, 100 * s + 10, 100 * s + 40, "kernel", 100 * s + 1);
    c.Work(c.stream, 100 * s + 40, 100 * s + 40, "nothing", 100 * s + 2);
    c.maker.Event(c.python, 100 * s + 50, 100 * s + 50, "data_loading");
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> OverlappingSteps() {
  Corner c;
  for (int64_t s = 0; s < 4; ++s) {
    c.Step(s, 100 * s, 100 * s + 170);
    c.Work(c.stream, 100 * s + 30, 100 * s + 160, "kernel", 100 * s + 10);
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> TwoProgramsAtOnce() {
  Corner c;
  const auto other = c.maker.Stream(c.gpu, 2);
  std::vector<InstructionRef> made;
  for (uint64_t p = 0; p < 2; ++p) {
    Program program;
    program.id = p;
    program.name = p == 0 ? "jit_train" : "jit_eval";
    Shape shape;
    shape.type = ElementType::kF32;
    shape.dimensions = {8};
    program.shapes.push_back(shape);
    Instruction instruction;
    instruction.name = program.strings.Intern(p == 0 ? "dot.1" : "add.1");
    instruction.opcode = program.strings.Intern(p == 0 ? "dot" : "add");
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(0);
    program.instructions.push_back(instruction);
    Computation entry;
    entry.name = program.strings.Intern("main");
    entry.begin = InstructionIndex(0);
    entry.end = InstructionIndex(1);
    entry.root = InstructionIndex(0);
    program.computations.push_back(entry);
    program.entry = ComputationIndex(0);
    program.BuildIndex();
    c.maker.builder().AddProgram(std::move(program));
    made.push_back({ProgramIndex(p), InstructionIndex(0)});
  }
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s + 90);
    for (int64_t p = 0; p < 2; ++p) {
      c.maker.Event(c.python, 100 * s + p + 1, 100 * s + p + 2, "cuLaunchKernel", Launched(10 * s + p));
      c.maker.Event(p == 0 ? c.stream : other, 100 * s + 10 + 15 * p, 100 * s + 60 + 15 * p, "kernel",
                    {{"correlation_id", 10 * s + p}, {"hlo_op", p == 0 ? "dot.1" : "add.1"}});
    }
  }
  return c.maker.Finish({{"dot.1", made[0]}, {"add.1", made[1]}});
}

std::shared_ptr<LoadedRun> AnEmptyDevice() {
  Corner c;
  c.maker.Stream(c.maker.Gpu(1), 1);
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s + 90);
    c.Work(c.stream, 100 * s + 10, 100 * s + 50, "kernel", 100 * s + 1);
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> MissingHlo() {
  Corner c;
  for (int64_t s = 0; s < 3; ++s) {
    c.Step(s, 100 * s, 100 * s + 90);
    c.maker.Event(c.python, 100 * s + 1, 100 * s + 2, "cuLaunchKernel", Launched(s));
    c.maker.Event(c.stream, 100 * s + 10, 100 * s + 50, "fusion_3",
                  {{"correlation_id", s}, {"hlo_op", "fusion.3"}, {"hlo_module", "jit_gone"}});
  }
  return c.maker.Finish();
}

std::shared_ptr<LoadedRun> NoHost() {
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 1);
  maker.Event(stream, 10, 40, "kernel");
  maker.Event(stream, 60, 90, "kernel");
  return maker.Finish();
}

std::shared_ptr<LoadedRun> NoDevice() {
  TestTraceMaker maker;
  const auto python = maker.Thread(maker.Host(), 7, "python");
  for (int64_t s = 0; s < 3; ++s) {
    maker.Event(python, 100 * s, 100 * s + 90, "train", {{"step_num", s}});
    maker.Event(python, 100 * s + 5, 100 * s + 60, "load_batch");
  }
  return maker.Finish();
}

struct Case {
  const char* name;
  std::shared_ptr<LoadedRun> (*make)();
};

class Corners : public testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<LoadedRun> run_ = GetParam().make();
  RunView view_ = *RunView::Make(*run_, {});
};

TEST_P(Corners, TheDevicesTimeIsKeptByEveryAnalysis) {
  Ps busy;
  for (const HostView& host : view_.hosts) {
    const HostPath paths = FindPaths(host, ActivityOf(host));
    for (size_t d = 0; d < host.devices.size(); ++d) {
      Partition parts;
      for (const Interval window : host.windows[d]) parts += host.times[d].Split(window);
      EXPECT_EQ(
          parts.compute + parts.exposed_communication + parts.exposed_copies + parts.unknown + parts.idle,
          parts.window);
      EXPECT_EQ(parts.busy(), TotalLength(Intersect(host.times[d].busy(), host.windows[d])));
      busy += parts.busy();
      const DeviceIdle& idle = FindIdle(host).devices[d];
      EXPECT_EQ(idle.idle, parts.idle);
      Ps causes;
      for (const Ps cause : idle.by) causes += cause;
      EXPECT_EQ(causes, idle.idle);
      Ps length;
      for (const StepPath& path : paths.paths) {
        if (path.device != d) continue;
        Ps sum;
        for (const Ps part : path.by) sum += part;
        EXPECT_EQ(sum, path.time.length());
        length += sum;
      }
      EXPECT_EQ(length, parts.window);
    }
  }
  const Operations& operations = FindOperations(view_);
  Ps self;
  for (const OpTotal& total : operations.totals) self += total.self;
  EXPECT_EQ(self, busy);
  EXPECT_EQ(operations.busy, busy);
  EXPECT_LE(FindKernels(view_).union_time, busy);
  EXPECT_LE(FindTransfers(view_).all.union_time, busy);
}

TEST_P(Corners, TheHostsTimeIsKept) {
  for (const HostView& host : view_.hosts) {
    const HostTime time = AnalyzeHost(host);
    Ps self;
    for (const ActivityTime& activity : time.activities) {
      EXPECT_LE(activity.self, activity.total) << activity.name;
      self += activity.self;
    }
    Ps by_kind;
    for (const Ps of_kind : time.self) by_kind += of_kind;
    EXPECT_EQ(self, by_kind);
    for (const HostStepSplit& step : time.steps) {
      Ps sum = step.rest;
      for (const Ps part : step.parts) sum += part;
      EXPECT_EQ(sum, step.step);
    }
  }
}

TEST_P(Corners, EveryVerbAnswers) {
  for (const char* verb : {"overview", "steps", "ops", "kernels", "idle", "path", "memory", "transfers",
                           "collectives", "compile", "roofline", "host"}) {
    const Result<report::Document> document = verbs::Answer(view_, {.verb = verb});
    ASSERT_TRUE(document.has_value()) << verb;
    EXPECT_FALSE(document->answer.empty()) << verb;
    for (const report::Table& table : document->tables) {
      for (const report::Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Analyses, Corners,
    testing::Values(Case{"Nesting", Nesting}, Case{"OverlapOnOneStream", OverlapOnOneStream},
                    Case{"ZeroLengthEvents", ZeroLengthEvents}, Case{"OverlappingSteps", OverlappingSteps},
                    Case{"TwoProgramsAtOnce", TwoProgramsAtOnce}, Case{"AnEmptyDevice", AnEmptyDevice},
                    Case{"MissingHlo", MissingHlo}, Case{"NoHost", NoHost}, Case{"NoDevice", NoDevice}),
    [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace gait::analyze
