#include "gait/analyze/inspect/info.h"

#include <gtest/gtest.h>

#include "gait/analyze/run/tables.h"
#include "gait/analyze/run/test_run.h"
#include "gait/analyze/run/test_trace.h"

namespace gait::analyze {
namespace {

const report::Row* FindRow(const report::Document& document, std::string_view table, std::string_view first) {
  const report::Table* found = report::FindTable(document, table);
  if (found == nullptr) return nullptr;
  for (const report::Row& row : found->rows) {
    if (row[0].text() == first) return &row;
  }
  return nullptr;
}

TEST(Info, AnswersInOneLine) {
  const report::Document document = InfoDocument(*TestRun());
  EXPECT_EQ(document.context, "runs/x · host0 · 1 × NVIDIA H200 · jax 0.12.0");
  EXPECT_EQ(document.answer, "7 events on 2 tracks over 6.80 ms; 2 steps \"train\".");
}

TEST(Info, TracksWithUnionOfOverlaps) {
  const report::Document document = InfoDocument(*TestRun());
  const report::Row* stream = FindRow(document, "tracks", "GPU 0 Stream #14(Compute)");
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ((*stream)[3].RawNumber(), "3");
  EXPECT_EQ((*stream)[6].RawNumber(), std::to_string(Microseconds(35).value()));  // 100-115, 110-125, 120-135
  EXPECT_EQ((*stream)[7].RawNumber(), std::to_string(Microseconds(45).value()));
}

TEST(Info, DevicesStepsAndPrograms) {
  const report::Document document = InfoDocument(*TestRun());
  const report::Row* device = FindRow(document, "devices", "GPU 0");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ((*device)[2].text(), "NVIDIA H200");
  EXPECT_EQ((*device)[3].RawNumber(), "150109880320");
  EXPECT_EQ((*device)[5].kind(), Cell::Kind::kUnknown);
  const report::Row* steps = FindRow(document, "steps", "train");
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ((*steps)[2].text(), "annotation");
  EXPECT_EQ((*steps)[3].RawNumber(), "2");
  EXPECT_EQ((*steps)[4].RawNumber(), "5");
  EXPECT_EQ((*steps)[5].RawNumber(), "6");
  const report::Row* program = FindRow(document, "programs", "jit_f");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ((*program)[5].kind(), Cell::Kind::kUnknown);
  EXPECT_EQ((*program)[5].text(), "not a known operation");
}

TEST(Info, ASparseCoreIsPartOfItsChip) {
  TestTraceMaker maker;
  maker.Plane("/device:TPU:0", PlaneKind::kTpu, 0);
  maker.Plane("/device:TPU:0 SparseCore 1", PlaneKind::kTpu, 0);
  maker.Plane("/device:TPU:1", PlaneKind::kTpu, 1);
  const std::string context = InfoDocument(*maker.Finish()).context;
  EXPECT_TRUE(context.contains("2 × TPU")) << context;
}

TEST(Info, WarnsOfADeviceThatTheProgramRanOnAndTheCaptureLacks) {
  const auto warnings = [](bool traced) {
    TestTraceMaker maker;
    maker.builder().environment().versions = {{"gpu_version", "cuda 13000"}};
    if (traced) maker.Gpu(0);
    return InfoDocument(*maker.Finish()).warnings;
  };
  ASSERT_EQ(warnings(false).size(), 1u);
  EXPECT_EQ(warnings(false)[0],
            "the program ran on cuda 13000, but the capture has no such device: install CUPTI, close other "
            "profilers (Nsight), and use no unknown profiler options");
  EXPECT_TRUE(warnings(true).empty());
}

TEST(Info, AnAnnotationWithoutANumberIsNoStep) {
  TraceBuilder builder;
  TrackInfo info;
  info.plane = builder.AddPlane({0, builder.Intern("/host:CPU"), PlaneKind::kHost, {}, {}, kNoArgs});
  info.kind = TrackKind::kThread;
  TrackWriter thread = builder.NewTrack(info);
  thread.Arg(builder.Intern("step_num"), ArgValue::Int(1));
  thread.Event(Ps(0), Ps(10), builder.Intern("train"));
  thread.Arg(builder.Intern("step_num"), ArgValue::String(builder.Intern("two")));
  thread.Event(Ps(20), Ps(10), builder.Intern("train"));
  builder.Add(std::move(thread));
  LoadedRun run;
  run.run.path = run.typed = "runs/x";
  run.hosts.push_back({"host0", "", std::move(builder).Finish()});
  const report::Document document = InfoDocument(run);
  ASSERT_FALSE(document.warnings.empty());
  EXPECT_EQ(document.warnings[0], "1 annotation whose step_num is no integer: no steps");
}

TEST(Info, AllHostsAreShown) {
  const report::Document document = InfoDocument(*TestRun(2));
  EXPECT_EQ(report::FindTable(document, "hosts")->rows.size(), 2u);
  EXPECT_FALSE(report::FindTable(document, "hosts")->hidden);
  EXPECT_EQ(report::FindTable(document, "tracks")->rows.size(), 4u);
  EXPECT_NE(document.answer.find("14 events"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze
