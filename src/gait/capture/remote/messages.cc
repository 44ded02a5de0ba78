#include "gait/capture/remote/messages.h"

#include <protozero/pbf_writer.hpp>

#include "gait/base/wire.h"

namespace gait::capture::remote {
namespace {

// Field numbers of the messages.
enum class Request : protozero::pbf_tag_type {
  kDuration = 1,
  kOptions = 4,
  kSession = 6,
  kEmitXSpace = 9,
};
enum class Options : protozero::pbf_tag_type {
  kIncludeDatasets = 1,
  kHostLevel = 2,
  kDeviceLevel = 3,
  kPythonLevel = 4,
  kVersion = 5,
  kHlo = 7,
  kDuration = 9,
  kAdvanced = 12,
  kSession = 14,
};
enum class MapEntry : protozero::pbf_tag_type { kKey = 1, kValue = 2 };
enum class AdvancedValue : protozero::pbf_tag_type { kText = 1, kBool = 2, kInteger = 3 };
enum class Terminate : protozero::pbf_tag_type { kSession = 1 };
constexpr uint32_t kReplyXSpace = 8;

constexpr protozero::pbf_tag_type Tag(auto field) { return static_cast<protozero::pbf_tag_type>(field); }

std::string EncodedValue(const AdvancedOption& option) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  if (const bool* flag = std::get_if<bool>(&option.value)) {
    writer.add_bool(Tag(AdvancedValue::kBool), *flag);
  } else if (const int64_t* number = std::get_if<int64_t>(&option.value)) {
    writer.add_int64(Tag(AdvancedValue::kInteger), *number);
  } else {
    writer.add_string(Tag(AdvancedValue::kText), std::get<std::string>(option.value));
  }
  return bytes;
}

std::string EncodedOptions(std::string_view session, int64_t duration_ms, const TracerOptions& tracers) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  // Version 0 would have all of these replaced by defaults.
  writer.add_uint32(Tag(Options::kVersion), 1);
  writer.add_bool(Tag(Options::kIncludeDatasets), true);
  writer.add_uint32(Tag(Options::kHostLevel), static_cast<uint32_t>(tracers.host));
  writer.add_uint32(Tag(Options::kDeviceLevel), static_cast<uint32_t>(tracers.device));
  writer.add_uint32(Tag(Options::kPythonLevel), tracers.python ? 1 : 0);
  writer.add_bool(Tag(Options::kHlo), true);
  // The server waits for this one, not for the request's.
  writer.add_uint64(Tag(Options::kDuration), static_cast<uint64_t>(duration_ms));
  for (const AdvancedOption& option : tracers.advanced) {
    std::string entry;
    protozero::pbf_writer pair(entry);
    pair.add_string(Tag(MapEntry::kKey), option.key);
    pair.add_message(Tag(MapEntry::kValue), EncodedValue(option));
    writer.add_message(Tag(Options::kAdvanced), entry);
  }
  writer.add_string(Tag(Options::kSession), session.data(), session.size());
  return bytes;
}

}  // namespace

std::string ProfileRequest(std::string_view session, int64_t duration_ms, const TracerOptions& tracers) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_uint64(Tag(Request::kDuration), static_cast<uint64_t>(duration_ms));
  writer.add_message(Tag(Request::kOptions), EncodedOptions(session, duration_ms, tracers));
  writer.add_string(Tag(Request::kSession), session.data(), session.size());
  writer.add_bool(Tag(Request::kEmitXSpace), true);
  return bytes;
}

std::string TerminateRequest(std::string_view session) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(Tag(Terminate::kSession), session.data(), session.size());
  return bytes;
}

Result<std::string_view> CaptureOfReply(std::string_view reply) {
  std::string_view capture;
  FieldWalker fields(reply);
  while (fields.Next()) {
    if (fields.number() != kReplyXSpace || !fields.is_bytes()) continue;
    if (fields.cut()) return Unreadable("the reply ends in the middle of the capture.");
    capture = fields.bytes();
  }
  if (!fields.trouble().empty()) return Unreadable("the reply is no ProfileResponse.");
  return capture;
}

bool MayBeCapture(std::string_view bytes) {
  constexpr uint32_t kLastField = 4;  // planes, errors, warnings, hostnames
  FieldWalker fields(bytes);
  bool any = false;
  while (fields.Next()) {
    if (!fields.is_bytes() || fields.cut() || fields.number() > kLastField) return false;
    any = true;
  }
  return any && fields.trouble().empty();
}

}  // namespace gait::capture::remote
