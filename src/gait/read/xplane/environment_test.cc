#include "gait/read/xplane/environment.h"

#include <gtest/gtest.h>

#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"

namespace gait::xplane {
namespace {

using namespace testing_support;

using Options = std::map<std::string, std::string>;

TEST(ReadProfileOptions, NamesEveryField) {
  const Message advanced_text = BytesField(1, "gpu_max_events") + BytesField(2, BytesField(1, "many"));
  const Message advanced_number = BytesField(1, "gpu_buffers") + BytesField(2, VarintField(3, 7));
  const Message advanced_flag = BytesField(1, "gpu_nvtx") + BytesField(2, VarintField(2, 1));
  const Message message = VarintField(2, 3) + VarintField(3, 1) + VarintField(4, 0) + VarintField(9, 2000) +
                          BytesField(10, "/logs") + BytesField(14, "run_1") + BytesField(12, advanced_text) +
                          BytesField(12, advanced_number) + BytesField(12, advanced_flag) +
                          VarintField(77, 5);
  EXPECT_EQ(ReadProfileOptions(message), (Options{{"host_tracer_level", "3"},
                                                  {"device_tracer_level", "1"},
                                                  {"python_tracer_level", "0"},
                                                  {"duration_ms", "2000"},
                                                  {"repository_path", "/logs"},
                                                  {"session_id", "run_1"},
                                                  {"gpu_max_events", "many"},
                                                  {"gpu_buffers", "7"},
                                                  {"gpu_nvtx", "1"}}));
}

TEST(ReadProfileOptions, DamageKeepsTheBeginning) {
  EXPECT_EQ(ReadProfileOptions(VarintField(2, 3) + "\xff"), (Options{{"host_tracer_level", "3"}}));
  EXPECT_TRUE(ReadProfileOptions("").empty());
}

TEST(Environment, FromThePlanesOfAFile) {
  PlaneWriter task("Task Environment");
  task.StatName(1, "profile_start_time").StatName(2, "profile_stop_time").StatName(3, "profile_options");
  task.Stat(UintStat(1, 1'700'000'000'000'000'000)).Stat(UintStat(2, 1'700'000'001'000'000'000));
  task.Stat(BytesStat(3, VarintField(2, 3)));
  PlaneWriter metadata("/host:metadata");
  metadata.StatName(1, "jax_version").StatName(2, "cuda_version").StatName(3, "0.11.2");
  metadata.Stat(RefStat(1, 3)).Stat(IntStat(2, 13000));
  PlaneWriter gpu("/device:GPU:0");
  gpu.StatName(1, "dropped_traces").StatName(2, "device_vendor").StatName(3, "process_id");
  gpu.Stat(IntStat(1, 12)).Stat(StringStat(2, "Nvidia")).Stat(IntStat(3, 4711));
  const SpaceTexts texts{{"vm: Failed to load libcupti"}, {"events dropped"}, {"vm"}};
  const auto trace = ReadBytes(Bytes(Space({task.Finish(), metadata.Finish(), gpu.Finish()}, texts)), "x");
  ASSERT_TRUE(trace);
  const Environment& environment = trace->environment();
  EXPECT_EQ(environment.start_unix_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(environment.stop_unix_ns, 1'700'000'001'000'000'000);
  EXPECT_EQ(environment.options, (Options{{"host_tracer_level", "3"}}));
  EXPECT_EQ(environment.versions,
            (Options{{"jax_version", "0.11.2"}, {"cuda_version", "13000"}, {"device_vendor", "Nvidia"}}));
  EXPECT_EQ(environment.hostnames, std::vector<std::string>{"vm"});
  EXPECT_EQ(environment.errors, texts.errors);
  EXPECT_EQ(environment.warnings, texts.warnings);
  EXPECT_EQ(trace->planes()[2].process_id, 4711);
  ASSERT_EQ(trace->losses().size(), 3U);
  EXPECT_EQ(trace->losses()[0].reason, "vm: Failed to load libcupti");
  EXPECT_EQ(trace->losses()[2],
            (Loss{LossKind::kDropped, "/device:GPU:0", "traces dropped by the profiler", 12}));
}

TEST(Environment, AnErrorOfTheProfilerIsWorthATraceWithoutPlanes) {
  const auto trace = ReadBytes(Bytes(Space({}, {.errors = {"Failed to load libcupti"}})), "x");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->environment().errors.size(), 1U);
  EXPECT_EQ(trace->losses().size(), 1U);
}

}  // namespace
}  // namespace gait::xplane
