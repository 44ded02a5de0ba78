#include "gait/analyze/run/arguments.h"

#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/json.h"

namespace gait::analyze {
namespace {

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  std::string digits = fmt::format("{}", value);
  // A double stays one for readers that tell 2 from 2.0.
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string JsonValue(const Trace& trace, ArgValue value) {
  switch (value.type) {
    case ArgType::kInt:
      return std::to_string(static_cast<int64_t>(value.bits));
    case ArgType::kUint:
      return std::to_string(value.bits);
    case ArgType::kDouble:
      return JsonNumber(std::bit_cast<double>(value.bits));
    case ArgType::kBytes:
      return fmt::format("{{\"bytes\":{}}}", trace.text(value.string()).size());
    case ArgType::kString:
      return report::JsonString(trace.text(value.string()));
  }
  return "null";
}

}  // namespace

std::string_view TextArgument(const Trace& trace, ArgSetId set, std::string_view name) {
  const auto value = trace.FindArg(set, name);
  return value && value->is_string() ? trace.text(value->string()) : std::string_view();
}

std::string_view NamedOperation(const Trace& trace, ArgSetId set) {
  const std::string_view name = TextArgument(trace, set, "hlo_op");
  return name.empty() ? TextArgument(trace, set, "display_name") : name;
}

std::string_view UnfoundOperation(const Trace& trace, ArgSetId set) {
  const AttributionKind kind = trace.attribution(set).kind;
  const bool named = kind == AttributionKind::kNoProgram || kind == AttributionKind::kNoInstruction;
  return named ? NamedOperation(trace, set) : std::string_view();
}

report::Cell ArgumentsCell(const Trace& trace, EventRef event) {
  std::string plain;
  std::string json = "[";
  trace.ForEachArg(event, [&](StringId key, ArgValue value) {
    if (!plain.empty()) plain += ' ';
    plain.append(trace.text(key)).append("=").append(ValueText(trace, value));
    json.append(json.size() > 1 ? ",[" : "[").append(report::JsonString(trace.text(key)));
    json.append(",").append(JsonValue(trace, value)).append("]");
  });
  return report::Cell::Json(json + "]", std::move(plain));
}

}  // namespace gait::analyze
