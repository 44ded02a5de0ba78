#include "gait/analyze/run/platforms.h"

namespace gait::analyze {
namespace {

constexpr std::string_view kIfRocmIsMissing =
    "install rocprofiler-sdk (roctracer for an older JAX) and use no unknown profiler options";

}  // namespace

std::vector<Platform> PlatformsOf(const Environment& environment) {
  std::vector<Platform> platforms;
  const auto version = [&](const char* key) {
    const auto found = environment.versions.find(key);
    return found == environment.versions.end() ? std::string() : found->second;
  };
  if (const std::string gpu = version("gpu_version"); !gpu.empty())
    platforms.push_back(
        {PlaneKind::kGpu, gpu, gpu.starts_with("rocm") ? kIfRocmIsMissing : kIfCudaIsMissing});
  if (const std::string tpu = version("tpu_version"); !tpu.empty())
    platforms.push_back({PlaneKind::kTpu, tpu, kIfTpuIsMissing});
  return platforms;
}

}  // namespace gait::analyze
