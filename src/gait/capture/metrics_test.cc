#include "gait/capture/metrics.h"

#include <map>

#include <gtest/gtest.h>

namespace gait::capture {
namespace {

using Values = std::map<std::pair<std::string, std::string>, double>;

Values ReadOnce(MetricSource& source) {
  Values values;
  source.Read(
      [&](const std::string& device, const char* name, double value) { values[{device, name}] = value; });
  return values;
}

TEST(Metrics, TheProcessKnowsItsMemoryAndItsProcessorTime) {
  const auto source = ProcessMetrics();
  const Values first = ReadOnce(*source);
  EXPECT_GT(first.at({"host", "process_memory_bytes"}), 100'000);
  volatile double sink = 0;
  for (int i = 0; i < 20'000'000; ++i) sink = sink + i;
  const Values second = ReadOnce(*source);
  EXPECT_GT(second.at({"host", "process_cpu_percent"}), 0);
}

TEST(Metrics, NvidiaInTheProgramsOwnOrder) {
  const auto source = NvidiaMetrics({"1", "0"}, GAIT_FAKE_NVML);
  ASSERT_NE(source, nullptr);
  const Values values = ReadOnce(*source);
  EXPECT_EQ(values.at({"GPU 0", "memory_used_bytes"}), 60);
  EXPECT_EQ(values.at({"GPU 0", "utilization_percent"}), 97);
  EXPECT_EQ(values.at({"GPU 0", "temperature_celsius"}), 61);
  EXPECT_EQ(values.at({"GPU 0", "sm_clock_mhz"}), 1980);
  EXPECT_EQ(values.at({"GPU 0", "memory_clock_mhz"}), 3201);
  EXPECT_FALSE(values.contains({"GPU 0", "power_watts"})) << "unknown is not 0";
  EXPECT_EQ(values.at({"GPU 1", "power_watts"}), 345.5);
  EXPECT_EQ(values.at({"GPU 0", "other_processes"}), 1);
  EXPECT_EQ(values.at({"GPU 1", "other_processes"}), 0);
}

TEST(Metrics, NvidiaByUuidAndUnknownDevices) {
  const auto source = NvidiaMetrics({"GPU-1234", "7", "nonsense"}, GAIT_FAKE_NVML);
  ASSERT_NE(source, nullptr);
  const Values values = ReadOnce(*source);
  EXPECT_TRUE(values.contains({"GPU 0", "memory_used_bytes"}));
  EXPECT_FALSE(values.contains({"GPU 1", "memory_used_bytes"}));
  EXPECT_EQ(NvidiaMetrics({"7"}, GAIT_FAKE_NVML), nullptr);
  EXPECT_EQ(NvidiaMetrics({"0"}, "no-such-library.so"), nullptr);
}

TEST(Metrics, TheShortestCaptureHasASample) {
  for (int i = 0; i < 20; ++i) {
    MetricSampler sampler(
        [] {
          MetricSampler::Sources sources;
          sources.push_back(ProcessMetrics());
          return sources;
        },
        std::chrono::hours(1));
    EXPECT_EQ(sampler.Stop().size(), 1u);
  }
}

TEST(Metrics, TheSamplerSamplesUntilItIsStopped) {
  const auto open = [] {
    MetricSampler::Sources sources;
    sources.push_back(NvidiaMetrics({"0"}, GAIT_FAKE_NVML));
    return sources;
  };
  MetricSampler sampler(open, std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::vector<CounterSeries>& series = sampler.Stop();
  ASSERT_EQ(series.size(), 8u);
  const size_t samples = series[0].samples.size();
  EXPECT_GE(samples, 2u);
  for (size_t i = 1; i < samples; ++i)
    EXPECT_GE(series[0].samples[i].unix_ns, series[0].samples[i - 1].unix_ns);
  EXPECT_EQ(sampler.Stop()[0].samples.size(), samples);
}

}  // namespace
}  // namespace gait::capture
