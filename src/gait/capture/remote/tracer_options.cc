#include "gait/capture/remote/tracer_options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

enum class Kind : uint8_t { kBool, kInteger, kText };

struct Key {
  std::string_view name;
  Kind kind;
};

// What the profilers of GPUs and TPUs take.
constexpr auto kKeys = std::to_array<Key>({
    {"gpu_aggregated_tracing", Kind::kBool},
    {"gpu_enable_cupti_activity_graph_trace", Kind::kBool},
    {"gpu_enable_nvtx_tracking", Kind::kBool},
    {"gpu_max_activity_api_events", Kind::kInteger},
    {"gpu_max_annotation_strings", Kind::kInteger},
    {"gpu_max_callback_api_events", Kind::kInteger},
    {"gpu_num_chips_to_profile_per_task", Kind::kInteger},
    {"gpu_pm_sample_buffer_size_per_gpu_mb", Kind::kInteger},
    {"gpu_pm_sample_counters", Kind::kText},
    {"gpu_pm_sample_interval_us", Kind::kInteger},
    {"max_trace_buffers", Kind::kInteger},
    {"tpu_circular_buffer_tracing", Kind::kBool},
    {"tpu_cpu_perf_counter_profile_events", Kind::kText},
    {"tpu_enable_periodic_counter_sampling", Kind::kBool},
    {"tpu_num_chips_to_profile_per_task", Kind::kInteger},
    {"tpu_num_sparse_core_tiles_to_trace", Kind::kInteger},
    {"tpu_num_sparse_cores_to_trace", Kind::kInteger},
    {"tpu_perf_counters", Kind::kText},
    {"tpu_power_trace_level", Kind::kInteger},
    {"tpu_sc_dma", Kind::kBool},
    {"tpu_trace_mode", Kind::kText},
});

std::unexpected<Error> WrongValue(const Key& key, std::string_view value, std::string_view wanted) {
  return UsageError(fmt::format("{} takes {}, not '{}'.", key.name, wanted, value),
                    "With a value of another type JAX's GPU profiler records nothing.");
}

}  // namespace

std::vector<std::string_view> AdvancedKeys() {
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  return names;
}

std::string AdvancedOption::Text() const {
  if (const bool* flag = std::get_if<bool>(&value)) return fmt::format("{}={}", key, *flag);
  if (const int64_t* number = std::get_if<int64_t>(&value)) return fmt::format("{}={}", key, *number);
  return fmt::format("{}={}", key, std::get<std::string>(value));
}

Result<AdvancedOption> ParseAdvancedOption(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return UsageError(fmt::format("'{}' is no option of the profiler: it has no value.", text),
                      "Give KEY=VALUE, as in gpu_enable_nvtx_tracking=true.");
  }
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  const auto* const key = std::ranges::find(kKeys, name, &Key::name);
  if (key == kKeys.end()) {
    return UsageError(
        fmt::format("JAX's profiler has no option '{}'; with it a GPU would not be recorded.", name),
        "docs/verbs/capture.md lists the options that it has.");
  }
  AdvancedOption option{std::string(name), std::string(value)};
  if (key->kind == Kind::kBool) {
    if (value != "true" && value != "false") return WrongValue(*key, value, "true or false");
    option.value = value == "true";
  } else if (key->kind == Kind::kInteger) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size()) {
      return WrongValue(*key, value, "an integer");
    }
    option.value = number;
  }
  return option;
}

}  // namespace gait::capture::remote
