// Asynchronous copies and collectives are in flight from their start to the end of their done. All analyses
// count that time alike, whether the device writes a line of asynchronous operations or not.
#include <gtest/gtest.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/question/path/critical_path.h"
#include "gait/analyze/question/transfers/transfers.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

constexpr int64_t kSteps = 5;
constexpr int64_t kStep = 100;

struct Piece {
  std::string name;
  int64_t begin;
  int64_t end;
};

// Two TPUs run the same steps; only the first has events on its line of asynchronous operations.
std::shared_ptr<LoadedRun> TwoTpus(const std::vector<Piece>& step, const std::vector<Piece>& line,
                                   const std::vector<Piece>& behind = {}) {
  TestTraceMaker maker;
  ProgramMaker program("jit_f", 12);
  std::map<std::string, InstructionRef> attributed;
  const auto add = [&](const std::string& name, const std::string& opcode, const std::string& operand = "") {
    const InstructionIndex at = program.Add(name, opcode);
    if (!operand.empty()) program.at(at).operands = {attributed[operand].instruction};
    attributed[name] = {ProgramIndex(0), at};
  };
  add("copy-start", "copy-start");
  add("copy-done", "copy-done", "copy-start");
  add("ar-start", "all-reduce-start");
  add("ar-done", "all-reduce-done", "ar-start");
  add("mul", "multiply");
  maker.builder().AddProgram(program.Finish());
  for (int64_t d = 0; d < 2; ++d) {
    const PlaneId tpu = maker.Plane("/device:TPU:" + std::to_string(d), PlaneKind::kTpu, d);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    const auto async = maker.Track(tpu, 3, "Async XLA Ops", TrackKind::kAsyncOps);
    const auto put = [&](TestTraceMaker::Row row, int64_t at, const std::vector<Piece>& pieces) {
      for (const Piece& piece : pieces)
        maker.Event(row, at + piece.begin, at + piece.end, piece.name, {{"hlo_op", piece.name}});
    };
    for (int64_t s = 0; s < kSteps; ++s) {
      maker.Event(modules, s * kStep, s * kStep + 90, "jit_f(12)");
      put(ops, s * kStep, step);
      if (d == 0) put(async, s * kStep, line);
    }
    put(ops, kSteps * kStep, behind);
  }
  return maker.Finish(attributed);
}

const std::vector<Piece> kWork = {
    {"copy-start", 0, 2}, {"ar-start", 2, 4}, {"mul", 10, 50}, {"ar-done", 60, 70}, {"copy-done", 70, 90}};
const std::vector<Piece> kLine = {{"copy-done", 0, 90}, {"ar-done", 2, 70}};

TEST(InFlight, IsHiddenWhereItLiesUnderOtherWork) {
  const auto run = TwoTpus(kWork, kLine);
  const RunView view = *RunView::Make(*run, {});
  for (const size_t device : {0, 1}) {
    for (int64_t s = 0; s < kSteps; ++s) {
      const Partition parts = view.hosts[0].times[device].Split({Ps(s * kStep), Ps(s * kStep + kStep)});
      EXPECT_EQ(parts.compute, Ps(40));
      EXPECT_EQ(parts.exposed_communication, Ps(8 + 20));
      EXPECT_EQ(parts.hidden_communication, Ps(40));
      EXPECT_EQ(parts.exposed_copies, Ps(2 + 20));
      EXPECT_EQ(parts.hidden_copies, Ps(68));
      EXPECT_EQ(parts.idle, Ps(10));
    }
    // A window that begins and ends within operations in flight, and leaves their starts or dones outside.
    const Partition parts = view.hosts[0].times[device].Split({Ps(30), Ps(kStep + 30)});
    EXPECT_EQ(parts.hidden_communication, Ps(40));
    EXPECT_EQ(parts.hidden_copies, Ps(68));
    EXPECT_EQ(parts.compute + parts.exposed_communication + parts.exposed_copies + parts.idle, parts.window);
  }
}

TEST(InFlight, IsTheSameInEveryAnalysis) {
  const auto run = TwoTpus(kWork, kLine);
  const RunView view = *RunView::Make(*run, {});
  const int64_t steps = view.hosts[0].steps;
  ASSERT_EQ(steps, kSteps - 1);  // the first does not count
  const TransfersResult& transfers = FindTransfers(view);
  EXPECT_EQ(transfers.all.count, static_cast<uint64_t>(2 * steps));
  EXPECT_EQ(transfers.all.union_time, Ps(2 * steps * 90));
  const CollectivesResult collectives = AnalyzeCollectives(view);
  ASSERT_EQ(collectives.collectives.size(), 1u);
  EXPECT_EQ(collectives.collectives[0].executions, static_cast<uint64_t>(steps));
  for (const size_t device : {0, 1}) {
    EXPECT_EQ(collectives.devices[device].exposed, Ps(steps * 28));
    EXPECT_EQ(collectives.devices[device].hidden, Ps(steps * 40));
  }
  const std::vector<HostPath> paths = FindPaths(view);
  ASSERT_EQ(paths[0].paths.size(), static_cast<size_t>(2 * steps));
  for (const StepPath& path : paths[0].paths) {
    EXPECT_EQ(path.device_work.copies, Ps(90));
    EXPECT_EQ(path.device_work.communication, Ps(68));
    EXPECT_EQ(path.device_work.PerfectOverlap(), Ps(90));
  }
}

// A capture that ends inside a step: of the last copy and collective only the starts are known.
TEST(InFlight, DoesNotCountWithoutTheDone) {
  const auto run = TwoTpus(kWork, kLine, {{"copy-start", 0, 2}, {"ar-start", 2, 4}, {"mul", 10, 50}});
  const RunView view = *RunView::Make(*run, {});
  const Ps end(kSteps * kStep);
  for (const size_t device : {0, 1}) {
    const Partition cut = view.hosts[0].times[device].Split({end, end + Ps(kStep)});
    EXPECT_EQ(cut.compute, Ps(40));
    EXPECT_EQ(cut.exposed_communication, Ps(2));
    EXPECT_EQ(cut.exposed_copies, Ps(2));
    EXPECT_EQ(cut.hidden_communication, Ps());
    EXPECT_EQ(cut.hidden_copies, Ps());
    EXPECT_EQ(cut.idle, Ps(kStep - 44));
  }
  EXPECT_EQ(FindTransfers(view).all.count, static_cast<uint64_t>(2 * view.hosts[0].steps));
  EXPECT_EQ(AnalyzeCollectives(view).found.executions.size(), static_cast<size_t>(2 * kSteps));
}

}  // namespace
}  // namespace gait::analyze
