#include "gait/timeline/names.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "gait/analyze/time/durations.h"
#include "gait/base/thread_pool.h"

namespace gait::timeline {
namespace {

// The names of some events of a track: (name, instruction) to a number in order of appearance. An open hash
// table.
class LocalNames {
 public:
  LocalNames() : slots_(64, kFree) {}

  uint32_t Find(uint64_t key) {
    size_t at = Hash(key) & (slots_.size() - 1);
    while (slots_[at] != kFree) {
      if (keys_[slots_[at]] == key) return slots_[at];
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    if (keys_.size() * 2 > slots_.size()) Grow();
    return static_cast<uint32_t>(keys_.size() - 1);
  }

  const std::vector<uint64_t>& keys() const { return keys_; }

 private:
  static constexpr uint32_t kFree = 0xffffffff;

  static size_t Hash(uint64_t key) {
    key *= 0x9e3779b97f4a7c15;
    return static_cast<size_t>(key ^ (key >> 32));
  }

  void Grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (size_t i = 0; i < keys_.size(); ++i) {
      size_t at = Hash(keys_[i]) & (slots_.size() - 1);
      while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<uint32_t>(i);
    }
  }

  std::vector<uint32_t> slots_;
  std::vector<uint64_t> keys_;
};

// Events of a track that are named together.
struct NamedPart {
  size_t track;  // of those given
  size_t first;
  std::span<uint32_t> ids;  // by event, from `first` on; local
  std::vector<SliceName> names{};
};
constexpr size_t kNamedTogether = size_t{1} << 18;

// Instructions of a trace as small numbers, by argument set; 0: none.
struct Instructions {
  std::vector<uint32_t> by_set;
  std::vector<InstructionRef> refs = std::vector<InstructionRef>(1);
};

Instructions InstructionsOf(const Trace& trace) {
  Instructions result;
  result.by_set.resize(trace.arg_sets().size());
  std::map<InstructionRef, uint32_t> seen;
  for (size_t i = 0; i < result.by_set.size(); ++i) {
    const InstructionRef ref = trace.attribution(ArgSetId(i)).instruction;
    if (!ref.valid()) continue;
    const auto [at, added] = seen.try_emplace(ref, static_cast<uint32_t>(result.refs.size()));
    if (added) result.refs.push_back(ref);
    result.by_set[i] = at->second;
  }
  return result;
}

void NamePart(const TrackToName& what, const Instructions& instructions, NamedPart& part) {
  const Track& track = what.trace->track(what.track);
  LocalNames local;
  // Most names go with one instruction: by name, the last one and its number.
  struct Last {
    uint32_t instruction = 0xffffffff;
    uint32_t id = 0;
  };
  std::vector<Last> last(what.trace->strings().size());
  std::vector<Ps> times;  // by local id, apart from the names: they stay close to the processor
  for (size_t i = 0; i < part.ids.size(); ++i) {
    const EventIndex e(part.first + i);
    const uint32_t instruction = instructions.by_set[track.args(e).value];
    Last& seen = last[track.name(e).value];
    if (seen.instruction != instruction) {
      seen = {instruction, local.Find((uint64_t{track.name(e).value} << 32) | instruction)};
      if (seen.id == part.names.size()) {
        part.names.push_back({what.trace,
                              static_cast<uint32_t>(part.track),
                              {what.track, e},
                              instructions.refs[instruction],
                              Ps()});
        times.emplace_back();
      }
    }
    part.ids[i] = seen.id;
    times[seen.id] = analyze::SaturatedSum(times[seen.id], track.duration(e));
  }
  for (size_t i = 0; i < times.size(); ++i) part.names[i].time = times[i];
}

// Tells names of different traces apart, or finds them equal.
class Merged {
 public:
  uint32_t Find(const SliceName& name) {
    const Key key{name.text(), ProgramOf(name), name.instruction.instruction.value};
    const auto [at, added] = ids_.try_emplace(key, static_cast<uint32_t>(names_.size()));
    if (added) {
      names_.push_back(name);
    } else {
      SliceName& known = names_[at->second];
      known.time = analyze::SaturatedSum(known.time, name.time);
    }
    return at->second;
  }

  std::vector<SliceName>& names() { return names_; }

 private:
  using Key = std::tuple<std::string_view, const Program*, uint32_t>;
  struct HashKey {
    size_t operator()(const Key& key) const {
      const size_t parts[] = {std::hash<std::string_view>()(std::get<0>(key)),
                              std::hash<const Program*>()(std::get<1>(key)), std::get<2>(key)};
      return (parts[0] * 31 + parts[1]) * 31 + parts[2];
    }
  };

  const Program* ProgramOf(const SliceName& name) {
    if (!name.instruction.valid()) return nullptr;
    const Program& program = name.trace->programs()[name.instruction.program.value];
    return programs_.try_emplace({program.name, program.id, program.instructions.size()}, &program)
        .first->second;
  }

  std::unordered_map<Key, uint32_t, HashKey> ids_;
  std::map<std::tuple<std::string, uint64_t, size_t>, const Program*> programs_;
  std::vector<SliceName> names_;
};

}  // namespace

std::string_view Name(SliceClass c) {
  static constexpr std::array<std::string_view, kSliceClasses> kNames = {
      "compute", "communication", "copy", "unknown", "control flow", "host",
      "compile", "idle",          "step", "program", "scope"};
  return kNames[static_cast<size_t>(c)];
}

NamedTracks NameTracks(const std::vector<TrackToName>& tracks, uint32_t first, PageArena& arena) {
  std::map<const Trace*, Instructions> instructions;
  for (const TrackToName& track : tracks) {
    if (!instructions.contains(track.trace)) instructions[track.trace] = InstructionsOf(*track.trace);
  }
  NamedTracks result;
  std::vector<NamedPart> parts;
  for (size_t t = 0; t < tracks.size(); ++t) {
    result.ids.push_back(arena.Zeros<uint32_t>(tracks[t].trace->track(tracks[t].track).size()));
    const std::span<uint32_t> ids = result.ids.back();
    for (size_t at = 0; at < ids.size(); at += kNamedTogether)
      parts.push_back({t, at, ids.subspan(at, std::min(kNamedTogether, ids.size() - at))});
  }
  ForEach(parts.size(), DefaultThreads(), [&](size_t p) {
    const TrackToName& track = tracks[parts[p].track];
    NamePart(track, instructions.at(track.trace), parts[p]);
  });

  Merged merged;
  std::vector<std::vector<uint32_t>> to(parts.size());  // by part, by local id
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const SliceName& name : parts[p].names) to[p].push_back(merged.Find(name));
  }
  std::vector<uint32_t> order(merged.names().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](uint32_t a, uint32_t b) { return merged.names()[a].time > merged.names()[b].time; });
  std::vector<uint32_t> rank(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = first + static_cast<uint32_t>(i);
    result.names.push_back(merged.names()[order[i]]);
  }
  ForEach(parts.size(), DefaultThreads(), [&](size_t p) {
    for (uint32_t& id : to[p]) id = rank[id];
    for (uint32_t& id : parts[p].ids) id = to[p][id];
  });
  return result;
}

}  // namespace gait::timeline
