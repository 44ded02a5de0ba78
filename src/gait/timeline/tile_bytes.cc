#include "gait/timeline/tile_bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gait::timeline {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of a tile are little-endian");

constexpr uint32_t kVersion = 1;
constexpr uint32_t kSlices = 0;
constexpr uint32_t kCounter = 1;
constexpr size_t kSectionHead = 24;

class ByteWriter {
 public:
  template <typename T>
  void Put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  template <typename T, typename List, typename Of>
  void Column(const List& list, Of of) {
    for (const auto& item : list) Put(static_cast<T>(of(item)));
  }
  void Pad() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  size_t size() const { return bytes_.size(); }
  void PutAt(size_t at, uint32_t value) { std::memcpy(bytes_.data() + at, &value, sizeof(value)); }
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

double Picoseconds(Ps time) { return static_cast<double>(time.value()); }

void Head(ByteWriter& out, uint32_t track, uint32_t lane, uint32_t type, size_t slices, size_t buckets) {
  out.Put(track);
  out.Put(lane);
  out.Put(type);
  out.Put(static_cast<uint32_t>(slices));
  out.Put(static_cast<uint32_t>(buckets));
  out.Put(uint32_t{0});  // the length, once it is known
}

std::string Finish(ByteWriter out) {
  out.Pad();
  out.PutAt(kSectionHead - sizeof(uint32_t), static_cast<uint32_t>(out.size()));
  return std::move(out).Take();
}

}  // namespace

std::string Section(const TimelineTrack& track, uint32_t lane, const SliceTile& tile) {
  if (tile.slices.empty() && tile.buckets.empty()) return {};
  ByteWriter out;
  out.Reserve(kSectionHead + tile.slices.size() * 24 + tile.buckets.size() * 24 + 8);
  Head(out, track.id, lane, kSlices, tile.slices.size(), tile.buckets.size());
  out.Column<double>(tile.slices, [](const auto& s) { return Picoseconds(s.begin); });
  out.Column<double>(tile.slices, [](const auto& s) { return Picoseconds(s.duration); });
  out.Column<double>(tile.buckets, [](const auto& b) { return Picoseconds(b.busy); });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.bucket; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.count; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.name; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.event; });
  out.Column<uint32_t>(tile.slices, [](const auto& s) { return s.name; });
  out.Column<uint32_t>(tile.slices, [](const auto& s) { return s.event; });
  return Finish(std::move(out));
}

std::string Section(const TimelineTrack& track, const CounterTile& tile) {
  if (tile.buckets.empty()) return {};
  ByteWriter out;
  Head(out, track.id, 0, kCounter, 0, tile.buckets.size());
  out.Column<double>(tile.buckets, [](const auto& b) { return b.low; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.high; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.mean; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.last; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.bucket; });
  return Finish(std::move(out));
}

std::string JoinSections(const Window& window, const std::vector<std::string>& sections) {
  size_t bytes = 0;
  uint32_t held = 0;
  for (const std::string& section : sections) {
    bytes += section.size();
    held += section.empty() ? 0 : 1;
  }
  ByteWriter out;
  for (const char c : {'G', 'T', 'I', 'L'}) out.Put(c);
  out.Put(kVersion);
  out.Put(static_cast<uint32_t>(window.level));
  out.Put(window.buckets);
  out.Put(Picoseconds(window.begin));
  out.Put(held);
  out.Put(uint32_t{0});
  std::string tile = std::move(out).Take();
  tile.reserve(tile.size() + bytes);
  for (const std::string& section : sections) tile += section;
  return tile;
}

}  // namespace gait::timeline
