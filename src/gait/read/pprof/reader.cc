#include "gait/read/pprof/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/base/bytes_source.h"
#include "gait/base/limits.h"
#include "gait/base/wire.h"

namespace gait::pprof {
namespace {

// Of a repeated integer, packed or not.
void AppendInts(const FieldWalker& field, std::vector<uint64_t>& out) {
  if (!field.is_bytes()) {
    out.push_back(static_cast<uint64_t>(field.integer()));
    return;
  }
  uint64_t value = 0;
  int shift = 0;
  for (const char c : field.bytes()) {
    const auto byte = static_cast<uint8_t>(c);
    if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
    shift += 7;
    if (byte < 0x80) {
      out.push_back(value);
      value = 0;
      shift = 0;
    }
  }
}

struct Function {
  uint64_t name = 0, file = 0;
};

struct Location {
  uint64_t function = 0;
  int64_t line = 0;
};

class Reader {
 public:
  Reader(std::string_view message, const std::string& name) : message_(message) { profile_.path = name; }

  Result<HeapProfile> Read() {
    // Tables stand behind the samples that need them: two passes.
    ReadTables();
    if (sample_types_.empty() || bytes_at_ == kNone) {
      return Unreadable(fmt::format("{}: no device memory profile: {}.", profile_.path,
                                    sample_types_.empty() ? "it has no samples of a pprof profile"
                                                          : "its samples are not in bytes"),
                        "jax.profiler.save_device_memory_profile(\"memory.prof\") writes one.");
    }
    FieldWalker fields(message_);
    while (fields.Next()) {
      if (fields.number() == 2 && fields.is_bytes()) ReadSample(fields.bytes());
    }
    profile_.losses = losses_.losses();
    return std::move(profile_);
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  void ReadTables() {
    FieldWalker fields(message_);
    std::vector<std::string_view> types;
    while (fields.Next()) {
      if (!fields.is_bytes()) continue;
      switch (fields.number()) {
        case 1:
          if (types.size() < limits::kMaxHeapValues) types.push_back(fields.bytes());
          break;
        case 4:
          ReadLocation(fields.bytes());
          break;
        case 5:
          ReadFunction(fields.bytes());
          break;
        case 6:
          strings_.push_back(fields.bytes());
          break;
        default:
          break;
      }
    }
    if (!fields.trouble().empty())
      losses_.Add(fields.ends_early() ? LossKind::kTruncated : LossKind::kDropped, profile_.path,
                  fmt::format("the profile stops making sense: {}", fields.trouble()));
    for (const std::string_view type : types) {
      uint64_t name = 0;
      uint64_t unit = 0;
      FieldWalker of_type(type);
      while (of_type.Next()) {
        if (of_type.number() == 1) name = static_cast<uint64_t>(of_type.integer());
        if (of_type.number() == 2) unit = static_cast<uint64_t>(of_type.integer());
      }
      if (Text(unit) == "bytes" && bytes_at_ == kNone) bytes_at_ = sample_types_.size();
      if (Text(unit) == "count" && count_at_ == kNone) count_at_ = sample_types_.size();
      sample_types_.push_back(name);
    }
  }

  void ReadFunction(std::string_view bytes) {
    uint64_t id = 0;
    Function function;
    FieldWalker fields(bytes);
    while (fields.Next()) {
      if (fields.number() == 1) id = static_cast<uint64_t>(fields.integer());
      if (fields.number() == 2) function.name = static_cast<uint64_t>(fields.integer());
      if (fields.number() == 4) function.file = static_cast<uint64_t>(fields.integer());
    }
    functions_[id] = function;
  }

  // Native inlining may give a location several lines; the first is the innermost.
  void ReadLocation(std::string_view bytes) {
    uint64_t id = 0;
    std::optional<Location> location;
    FieldWalker fields(bytes);
    while (fields.Next()) {
      if (fields.number() == 1) id = static_cast<uint64_t>(fields.integer());
      if (fields.number() != 4 || !fields.is_bytes() || location) continue;
      location.emplace();
      FieldWalker line(fields.bytes());
      while (line.Next()) {
        if (line.number() == 1) location->function = static_cast<uint64_t>(line.integer());
        if (line.number() == 2) location->line = line.integer();
      }
    }
    locations_[id] = location.value_or(Location{});
  }

  std::string_view Text(uint64_t index) {
    if (index < strings_.size()) return strings_[index];
    losses_.Add(LossKind::kUnresolved, profile_.path, "strings that are not in the profile");
    return {};
  }

  uint32_t FrameOf(uint64_t location_id) {
    const auto [at, added] =
        frame_of_.try_emplace(location_id, static_cast<uint32_t>(profile_.frames.size()));
    if (!added) return at->second;
    HeapFrame frame;
    if (const auto location = locations_.find(location_id); location != locations_.end()) {
      frame.line = location->second.line;
      if (const auto function = functions_.find(location->second.function); function != functions_.end()) {
        frame.function = Text(function->second.name);
        frame.file = Text(function->second.file);
      }
    }
    if (frame.function.empty())
      losses_.Add(LossKind::kUnresolved, profile_.path, "frames without a function");
    profile_.frames.push_back(std::move(frame));
    return at->second;
  }

  void ReadSample(std::string_view bytes) {
    if (profile_.samples.size() >= limits::kMaxHeapSamples) {
      losses_.Add(LossKind::kCapped, profile_.path, "samples beyond the limit");
      return;
    }
    HeapSample sample;
    std::vector<uint64_t> stack;
    std::vector<uint64_t> values;
    FieldWalker fields(bytes);
    while (fields.Next()) {
      if (fields.number() == 1) AppendInts(fields, stack);
      if (fields.number() == 2) AppendInts(fields, values);
      if (fields.number() == 3 && fields.is_bytes()) ReadLabel(fields.bytes(), sample);
    }
    if (!fields.trouble().empty()) losses_.Add(LossKind::kTruncated, profile_.path, "samples that end early");
    if (stack.size() > limits::kMaxHeapStack) {
      losses_.Add(LossKind::kCapped, profile_.path, "frames of stacks that are too deep");
      stack.resize(limits::kMaxHeapStack);
    }
    for (const uint64_t location : stack) sample.stack.push_back(FrameOf(location));
    const auto value = [&](size_t at) { return at < values.size() ? static_cast<int64_t>(values[at]) : 0; };
    constexpr int64_t kMost = int64_t{1} << 56;
    sample.count = std::clamp<int64_t>(value(count_at_), 0, kMost);
    // Backends that do not know the size of an executable report a negative one.
    if (value(bytes_at_) >= 0) sample.bytes = std::min(value(bytes_at_), kMost);
    profile_.samples.push_back(std::move(sample));
  }

  void ReadLabel(std::string_view bytes, HeapSample& sample) {
    uint64_t key = 0;
    uint64_t text = 0;
    FieldWalker fields(bytes);
    while (fields.Next()) {
      if (fields.number() == 1) key = static_cast<uint64_t>(fields.integer());
      if (fields.number() == 2) text = static_cast<uint64_t>(fields.integer());
    }
    if (Text(key) == "kind") sample.kind = Text(text);
    if (Text(key) == "device") sample.device = Text(text);
  }

  std::string_view message_;
  HeapProfile profile_;
  LossLog losses_;
  std::vector<std::string_view> strings_;
  std::vector<uint64_t> sample_types_;
  size_t bytes_at_ = kNone;
  size_t count_at_ = kNone;
  std::unordered_map<uint64_t, Function> functions_;
  std::unordered_map<uint64_t, Location> locations_;
  std::unordered_map<uint64_t, uint32_t> frame_of_;  // by location id
};

}  // namespace

Result<HeapProfile> ReadProfile(std::string_view message, const std::string& name) {
  return Reader(message, name).Read();
}

Result<HeapProfile> ReadFile(const std::string& path) {
  GAIT_TRY(const OpenedFile file, OpenFile(path));
  GAIT_TRY(HeapProfile profile, ReadProfile(file.bytes.view(), path));
  if (!file.cut.empty()) {
    const LossKind kind = file.cut.damaged ? LossKind::kDropped : LossKind::kTruncated;
    profile.losses.push_back({kind, path, file.cut.why, 1});
  }
  return profile;
}

}  // namespace gait::pprof
