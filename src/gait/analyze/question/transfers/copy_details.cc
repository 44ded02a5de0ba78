#include "gait/analyze/question/transfers/copy_details.h"

#include <charconv>

namespace gait::analyze {
namespace {

std::optional<int64_t> Integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

MemoryKind ParseMemory(std::string_view text) {
  if (text == "pageable") return MemoryKind::kPageable;
  if (text == "pinned") return MemoryKind::kPinned;
  if (text == "device" || text == "device_static" || text == "array") return MemoryKind::kDevice;
  return MemoryKind::kUnknown;
}

bool IsHost(MemoryKind kind) { return kind == MemoryKind::kPageable || kind == MemoryKind::kPinned; }

// CUDA writes H2D, HIP HtoD.
bool Has(std::string_view name, std::string_view with_2, std::string_view with_to) {
  return name.find(with_2) != std::string_view::npos || name.find(with_to) != std::string_view::npos;
}

CopyKind KindByName(std::string_view name) {
  if (name.find("emset") != std::string_view::npos || name.find("fillBuffer") != std::string_view::npos) {
    return CopyKind::kMemset;
  }
  if (Has(name, "H2D", "HtoD")) return CopyKind::kHostToDevice;
  if (Has(name, "D2H", "DtoH")) return CopyKind::kDeviceToHost;
  if (Has(name, "P2P", "Peer")) return CopyKind::kPeer;
  if (Has(name, "D2D", "DtoD")) return CopyKind::kDeviceToDevice;
  if (Has(name, "H2H", "HtoH")) return CopyKind::kHostToHost;
  // Kernels that CUDA runs for copies on one device: memcpy32_post, memcpy128.
  if (name.starts_with("memcpy32") || name.starts_with("memcpy128")) return CopyKind::kDeviceToDevice;
  return CopyKind::kUnknown;
}

}  // namespace

std::string_view Name(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return "host to device";
    case CopyKind::kDeviceToHost:
      return "device to host";
    case CopyKind::kDeviceToDevice:
      return "device to device";
    case CopyKind::kPeer:
      return "to another device";
    case CopyKind::kHostToHost:
      return "host to host";
    case CopyKind::kMemset:
      return "memset";
    case CopyKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view Name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kUnknown:
      return "unknown";
    case MemoryKind::kPageable:
      return "pageable";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kDevice:
      return "device";
  }
  return "unknown";
}

MemoryKind CopyDetails::host_memory() const {
  if (IsHost(source)) return source;
  return IsHost(destination) ? destination : MemoryKind::kUnknown;
}

CopyDetails ParseCopyDetails(std::string_view text) {
  CopyDetails details;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view item = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    const size_t colon = item.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = item.substr(0, colon);
    const std::string_view value = item.substr(colon + 1);
    if (key == "kind_src") details.source = ParseMemory(value);
    if (key == "kind_dst") details.destination = ParseMemory(value);
    if (key == "dest") details.destination_device = Integer(value);
    if (key == "size" || key == "num_bytes") {
      const auto bytes = Integer(value);
      if (bytes && *bytes > 0 && *bytes <= kMostBytes) details.bytes = bytes;
    }
  }
  return details;
}

CopyKind KindOfCopy(std::string_view name, const CopyDetails& details, std::optional<int64_t> ordinal) {
  CopyKind kind = KindByName(name);
  if (kind == CopyKind::kMemset) return kind;
  const bool from_host = IsHost(details.source);
  const bool to_host = IsHost(details.destination);
  const bool from_device = details.source == MemoryKind::kDevice;
  const bool to_device = details.destination == MemoryKind::kDevice;
  if (from_host && to_device) return CopyKind::kHostToDevice;
  if (from_device && to_host) return CopyKind::kDeviceToHost;
  if (from_host && to_host) return CopyKind::kHostToHost;
  if (from_device && to_device && kind != CopyKind::kPeer) kind = CopyKind::kDeviceToDevice;
  // Only where both sides are known to be memory of devices: elsewhere `dest` may be nonsense.
  if (kind == CopyKind::kDeviceToDevice && from_device && ordinal && details.destination_device &&
      *details.destination_device != *ordinal) {
    return CopyKind::kPeer;
  }
  return kind;
}

}  // namespace gait::analyze
