// The details that the capture gives of one copy: from where to where, how many bytes, and the kind of host
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gait::analyze {

enum class CopyKind : uint8_t {
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kPeer,  // to another device
  kHostToHost,
  kMemset,
  kUnknown,
};
std::string_view Name(CopyKind kind);  // "host to device", ...

enum class MemoryKind : uint8_t { kUnknown, kPageable, kPinned, kDevice };
std::string_view Name(MemoryKind kind);  // "pageable", ...

inline constexpr int64_t kMostBytes = int64_t{1} << 50;  // of one copy; more is absurd

struct CopyDetails {
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;
  std::optional<int64_t> bytes;               // 0 and absurd sizes are unknown
  std::optional<int64_t> destination_device;  // ordinal

  // The kind of memory on the host's side of the copy; unknown where no side is the host's.
  MemoryKind host_memory() const;
};

// The text of memcpy_details or Memset_details in any of its forms: "kind_src:pinned kind_dst:device size:4
// dest:0 async:1". Unknown keys are skipped.
CopyDetails ParseCopyDetails(std::string_view text);

// The kind by the two kinds of memory, where the details know both; else by the name of the event or of the
// host's call ("MemcpyH2D", "hipMemcpyDtoDAsync", "Memset 4"). A copy between devices goes to a peer when it
// ends on a device other than `ordinal`.
CopyKind KindOfCopy(std::string_view name, const CopyDetails& details, std::optional<int64_t> ordinal);

}  // namespace gait::analyze
