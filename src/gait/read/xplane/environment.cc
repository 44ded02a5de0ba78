#include "gait/read/xplane/environment.h"

#include <fmt/format.h>

#include "gait/base/wire.h"

namespace gait::xplane {
namespace {

struct Option {
  uint32_t field;
  std::string_view name;
};
constexpr Option kNumberOptions[] = {
    {1, "include_dataset_ops"}, {2, "host_tracer_level"}, {3, "device_tracer_level"},
    {4, "python_tracer_level"}, {6, "device_type"},       {7, "enable_hlo_proto"},
    {8, "start_timestamp_ns"},  {9, "duration_ms"},       {13, "raise_error_on_start_failure"},
};
constexpr Option kTextOptions[] = {{10, "repository_path"}, {14, "session_id"}, {15, "override_hostname"}};
constexpr uint32_t kAdvancedConfiguration = 12;

// One entry of advanced_configuration: key=1, value=2 { string=1 or bool=2 or int64=3 }.
void ReadAdvanced(std::string_view message, std::map<std::string, std::string>& options) {
  std::string key;
  std::string value;
  FieldWalker entry(message);
  while (entry.Next()) {
    if (entry.number() == 1) key = entry.bytes();
    if (entry.number() != 2) continue;
    FieldWalker fields(entry.bytes());
    while (fields.Next())
      value = fields.is_bytes() ? std::string(fields.bytes()) : fmt::to_string(fields.integer());
  }
  if (!key.empty()) options[key] = value;
}

std::string Text(const Trace& trace, ArgValue value) {
  if (value.is_string()) return std::string(trace.text(value.string()));
  if (value.type == ArgType::kDouble) return fmt::to_string(*value.number());
  return fmt::to_string(*value.integer());
}

bool IsVersion(std::string_view key) { return key.ends_with("_version") || key == "device_vendor"; }

}  // namespace

std::map<std::string, std::string> ReadProfileOptions(std::string_view message) {
  std::map<std::string, std::string> options;
  FieldWalker fields(message);
  while (fields.Next()) {
    for (const Option& option : kNumberOptions) {
      if (fields.number() == option.field)
        options[std::string(option.name)] = fmt::to_string(fields.integer());
    }
    for (const Option& option : kTextOptions) {
      if (fields.number() == option.field) options[std::string(option.name)] = fields.bytes();
    }
    if (fields.number() == kAdvancedConfiguration) ReadAdvanced(fields.bytes(), options);
  }
  return options;
}

void ReadEnvironment(const SpaceIndex& index, const std::vector<PlaneTables>& tables, TraceBuilder& builder) {
  Environment& environment = builder.environment();
  environment.hostnames = index.hostnames;
  environment.errors = index.errors;
  environment.warnings = index.warnings;
  const auto reported = [&](std::string_view place, const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      builder.Lose(LossKind::kCapture, place, text.empty() ? "without text" : text);
  };
  reported("error of the profiler", index.errors);
  reported("warning of the profiler", index.warnings);
  for (size_t i = 0; i < tables.size(); ++i) {
    for (const Arg& arg : tables[i].args) {
      const std::string_view key = builder.trace().text(arg.key);
      const std::optional<int64_t> number = arg.value.integer();
      if (key == "profile_start_time" && number) environment.start_unix_ns = number;
      if (key == "profile_stop_time" && number) environment.stop_unix_ns = number;
      if (key == "profile_options" && arg.value.is_string()) {
        environment.options = ReadProfileOptions(builder.trace().text(arg.value.string()));
      }
      if (IsVersion(key)) environment.versions[std::string(key)] = Text(builder.trace(), arg.value);
      if (key == "dropped_traces" && number && *number > 0) {
        builder.Lose(LossKind::kDropped, index.planes[i].name, "traces dropped by the profiler",
                     static_cast<uint64_t>(*number));
      }
    }
  }
}

}  // namespace gait::xplane
