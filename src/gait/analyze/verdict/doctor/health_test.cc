// Rules about the capture itself, about memory and about copies.
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/analyze/verdict/doctor/kpi.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

using Maker = TestTraceMaker;

size_t Found(const std::shared_ptr<LoadedRun>& run, const std::string& rule) {
  return FindingsOf(*RunView::Make(*run, {}), rule).size();
}

// Six steps; `more` adds to each.
std::shared_ptr<LoadedRun> MakeRun(const std::function<void(Maker&)>& begin = {}, bool device = true,
                                   bool steps = true) {
  Maker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 7);
  const auto thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i * kMicro;
    if (steps) maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
    maker.Event(thread, t + 5, t + kMicro, "cuLaunchKernel", {{"correlation_id", i}});
    if (device) maker.Event(stream, t + 2 * kMicro, t + 999 * kMicro, "kernel", {{"correlation_id", i}});
  }
  if (begin) begin(maker);
  return maker.Finish();
}

TEST(NoDeviceRule, SpeaksWhenNoDeviceDidAnything) {
  EXPECT_EQ(Found(MakeRun({}, false), "no_device"), 1u);
  EXPECT_EQ(Found(MakeRun(), "no_device"), 0u);
}

TEST(NoDeviceRule, SaysWhatToDoForThePlatform) {
  const auto fix = [](const char* key, const char* version) {
    const auto run =
        MakeRun([&](Maker& maker) { maker.builder().environment().versions = {{key, version}}; }, false);
    return FindingsOf(*RunView::Make(*run, {}), "no_device").at(0).fix;
  };
  EXPECT_TRUE(fix("gpu_version", "cuda 13000").contains("install CUPTI"));
  EXPECT_TRUE(fix("gpu_version", "rocm 70000").contains("install rocprofiler-sdk"));
  EXPECT_TRUE(fix("tpu_version", "TPU v5e").contains("capture fewer steps"));
  EXPECT_FALSE(fix("tpu_version", "TPU v5e").contains("CUPTI"));
  EXPECT_TRUE(fix("libtpu_version", "0.0.17").contains("if they ran on a TPU: capture fewer steps"));
}

TEST(ProfilerErrorsRule, SpeaksOfCupti) {
  const auto run = MakeRun([](Maker& maker) {
    maker.builder().environment().errors = {"vm: Failed to load libcupti (is it installed and accessible?)"};
  });
  const auto found = FindingsOf(*RunView::Make(*run, {}), "profiler_errors");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "CUPTI is missing");
  const auto forbidden = MakeRun([](Maker& maker) {
    maker.builder().environment().errors = {
        "vm: Insufficient privilege to run libcupti (you need root permission)."};
  });
  const auto asks = FindingsOf(*RunView::Make(*forbidden, {}), "profiler_errors");
  ASSERT_EQ(asks.size(), 1u);
  EXPECT_NE(asks[0].fix.find("NVreg_RestrictProfilingToAdminUsers"), std::string::npos);
  EXPECT_EQ(Found(MakeRun(), "profiler_errors"), 0u);
}

TEST(IncompleteRule, SpeaksOfWhatIsMissingNotOfRepairs) {
  const auto lost = [](LossKind kind) {
    return MakeRun([&](Maker& maker) { maker.builder().Lose(kind, "byte 12", "ends early"); });
  };
  EXPECT_EQ(Found(lost(LossKind::kTruncated), "incomplete"), 1u);
  EXPECT_EQ(Found(lost(LossKind::kRepaired), "incomplete"), 0u);
  // A device may be in what is missing: nothing is said about drivers.
  const auto cut = MakeRun(
      [](Maker& maker) { maker.builder().Lose(LossKind::kTruncated, "byte 12", "ends early"); }, false);
  EXPECT_EQ(Found(cut, "no_device"), 0u);
  const auto high = FindingsOf(*RunView::Make(*cut, {}), "incomplete");
  ASSERT_EQ(high.size(), 1u);
  EXPECT_EQ(high[0].severity, Severity::kHigh);
  const auto dropped =
      MakeRun([](Maker& maker) { maker.builder().environment().warnings = {"17 events were dropped"}; });
  const auto found = FindingsOf(*RunView::Make(*dropped, {}), "incomplete");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].title.find("limit"), std::string::npos);
}

TEST(IncompleteRule, KnowsTheLimitThatWasGiven) {
  const auto limited = [](const char* limit) {
    return MakeRun(
        [&](Maker& maker) { maker.builder().environment().options["gpu_max_activity_api_events"] = limit; });
  };
  const auto run = limited("5");
  const auto found = FindingsOf(*RunView::Make(*run, {}), "incomplete");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].fix.find("gpu_max_activity_api_events"), std::string::npos);
  EXPECT_EQ(Found(limited("1000"), "incomplete"), 0u);
  EXPECT_EQ(Found(limited("-1"), "incomplete"), 0u);
}

TEST(NoStepsRule, SpeaksWhenNothingMarksSteps) {
  EXPECT_EQ(Found(MakeRun({}, true, false), "no_steps"), 1u);
  EXPECT_EQ(Found(MakeRun(), "no_steps"), 0u);
}

// An allocator that had `used` of 1000 bytes in use, with the largest free piece and the rest free.
std::shared_ptr<LoadedRun> Memory(int64_t used, int64_t fragmentation) {
  return MakeRun([&](Maker& maker) {
    const auto thread = maker.Thread(maker.Host(), 9, "allocator");
    maker.Event(thread, 10 * kMicro, 10 * kMicro, "MemoryAllocation",
                {{"allocator_name", std::string("GPU_0_bfc")},
                 {"bytes_allocated", used},
                 {"bytes_available", 1000 - used},
                 {"bytes_reserved", 0},
                 {"requested_bytes", used},
                 {"allocation_bytes", used},
                 {"addr", 77},
                 {"fragmentation", fragmentation},
                 {"peak_bytes_in_use", used}});
  });
}

TEST(MemoryCapacityRule, SpeaksFromNinetyPercentOn) {
  EXPECT_EQ(Found(Memory(950, 0), "memory_capacity"), 1u);
  EXPECT_EQ(Found(Memory(850, 0), "memory_capacity"), 0u);
}

TEST(FragmentationRule, SpeaksWhenMuchIsUsedAndTheRestIsScattered) {
  EXPECT_EQ(Found(Memory(850, 1), "fragmentation"), 1u);
  EXPECT_EQ(Found(Memory(850, 0), "fragmentation"), 0u);
  EXPECT_EQ(Found(Memory(400, 1), "fragmentation"), 0u);
}

// Copies of `duration` us in each step, on a stream of their own beside a kernel, or after it.
std::shared_ptr<LoadedRun> Copies(const std::string& name, bool hidden) {
  Maker maker;
  const PlaneId gpu = maker.Gpu(0);
  const auto stream = maker.Stream(gpu, 7);
  const auto copies = maker.Stream(gpu, 8);
  const auto thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i * kMicro;
    maker.Event(thread, t, t + 900 * kMicro, "train", {{"step_num", i}});
    maker.Event(thread, t + 5, t + kMicro, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(thread, t + kMicro + 5, t + 2 * kMicro, "cuMemcpyAsync", {{"correlation_id", 50 + i}});
    maker.Event(stream, t + 3 * kMicro, t + 700 * kMicro, "kernel",
                {{"hlo_op", std::string("f")}, {"correlation_id", i}});
    const int64_t at = t + (hidden ? 100 : 710) * kMicro;
    maker.Event(copies, at, at + 200 * kMicro, name,
                {{"correlation_id", 50 + i}, {"memcpy_details", std::string("size:1000 kind_src:pageable")}});
  }
  ProgramMaker program("jit_f");
  const InstructionIndex sine = program.Add("f", "sine", "jit(f)/sin");
  maker.builder().AddProgram(program.Finish());
  return maker.Finish({{"f", {ProgramIndex(0), sine}}});
}

TEST(CopyRules, SpeakOfCopiesThatNothingHides) {
  EXPECT_EQ(Found(Copies("MemcpyH2D", false), "host_to_device"), 1u);
  EXPECT_EQ(Found(Copies("MemcpyH2D", true), "host_to_device"), 0u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", false), "device_to_host"), 1u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", true), "device_to_host"), 0u);
  EXPECT_EQ(Found(Copies("MemcpyD2H", false), "host_to_device"), 0u);
}

// Copies of a loop's carry: hidden under another stream's kernel or not.
TEST(ProgramCopiesRule, SpeaksOfCopiesThatNothingHides) {
  const auto found = [](bool hidden) {
    ProgramMaker program("jit_f");
    const InstructionIndex sine = program.Add("f", "sine", "jit(f)/sin");
    const InstructionIndex copy = program.Add("copy.1", "copy", "jit(f)/while");
    Maker maker;
    maker.builder().AddProgram(program.Finish());
    const PlaneId gpu = maker.Gpu(0);
    const auto stream = maker.Stream(gpu, 7);
    const auto copies = maker.Stream(gpu, 8);
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i * kMicro;
      const int64_t at = t + (hidden ? 100 : 700) * kMicro;
      maker.Event(stream, t, t + 690 * kMicro, "kernel", {{"hlo_op", std::string("f")}});
      maker.Event(copies, at, at + 200 * kMicro, "MemcpyD2D", {{"hlo_op", std::string("copy.1")}});
    }
    return Found(maker.Finish({{"f", {ProgramIndex(0), sine}}, {"copy.1", {ProgramIndex(0), copy}}}),
                 "program_copies");
  };
  EXPECT_EQ(found(false), 1u);
  EXPECT_EQ(found(true), 0u);
}

TEST(Kpi, TimeOfCompilingIsTheMostOfAnyHostAndUnknownOfACutFile) {
  const auto compiling = [](int64_t us, bool cut = false) {
    return MakeRun([&](Maker& maker) {
      const auto thread = maker.Thread(maker.Host(), 9, "compiler");
      maker.Event(thread, 10 * kMicro, (10 + us) * kMicro, "backend_compile_and_load");
      if (cut) maker.builder().Lose(LossKind::kTruncated, "byte 12", "ends early");
    });
  };
  const auto seconds = [](const LoadedRun& run) {
    const Result<RunView> view = RunView::Make(run, {});
    const report::Document document = KpiDocument(*Examine(*view), nullptr);
    for (const report::Row& row : document.tables[0].rows) {
      if (row[0].text() == "compilation time") return row[1].number();
    }
    return std::optional<double>();
  };
  const auto both = compiling(3000);
  both->hosts.push_back(std::move(compiling(2000)->hosts[0]));
  both->hosts.back().name = "host1";
  EXPECT_NEAR(seconds(*both).value(), 0.003, 1e-9);
  EXPECT_FALSE(seconds(*compiling(3000, true)));
}

TEST(Kpi, LevelsFollowTheLimits) {
  EXPECT_EQ(LevelOf(81, 80, 50), Level::kGood);
  EXPECT_EQ(LevelOf(80, 80, 50), Level::kWarning);
  EXPECT_EQ(LevelOf(49, 80, 50), Level::kBad);
  EXPECT_EQ(LevelOf(9, 10, 20), Level::kGood);
  EXPECT_EQ(LevelOf(15, 10, 20), Level::kWarning);
  EXPECT_EQ(LevelOf(21, 10, 20), Level::kBad);
}

TEST(DoctorDocument, AHealthyCaptureSaysSo) {
  const auto run = MakeRun();
  const auto view = RunView::Make(*run, {});
  const Result<Patient> patient = Examine(*view);
  const Result<Diagnosis> diagnosis = Diagnose(*patient, {.ignore = {"no_steps"}});
  const report::Document document = DoctorDocument(*patient, *diagnosis, false);
  EXPECT_TRUE(diagnosis->findings.empty());
  EXPECT_NE(document.answer.find("Nothing that stands out"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze
