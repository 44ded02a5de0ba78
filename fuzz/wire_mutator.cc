#include "wire_mutator.h"

#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace gait::fuzz {
namespace {

// Messages of an XPlane file, and which of their fields are messages again (formats.md of the reader:
// xplane.proto).
enum Message {
  kSpace,
  kPlane,
  kLine,
  kEvent,
  kStat,
  kEventEntry,
  kEventMetadata,
  kStatEntry,
  kStatMetadata,
  kNone
};
Message ChildOf(Message message, uint32_t field) {
  switch (message) {
    case kSpace:
      return field == 1 ? kPlane : kNone;
    case kPlane:
      return field == 3   ? kLine
             : field == 4 ? kEventEntry
             : field == 5 ? kStatEntry
             : field == 6 ? kStat
                          : kNone;
    case kLine:
      return field == 4 ? kEvent : kNone;
    case kEvent:
      return field == 4 ? kStat : kNone;
    case kEventEntry:
      return field == 2 ? kEventMetadata : kNone;
    case kEventMetadata:
      return field == 5 ? kStat : kNone;
    case kStatEntry:
      return field == 2 ? kStatMetadata : kNone;
    default:
      return kNone;
  }
}

struct Field {
  uint32_t number = 0;
  int type = 0;        // of the wire: 0 varint, 1 eight bytes, 2 length, 5 four bytes
  uint64_t value = 0;  // of all but 2
  std::string bytes{};
  Message message = kNone;  // of 2: with children instead of bytes
  std::vector<Field> children{};
};

bool ReadVarint(std::string_view& in, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(in.front());
    in.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ReadFixed(std::string_view& in, size_t size, uint64_t& value) {
  if (in.size() < size) return false;
  std::memcpy(&value, in.data(), size);
  in.remove_prefix(size);
  return true;
}

bool Read(std::string_view in, Message message, std::vector<Field>& fields) {
  while (!in.empty()) {
    uint64_t tag = 0;
    if (!ReadVarint(in, tag)) return false;
    Field field{.number = static_cast<uint32_t>(tag >> 3), .type = static_cast<int>(tag & 7)};
    if (field.type == 0) {
      if (!ReadVarint(in, field.value)) return false;
    } else if (field.type == 1 || field.type == 5) {
      if (!ReadFixed(in, field.type == 1 ? 8 : 4, field.value)) return false;
    } else if (field.type == 2) {
      uint64_t size = 0;
      if (!ReadVarint(in, size) || size > in.size()) return false;
      const std::string_view content = in.substr(0, size);
      in.remove_prefix(size);
      field.message = ChildOf(message, field.number);
      if (field.message == kNone || !Read(content, field.message, field.children)) {
        field = {.number = field.number, .type = 2, .bytes = std::string(content)};
      }
    } else {
      return false;
    }
    fields.push_back(std::move(field));
  }
  return true;
}

void WriteVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void Write(const std::vector<Field>& fields, std::string& out) {
  for (const Field& field : fields) {
    WriteVarint(uint64_t{field.number} << 3 | static_cast<unsigned>(field.type), out);
    if (field.type == 0) {
      WriteVarint(field.value, out);
    } else if (field.type != 2) {
      out.append(reinterpret_cast<const char*>(&field.value), field.type == 1 ? 8 : 4);
    } else {
      std::string content = field.bytes;
      if (field.message != kNone) Write(field.children, content);
      WriteVarint(content.size(), out);
      out += content;
    }
  }
}

class Mutation {
 public:
  explicit Mutation(unsigned int seed) : random_(seed) {}

  void Change(std::vector<Field>& space) {
    Collect(space);
    if (places_.empty()) return;
    Place& place = places_[Below(places_.size())];
    Field& field = (*place.siblings)[place.index];
    switch (Below(8)) {
      case 0:
        place.siblings->insert(place.siblings->begin() + static_cast<ptrdiff_t>(place.index), Field(field));
        return;
      case 1:
        place.siblings->erase(place.siblings->begin() + static_cast<ptrdiff_t>(place.index));
        return;
      case 2:
        std::swap(field, (*place.siblings)[Below(place.siblings->size())]);
        return;
      case 3: {  // what another field of the file says
        const Place& other = places_[Below(places_.size())];
        const Field copy = (*other.siblings)[other.index];
        if (copy.type != 2 && field.type != 2) field.value = copy.value;
        if (copy.message == kNone && field.message == kNone && copy.type == 2 && field.type == 2)
          field.bytes = copy.bytes;
        return;
      }
      default:
        field.type == 2 ? ChangeText(field) : ChangeNumber(field);
    }
  }

 private:
  struct Place {
    std::vector<Field>* siblings;
    size_t index;
  };

  size_t Below(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  void Collect(std::vector<Field>& fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      places_.push_back({&fields, i});
      Collect(fields[i].children);
    }
  }

  void ChangeNumber(Field& field) {
    constexpr std::array<uint64_t, 10> kNumbers = {0,
                                                   1,
                                                   ~uint64_t{0},
                                                   uint64_t{1} << 63,
                                                   (uint64_t{1} << 63) - 1,
                                                   uint64_t{1} << 62,
                                                   uint64_t{1} << 32,
                                                   (uint64_t{1} << 32) - 1,
                                                   1'000'000'000'000,
                                                   0x7ff0000000000000};  // as a double: infinite
    switch (Below(4)) {
      case 0:
        field.value = kNumbers[Below(kNumbers.size())];
        break;
      case 1:
        field.value += Below(200'000) - 100'000;
        break;
      case 2:
        field.value ^= uint64_t{1} << Below(64);
        break;
      default:
        field.value *= Below(2000);
    }
  }

  void ChangeText(Field& field) {
    using namespace std::string_view_literals;
    constexpr std::array kTexts = {"",
                                   "=HYPERLINK(\"x\")",
                                   "<script>alert(1)</script>",
                                   "</title>'\"&",
                                   "\xff\xfe\x80",
                                   "\x1b[31m\r\n",
                                   "../../etc/passwd",
                                   "jit_train_step(123)",
                                   "/device:GPU:0",
                                   "/host:CPU",
                                   "Stream #14(Compute)",
                                   "XLA Ops",
                                   "$train.py:1 f",
                                   "step_num",
                                   "MemcpyH2D",
                                   "loop/while/body/a/b/c"};
    if (field.message != kNone) {
      if (!field.children.empty()) field.children.resize(Below(field.children.size()));
      return;
    }
    switch (Below(4)) {
      case 0:
        field.bytes.resize(Below(field.bytes.size() + 1));
        break;
      case 1:
        field.bytes = std::string(Below(3000), 'n');
        break;
      default:
        field.bytes = kTexts[Below(kTexts.size())];
    }
  }

  std::mt19937 random_;
  std::vector<Place> places_;
};

}  // namespace

size_t MutateXSpace(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::vector<Field> space;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (seed % 4 == 0 || bytes.empty() || !Read(bytes, kSpace, space))
    return LLVMFuzzerMutate(data, size, max_size);
  Mutation(seed).Change(space);
  std::string changed;
  Write(space, changed);
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

}  // namespace gait::fuzz
