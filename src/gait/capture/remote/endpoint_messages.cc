#include "gait/capture/remote/endpoint_messages.h"

#include <simdjson.h>

#include <algorithm>

#include <fmt/format.h>

#include "gait/report/json.h"

namespace gait::capture::remote {
namespace {

constexpr size_t kLargestReply = 1 << 20;

std::string OptionsJson(const TracerOptions& tracers) {
  std::string json = fmt::format(R"({{"host_tracer_level":{},"python_tracer_level":{})", tracers.host,
                                 tracers.python ? 1 : 0);
  // Only where it differs: JAX's Python side has no way to set it, and the program says so.
  if (tracers.device != 1) json += fmt::format(R"(,"device_tracer_level":{})", tracers.device);
  for (const AdvancedOption& option : tracers.advanced) {
    const auto* const text = std::get_if<std::string>(&option.value);
    json += fmt::format(
        R"(,"{}":{})", option.key,
        text != nullptr ? report::JsonString(*text) : option.Text().substr(option.key.size() + 1));
  }
  return json + "}";
}

// That stands in a request as it is.
bool IsPath(std::string_view text) {
  return text.starts_with('/') && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Result<EndpointStatus> StatusOfReply(std::string_view json) {
  simdjson::dom::parser parser(kLargestReply);
  simdjson::dom::element root;
  std::string_view version;
  int64_t steps = 0;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS ||
      root["gait"].get(version) != simdjson::SUCCESS || root["steps"].get(steps) != simdjson::SUCCESS) {
    return Unreadable("this is not what gait.serve answers.");
  }
  return EndpointStatus{steps > 0};
}

std::string CaptureRequest(const Task& task, bool by_steps) {
  const std::string options = OptionsJson(task.tracers);
  return by_steps ? fmt::format(R"({{"steps":{},"options":{}}})", task.steps + 1, options)
                  : fmt::format(R"({{"duration_ms":{},"options":{}}})", task.duration_ms, options);
}

Result<std::string> FileOfReply(std::string_view json) {
  simdjson::dom::parser parser(kLargestReply);
  simdjson::dom::element root;
  if (parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS) {
    std::string_view text;
    if (root["error"]["what"].get(text) == simdjson::SUCCESS) return Unreadable(std::string(text));
    if (root["file"].get(text) == simdjson::SUCCESS && IsPath(text)) return std::string(text);
  }
  return Unreadable("the answer makes no sense");
}

}  // namespace gait::capture::remote
