#include "gait/read/xplane/peek.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "gait/base/decompress.h"
#include "gait/base/descriptor.h"
#include "gait/base/limits.h"

namespace gait::xplane {
namespace {

using read::FileState;

// XSpace and XPlane fields.
constexpr uint32_t kPlanes = 1;
constexpr uint32_t kPlaneName = 2;
constexpr uint32_t kPlaneStatMetadata = 5;
constexpr uint32_t kPlaneStats = 6;

constexpr size_t kWindow = 512;          // bytes read at each stop: the head of a plane and its name
constexpr size_t kMaxTagAndLength = 20;  // two varints
constexpr size_t kMaxEnvironment = size_t{64} << 10;  // the plane Task Environment has a few hundred bytes

// Reads with pread rather than through a mapping: a file may shrink while a listing looks at it.
class Windows {
 public:
  explicit Windows(const std::string& path) : file_(Descriptor::Open(path.c_str(), O_RDONLY | O_NONBLOCK)) {}

  std::string_view Read(uint64_t offset) {
    const ssize_t got = ::pread(file_.get(), buffer_.data(), buffer_.size(), static_cast<off_t>(offset));
    return {buffer_.data(), got > 0 ? static_cast<size_t>(got) : 0};
  }
  std::string ReadPart(uint64_t offset, size_t size) {
    std::string part(size, '\0');
    const ssize_t got = ::pread(file_.get(), part.data(), size, static_cast<off_t>(offset));
    part.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return part;
  }
  bool open() const { return file_.ok(); }
  uint64_t Size() const {
    const off_t end = ::lseek(file_.get(), 0, SEEK_END);
    return end > 0 ? static_cast<uint64_t>(end) : 0;
  }

 private:
  Descriptor file_;
  std::array<char, kWindow> buffer_{};
};

struct FieldHead {
  uint32_t tag = 0;
  uint64_t length = 0;
  size_t size = 0;  // bytes of tag and length
};

// Tag and length of a length-delimited field; false for anything else.
bool ReadHead(std::string_view window, FieldHead& head) {
  const char* at = window.data();
  const char* const end = at + std::min(window.size(), kMaxTagAndLength);
  const uint64_t key = protozero::decode_varint(&at, end);
  if ((key & 7) != 2 || key > 0xffff) return false;
  head.tag = static_cast<uint32_t>(key >> 3);
  head.length = protozero::decode_varint(&at, end);
  head.size = static_cast<size_t>(at - window.data());
  return true;
}

std::string PlaneName(std::string_view plane) {
  // The window usually ends in the middle of the plane's first line; the name stands before it.
  std::string name;
  try {
    protozero::pbf_reader reader(plane.data(), plane.size());
    while (reader.next()) {
      if (reader.tag() == kPlaneName && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
        const auto view = reader.get_view();
        return {view.data(), view.size()};
      }
      reader.skip();
    }
  } catch (const std::exception&) {
    name.clear();
  }
  return name;
}

// The integer argument `wanted` of a plane; throws what protozero throws.
std::optional<int64_t> PlaneInteger(const std::string& plane, std::string_view wanted) {
  std::optional<uint64_t> wanted_id;
  std::vector<std::pair<uint64_t, int64_t>> values;
  protozero::pbf_reader fields(plane);
  while (fields.next()) {
    if (fields.wire_type() != protozero::pbf_wire_type::length_delimited) {
      fields.skip();
    } else if (fields.tag() == kPlaneStatMetadata) {
      protozero::pbf_reader entry = fields.get_message();
      while (entry.next(2, protozero::pbf_wire_type::length_delimited)) {
        protozero::pbf_reader metadata = entry.get_message();
        uint64_t id = 0;
        std::string_view name;
        while (metadata.next()) {
          if (metadata.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::varint)) {
            id = metadata.get_uint64();
          } else if (metadata.tag_and_type() ==
                     protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited)) {
            const auto view = metadata.get_view();
            name = {view.data(), view.size()};
          } else {
            metadata.skip();
          }
        }
        if (name == wanted) wanted_id = id;
      }
    } else if (fields.tag() == kPlaneStats) {
      protozero::pbf_reader stat = fields.get_message();
      uint64_t id = 0;
      while (stat.next()) {
        if (stat.wire_type() != protozero::pbf_wire_type::varint) {
          stat.skip();
        } else if (const uint32_t tag = stat.tag(); tag == 1) {
          id = stat.get_uint64();
        } else {  // 3: unsigned, 4: signed
          values.emplace_back(id, stat.get_int64());
        }
      }
    } else {
      fields.skip();
    }
  }
  for (const auto& [id, value] : values) {
    if (wanted_id == id && value > 0) return value;
  }
  return std::nullopt;
}

void Count(std::string_view plane, read::Peeked& peeked) {
  peeked.gpus += plane.starts_with("/device:GPU:");
  peeked.tpus += plane.starts_with("/device:TPU:") &&
                 plane.find(' ') == std::string_view::npos;  // cores, not SparseCores
  peeked.host |= plane.starts_with("/host:CPU");
}

void Walk(Windows& file, read::Peeked& peeked) {
  const uint64_t size = file.Size();
  if (size == 0) {
    // Files of /proc have no size but content; a listing knows none of it either.
    peeked.state = file.open() ? FileState::kEmpty : FileState::kUnopened;
    return;
  }
  if (DetectCompression(file.Read(0)) != Compression::kNone) {
    peeked.state = FileState::kCompressed;
    return;
  }
  uint64_t offset = 0;
  size_t planes = 0;
  while (offset < size && planes < limits::kMaxPeekPlanes) {
    const std::string_view window = file.Read(offset);
    if (window.find_first_not_of('\0') == std::string_view::npos) {  // see base/wire.cc
      offset = size;
      break;
    }
    FieldHead head;
    if (!ReadHead(window, head)) return;
    const uint64_t left = size - offset - head.size;
    if (head.length > left) return;
    const std::string_view content =
        window.substr(head.size, static_cast<size_t>(std::min<uint64_t>(head.length, window.size())));
    if (head.tag == kPlanes) {
      const std::string name = PlaneName(content);
      ++planes;
      peeked.recognised = true;
      Count(name, peeked);
      if (name == "Task Environment" && head.length <= kMaxEnvironment) {
        peeked.start_unix_ns = PlaneInteger(
            file.ReadPart(offset + head.size, static_cast<size_t>(head.length)), "profile_start_time");
      }
    }
    offset += head.size + head.length;
  }
  if (offset == size) peeked.state = FileState::kWhole;
}

}  // namespace

read::Peeked Peek(const std::string& path) {
  read::Peeked peeked;
  Windows file(path);
  try {
    Walk(file, peeked);
  } catch (const std::exception&) {
    peeked.state = FileState::kDamaged;  // protozero throws at bad varints; what was found before stays
  }
  return peeked;
}

}  // namespace gait::xplane
