#include "gait/analyze/verdict/check/check.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/check/config.h"
#include "gait/analyze/verdict/check/metrics.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

const std::vector<Metric> kMetrics = {{"step_time", MetricUnit::kTime, 19.3e9},
                                      {"device_busy", MetricUnit::kPercent, 97.9},
                                      {"peak_memory", MetricUnit::kBytes, 9e9},
                                      {"compiles", MetricUnit::kCount, 0},
                                      {"mfu", MetricUnit::kPercent, std::nullopt, "the peak is not known"}};

bool Held(const char* text) {
  const Result<Limit> limit = ParseLimit(text);
  EXPECT_TRUE(limit.has_value()) << text;
  const auto rows = CheckLimits({*limit}, kMetrics);
  EXPECT_TRUE(rows.has_value()) << text;
  return (*rows)[0].held;
}

TEST(Limit, ComparesInTheUnitOfTheMetric) {
  EXPECT_TRUE(Held("step_time < 20ms"));
  EXPECT_FALSE(Held("step_time < 19ms"));
  EXPECT_TRUE(Held("step_time<0.02s"));
  EXPECT_TRUE(Held("step_time < 20"));  // milliseconds
  EXPECT_TRUE(Held("device_busy > 80%"));
  EXPECT_TRUE(Held("device_busy > 0.8"));  // a fraction
  EXPECT_FALSE(Held("device_busy > 0.98"));
  EXPECT_FALSE(Held("device_busy > 97.9 %"));
  EXPECT_TRUE(Held("peak_memory < 10 GB"));
  EXPECT_FALSE(Held("peak_memory < 8GiB"));
  EXPECT_TRUE(Held("peak_memory < 10gb"));  // units in any case
  EXPECT_TRUE(Held("step_time < 20MS"));
  EXPECT_TRUE(Held("compiles == 0"));
  EXPECT_FALSE(Held("compiles != 0"));
  EXPECT_TRUE(Held("compiles <= 0"));
}

TEST(Limit, RefusesWhatMakesNoSense) {
  for (const char* bad : {"", "step_time", "< 3ms", "step_time < ", "step_time < fast",
                          "step_time < 3 parsecs", "step_time =< 3"}) {
    EXPECT_FALSE(ParseLimit(bad)) << bad;
  }
  EXPECT_FALSE(CheckLimits({*ParseLimit("step_tim < 3ms")}, kMetrics));
  EXPECT_FALSE(CheckLimits({*ParseLimit("step_time < 3%")}, kMetrics));
  // 30 % or 3000 %?
  EXPECT_FALSE(CheckLimits({*ParseLimit("device_busy > 30")}, kMetrics));
  EXPECT_FALSE(CheckLimits({*ParseLimit("device_busy > 1")}, kMetrics));
}

TEST(Check, AnUnknownValueHasNotPassed) {
  const auto rows = CheckLimits({*ParseLimit("mfu > 30%")}, kMetrics);
  EXPECT_FALSE((*rows)[0].held);
  EXPECT_NE((*rows)[0].reason.find("the peak is not known"), std::string::npos);
}

// Of a TPU, without steps. Six times: f32[8] moves between memory spaces for 80 us, then 20 us are computed.
TestCapture CopyOfATpu(int from, int to) {
  constexpr int64_t kMicro = 1'000'000;
  ProgramMaker maker("jit_f");
  const auto start = maker.Add("copy-start.1", "copy-start", "jit(f)/copy");
  const auto done = maker.Add("copy-done.1", "copy-done", "jit(f)/copy");
  const auto sine = maker.Add("sine.1", "sine", "jit(f)/sin");
  maker.at(done).operands = {start};
  const ShapeId destination = maker.ShapeOf(ElementType::kF32);
  const ShapeId source = maker.ShapeOf(ElementType::kF32);
  maker.at(start).shape = maker.ShapeOf(ElementType::kTuple);
  Program program = maker.Finish();
  for (const auto& [id, space] : {std::pair(source, from), std::pair(destination, to)}) {
    program.shapes[id.value].memory_space = space;
  }
  program.shapes[program[start].shape.value].elements = {destination, source};
  TestCapture capture;
  capture.kind = PlaneKind::kTpu;
  capture.programs.push_back(std::move(program));
  for (int64_t s = 0; s < 6; ++s) {
    const int64_t t = s * 101 * kMicro;
    capture.events.push_back({t, t + kMicro, "copy-start.1", 0, start});
    capture.events.push_back({t + kMicro, t + 81 * kMicro, "copy-done.1", 0, done});
    capture.events.push_back({t + 81 * kMicro, t + 101 * kMicro, "sine.1", 0, sine});
  }
  return capture;
}

TEST(Check, CopiesOfATpusProgramsAreCountedAndNamedByTheirMemories) {
  struct Expected {
    int from, to;
    double to_device, to_host;
    const char* cause;
  };
  for (const Expected& expected :
       {Expected{5, 0, 6 * 32, 0, "between host and device memory"},
        Expected{0, 5, 0, 6 * 32, "between host and device memory"}, Expected{0, 1, 0, 0, "on the device"}}) {
    const TestView view(CopyOfATpu(expected.from, expected.to));
    const Result<Patient> patient = Examine(view.view);
    ASSERT_TRUE(patient.has_value());
    const Result<Diagnosis> diagnosis = Diagnose(*patient, {.only = {"program_copies"}});
    ASSERT_TRUE(diagnosis.has_value());
    ASSERT_EQ(diagnosis->findings.size(), 1u);
    EXPECT_NE(diagnosis->findings[0].cause.find(expected.cause), std::string::npos);
    const std::vector<Metric> metrics = MetricsOf(*patient, *diagnosis);
    const auto value = [&](const char* name) {
      return std::ranges::find(metrics, name, &Metric::name)->value;
    };
    EXPECT_EQ(value("bytes_to_device"), expected.to_device);
    EXPECT_EQ(value("bytes_to_host"), expected.to_host);
  }
}

// A host that compiles one program in each of the first `compiled` of six steps of a GPU.
std::shared_ptr<LoadedRun> CompilingRun(int64_t compiled, bool device = true,
                                        std::optional<LossKind> loss = std::nullopt) {
  constexpr int64_t kStep = 1'000'000'000;
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 7);
  const auto thread = maker.Thread(maker.Host(), 1, "python3");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = i * kStep;
    maker.Event(thread, t, t + kStep * 9 / 10, "train", {{"step_num", i}});
    if (i < compiled) maker.Event(thread, t + 10, t + kStep / 10 + 10, "backend_compile_and_load");
    maker.Event(thread, t + kStep / 2, t + kStep / 2 + 10, "cuLaunchKernel", {{"correlation_id", i}});
    if (device) maker.Event(stream, t + kStep / 2 + 20, t + kStep, "kernel", {{"correlation_id", i}});
  }
  if (loss) maker.builder().Lose(*loss, "file", "the file ends early");
  return maker.Finish();
}

std::vector<Metric> MetricsOfRun(const LoadedRun& run) {
  const Result<RunView> view = RunView::Make(run, {});
  EXPECT_TRUE(view.has_value());
  const Result<Patient> patient = Examine(*view);
  EXPECT_TRUE(patient.has_value());
  return MetricsOf(*patient, *Diagnose(*patient, {}));
}

const Metric& MetricCalled(const std::vector<Metric>& metrics, const char* name) {
  return *std::ranges::find(metrics, name, &Metric::name);
}

TEST(Check, WhatIsCountedIsNotKnownWherePartsAreMissing) {
  const char* const counted[] = {"compile_time", "compiles",        "compiles_after_warmup",
                                 "kernels",      "bytes_to_device", "bytes_to_host",
                                 "launches"};
  const auto whole = MetricsOfRun(*CompilingRun(0));
  for (const char* name : counted) EXPECT_TRUE(MetricCalled(whole, name).value) << name;
  EXPECT_TRUE(MetricCalled(MetricsOfRun(*CompilingRun(0, true, LossKind::kRepaired)), "compiles").value);
  for (const LossKind loss : {LossKind::kTruncated, LossKind::kDropped}) {
    const auto cut = MetricsOfRun(*CompilingRun(0, true, loss));
    for (const char* name : counted) {
      EXPECT_FALSE(MetricCalled(cut, name).value) << name;
      EXPECT_NE(MetricCalled(cut, name).unknown_because.find("cut short"), std::string::npos) << name;
    }
  }
  const auto unread = CompilingRun(0);
  unread->losses.push_back({LossKind::kDropped, "b.xplane.pb", "not readable", 1});
  EXPECT_FALSE(MetricCalled(MetricsOfRun(*unread), "compiles").value);
  // Compiling is the host's: it is known without a device, copies are not.
  const auto host_only = MetricsOfRun(*CompilingRun(2, false));
  EXPECT_EQ(MetricCalled(host_only, "compiles").value, 2);
  EXPECT_EQ(MetricCalled(host_only, "bytes_to_device").unknown_because, "no device did anything");
  EXPECT_EQ(MetricCalled(host_only, "bytes_to_host").unknown_because, "no device did anything");
}

TEST(Check, HostsCompileAtTheSameTime) {
  const auto one = MetricsOfRun(*CompilingRun(3));
  const auto run = CompilingRun(3);
  run->hosts.push_back(std::move(CompilingRun(2)->hosts[0]));
  run->hosts.back().name = "host1";
  const auto both = MetricsOfRun(*run);
  for (const char* name : {"compile_time", "compiles", "compiles_after_warmup"}) {
    EXPECT_GT(MetricCalled(one, name).value, 0) << name;
    EXPECT_EQ(MetricCalled(both, name).value, MetricCalled(one, name).value) << name;
  }
}

TEST(Check, WritesJUnitAndAnnotations) {
  auto rows = CheckLimits({*ParseLimit("step_time < 12ms"), *ParseLimit("compiles == 0")}, kMetrics);
  const std::string junit = JUnitText(*rows, "a&b");
  EXPECT_NE(junit.find("tests=\"2\" failures=\"1\""), std::string::npos);
  EXPECT_NE(junit.find("step_time &lt; 12ms"), std::string::npos);
  EXPECT_NE(junit.find("a&amp;b"), std::string::npos);
  EXPECT_EQ(GithubText(*rows, "r"), "::error title=gait check::r: step_time < 12ms (step_time is 19.3 ms)\n");
  (*rows)[0].evidence = "input < slow";
  EXPECT_NE(JUnitText(*rows, "r").find(">input &lt; slow</failure>"), std::string::npos);
  EXPECT_NE(GithubText(*rows, "r").find("%0Ainput < slow\n"), std::string::npos);
}

TEST(Config, ReadsTheCheckTable) {
  const auto config = ParseConfig(
      "# ours\n[tool]\nx = [1,\n 2]\ny = \"[check]\"\n\n[check]\nlimits = [\n  \"step_time < 12ms\", # "
      "fast\n  'idle < 5%',\n]\n"
      "mfu = '> 30%'\nbaseline = \"runs/main\"\nmax_slower = \"3%\"\n[other]\nz = 1\n",
      "gait.toml");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->limits, (std::vector<std::string>{"step_time < 12ms", "idle < 5%", "mfu > 30%"}));
  EXPECT_EQ(config->baseline, "runs/main");
  EXPECT_EQ(config->max_slower, "3%");
}

TEST(Config, SaysWhereItIsWrong) {
  for (const char* bad :
       {"[check]\nlimit = 3\n", "[check]\nlimits = [\"a", "[check]\nlimits\n", "[check]\nbaseline =\n",
        "[check\nlimits = []\n", "limits = ['step_time < 1ms']\n",
        "limits = ['mfu > 1%']\n[check]\nidle = '< 5%'\n", "[limits]\nidle = '< 5%'\n", ""}) {
    const auto config = ParseConfig(bad, "gait.toml");
    ASSERT_FALSE(config.has_value()) << bad;
    EXPECT_NE(config.error().what.find("gait.toml, line"), std::string::npos);
  }
  EXPECT_TRUE(ParseConfig("[check]\n", "gait.toml").has_value());
}

}  // namespace
}  // namespace gait::analyze
