#include "gait/analyze/operations/peaks.h"

#include <gtest/gtest.h>

#include "gait/analyze/operations/peak_table.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

using PlaneArgs = std::vector<std::pair<std::string, double>>;

Peaks Of(PlaneKind kind, const std::string& key, const std::string& name, const PlaneArgs& numbers = {},
         const PeakOverride& given = {}) {
  TraceBuilder builder;
  std::vector<Arg> args;
  if (!name.empty()) args.push_back({builder.Intern(key), ArgValue::String(builder.Intern(name))});
  for (const auto& [number, value] : numbers)
    args.push_back({builder.Intern(number), ArgValue::Double(value)});
  Plane plane;
  plane.name = builder.Intern("/device:X:0");
  plane.kind = kind;
  plane.args = builder.InternArgs(args);
  builder.AddPlane(plane);
  const Trace trace = std::move(builder).Finish();
  return PeaksOf(trace, trace.planes()[0], given);
}

Peaks Gpu(const std::string& name) { return Of(PlaneKind::kGpu, "gpu_device_name", name); }
Peaks Tpu(const std::string& name) { return Of(PlaneKind::kTpu, "device_type_string", name); }

TEST(Peaks, NamesAsCapturesHaveThem) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"NVIDIA H200", "NVIDIA H200"},
      {"NVIDIA H100 80GB HBM3", "NVIDIA H100"},
      {"NVIDIA H100 PCIe", "NVIDIA H100 PCIe"},
      {"NVIDIA H100 NVL", "NVIDIA H100 NVL"},
      {"NVIDIA H200 NVL", "NVIDIA H200 NVL"},
      {"NVIDIA H20", "NVIDIA H20"},
      {"NVIDIA GH200 480GB", "NVIDIA GH200"},
      {"NVIDIA GH200 144G HBM3e", "NVIDIA GH200 144G"},
      {"NVIDIA B200", "NVIDIA B200"},
      {"NVIDIA GB200", "NVIDIA GB200"},
      {"NVIDIA GB300", "NVIDIA GB300"},
      {"NVIDIA B300 SXM6 AC", "NVIDIA B300"},
      {"NVIDIA A100-SXM4-40GB", "NVIDIA A100"},
      {"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB"},
      {"NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe"},
      {"NVIDIA A10G", "NVIDIA A10G"},
      {"NVIDIA A10", "NVIDIA A10"},
      {"NVIDIA L4", "NVIDIA L4"},
      {"NVIDIA L40S", "NVIDIA L40S"},
      {"NVIDIA L40", "NVIDIA L40"},
      {"Tesla T4", "NVIDIA T4"},
      {"Tesla V100-SXM2-16GB", "Tesla V100"},
      {"Tesla V100S-PCIE-32GB", "Tesla V100S-PCIE"},
      {"Tesla P100-PCIE-16GB", "Tesla P100-PCIE"},
      {"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"},
      {"NVIDIA GeForce RTX 3090 Ti", "NVIDIA GeForce RTX 3090 Ti"},
      {"NVIDIA GeForce RTX 5090", "NVIDIA GeForce RTX 5090"},
      {"AMD Instinct MI300X", "AMD Instinct MI300X"},
      {"AMD Instinct MI300A", "AMD Instinct MI300A"},
      {"AMD Instinct MI250X", "AMD Instinct MI250X"},
      {"AMD Instinct MI355X", "AMD Instinct MI355X"}};
  for (const auto& [name, device] : names) EXPECT_EQ(Gpu(name).device, device) << name;
  const std::vector<std::pair<std::string, std::string>> tpus = {
      {"TPU v2", "TPU v2"},       {"TPU v3", "TPU v3"},   {"TPU v4", "TPU v4"},   {"TPU v5 lite", "TPU v5e"},
      {"TPU v5e", "TPU v5e"},     {"TPU v5", "TPU v5p"},  {"TPU v5p", "TPU v5p"}, {"TPU v6 Lite", "TPU v6e"},
      {"TPU v6 lite", "TPU v6e"}, {"TPU v6e", "TPU v6e"}, {"TPU7x", "TPU v7"},    {"TPU v7x", "TPU v7"}};
  for (const auto& [name, device] : tpus) EXPECT_EQ(Tpu(name).device, device) << name;
}

TEST(Peaks, UnknownDevicesAreSaidToBe) {
  for (const char* name : {"", "NVIDIA Thor", "GL450", "XA100Y", "NVIDIA A1000"}) {
    EXPECT_FALSE(Gpu(name).of(MathType::kF16)) << name;
    EXPECT_TRUE(Gpu(name).from.starts_with("unknown")) << name;
  }
  const Peaks cpu = Of(PlaneKind::kCpuDevice, "x", "");
  EXPECT_FALSE(cpu.of(MathType::kF32));
  EXPECT_FALSE(cpu.bytes_per_second);
  EXPECT_TRUE(cpu.from.starts_with("unknown"));
}

TEST(Peaks, H200) {
  const Peaks peaks = Gpu("NVIDIA H200");
  EXPECT_EQ(peaks.of(MathType::kF16), 989e12);
  EXPECT_EQ(peaks.of(MathType::kTf32), 494e12);
  EXPECT_EQ(peaks.bytes_per_second, 4.8e12);
  EXPECT_FALSE(peaks.of(MathType::kF4));
  EXPECT_TRUE(peaks.tensor_float);
}

TEST(Peaks, AnAmdDeviceWithoutANameIsToldByItsNumbers) {
  const auto amd = [](double minor, double cores, double memory, double clock = 2'100'000) {
    return Of(PlaneKind::kGpu, "device_vendor", "AMD",
              {{"compute_cap_major", 9},
               {"compute_cap_minor", minor},
               {"core_count", cores},
               {"memory_size", memory},
               {"clock_rate", clock},
               {"memory_bandwidth", 2.66e12}});
  };
  EXPECT_EQ(amd(4, 304, 206e9).device, "AMD Instinct MI300X");
  EXPECT_EQ(amd(4, 304, 274e9).device, "AMD Instinct MI325X");
  EXPECT_EQ(amd(4, 228, 137e9).device, "AMD Instinct MI300A");
  EXPECT_EQ(amd(0, 110, 68e9).device, "AMD Instinct MI250X");
  EXPECT_EQ(amd(0, 104, 68e9).device, "AMD Instinct MI250");
  EXPECT_EQ(amd(5, 256, 309e9, 2'400'000).device, "AMD Instinct MI355X");
  EXPECT_EQ(amd(4, 304, 206e9).bytes_per_second, 5.3e12);
  EXPECT_EQ(amd(4, 304, 206e9).captured_bytes_per_second, 2.66e12);
}

TEST(Peaks, WhatTheCaptureOfATpuSaysCounts) {
  const Peaks peaks = Of(PlaneKind::kTpu, "device_type_string", "TPU v6 Lite",
                         {{"peak_teraflops_per_second", 900}, {"peak_hbm_bw_gigabytes_per_second", 1500}});
  EXPECT_EQ(peaks.of(MathType::kF16), 900e12);
  EXPECT_EQ(peaks.bytes_per_second, 1.5e12);
  EXPECT_EQ(peaks.of(MathType::kI8), 1836e12);
  EXPECT_EQ(peaks.from, "the capture");
}

TEST(Peaks, ByTheNamesOfJax) {
  EXPECT_EQ(PeaksOfModel("TPU v4").of(MathType::kF16), 275e12);
  EXPECT_EQ(PeaksOfModel("TPU-v4").of(MathType::kF16), 275e12);
  EXPECT_EQ(PeaksOfModel("NVIDIA H200").of(MathType::kF16), 989e12);
  EXPECT_EQ(PeaksOfModel("TPU v5 lite").device, "TPU v5e");
  EXPECT_EQ(PeaksOfModel("cpu").device, "");
}

TEST(Peaks, APersonKnowsBetter) {
  const Peaks peaks = Of(PlaneKind::kCpuDevice, "x", "", {}, {2e12, 1e11});
  EXPECT_EQ(peaks.of(MathType::kF32), 2e12);
  EXPECT_EQ(peaks.bytes_per_second, 1e11);
  EXPECT_EQ(peaks.from, "as given");
}

TEST(Peaks, TheTableIsSound) {
  EXPECT_GT(KnownDeviceTable().size(), 50u);
  for (const KnownDevice& device : KnownDeviceTable()) {
    EXPECT_GT(device.f16, 0) << device.name;
    EXPECT_GT(device.gigabytes_per_second, 100) << device.name;
    // Narrower types are never slower, but for int8 where a vendor gave it up.
    if (device.f8 > 0) {
      EXPECT_GE(device.f8, device.f16) << device.name;
    }
    if (device.f4 > 0) {
      EXPECT_GE(device.f4, device.f8) << device.name;
    }
    if (device.tf32 > 0) {
      EXPECT_GE(device.f16, device.tf32) << device.name;
    }
    if (device.tf32 > 0) {
      EXPECT_GE(device.tf32, device.f32) << device.name;
    }
  }
}

}  // namespace
}  // namespace gait::analyze
