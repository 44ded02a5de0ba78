#include "gait/write/xplane_counters.h"

#include <algorithm>
#include <map>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "gait/base/wire.h"
#include "gait/read/xplane/schema.h"
#include "gait/write/xplane_fields.h"

namespace gait::write {
namespace {

constexpr std::string_view kEnvironmentPlane = "Task Environment";
constexpr std::string_view kStartStat = "profile_start_time";

// The id that a plane gives to the stats of a name.
std::optional<int64_t> StatId(std::string_view plane, std::string_view name) {
  for (FieldWalker fields(plane); fields.Next();) {
    if (fields.number() != xplane::plane::kStatMetadata || !fields.is_bytes()) continue;
    const auto metadata = BytesOf(fields.bytes(), xplane::map_entry::kValue);
    if (metadata && BytesOf(*metadata, xplane::stat_metadata::kName) == name) {
      return IntegerOf(*metadata, xplane::stat_metadata::kId);
    }
  }
  return std::nullopt;
}

struct Sampled {
  int64_t unix_ns;
  uint64_t id;  // of its name: the place of its series, from 1 on
  double value;
};

// Events of a line are in order of time.
std::vector<Sampled> InOrderOfTime(std::span<const CounterSeries* const> rows) {
  std::vector<Sampled> all;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const CounterSample& sample : rows[i]->samples) all.push_back({sample.unix_ns, i + 1, sample.value});
  }
  std::ranges::stable_sort(all, {}, &Sampled::unix_ns);
  return all;
}

void AddSample(protozero::pbf_writer& line, uint64_t id, int64_t offset_ps, double value) {
  protozero::pbf_writer event(line, xplane::line::kEvents);
  event.add_uint64(xplane::event::kMetadataId, id);
  event.add_int64(xplane::event::kOffsetPs, offset_ps);
  protozero::pbf_writer stat(event, xplane::event::kStats);
  stat.add_uint64(xplane::stat::kMetadataId, id);
  stat.add_double(xplane::stat::kDouble, value);
}

}  // namespace

std::optional<int64_t> SessionStart(std::string_view xspace) {
  for (FieldWalker fields(xspace); fields.Next();) {
    if (fields.number() != xplane::space::kPlanes || !fields.is_bytes()) continue;
    const std::string_view plane = fields.bytes();
    if (BytesOf(plane, xplane::plane::kName) != kEnvironmentPlane) continue;
    const auto id = StatId(plane, kStartStat);
    if (!id) return std::nullopt;
    for (FieldWalker stats(plane); stats.Next();) {
      if (stats.number() != xplane::plane::kStats || !stats.is_bytes()) continue;
      if (IntegerOf(stats.bytes(), xplane::stat::kMetadataId) != id) continue;
      const auto as_unsigned = IntegerOf(stats.bytes(), xplane::stat::kUint64);
      return as_unsigned ? as_unsigned : IntegerOf(stats.bytes(), xplane::stat::kInt64);
    }
  }
  return std::nullopt;
}

std::string XPlaneCounters(std::span<const CounterSeries> series, int64_t start_unix_ns) {
  constexpr int64_t kPsPerNs = 1000;
  std::map<std::string, std::vector<const CounterSeries*>> by_device;
  for (const CounterSeries& one : series) by_device[one.device].push_back(&one);
  std::string xspace;
  protozero::pbf_writer space(xspace);
  for (const auto& [device, rows] : by_device) {
    protozero::pbf_writer plane(space, xplane::space::kPlanes);
    plane.add_string(xplane::plane::kName, "/gait:" + device);
    {
      protozero::pbf_writer line(plane, xplane::plane::kLines);
      line.add_uint64(xplane::line::kId, 1);
      line.add_string(xplane::line::kName, "_counters_");
      for (const Sampled& sample : InOrderOfTime(rows)) {
        const int64_t offset = sample.unix_ns - start_unix_ns;
        if (offset >= 0) AddSample(line, sample.id, offset * kPsPerNs, sample.value);
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      AddNamed(plane, xplane::plane::kEventMetadata, i + 1, rows[i]->name);
      AddNamed(plane, xplane::plane::kStatMetadata, i + 1, rows[i]->name);
    }
  }
  return xspace;
}

}  // namespace gait::write
