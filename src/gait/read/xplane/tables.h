// The tables of one plane: event names, argument names, interned strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gait/read/xplane/space_index.h"
#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// IdTable: values by the ids of a file. Dense ids, the usual case, are an array look-up.
template <typename T>
class IdTable {
 public:
  void Add(int64_t id, T value) { items_.emplace_back(id, std::move(value)); }

  // To be called once, after the last Add. Of two values with the same id the later one counts, as in a
  // protobuf map.
  void Build() {
    uint64_t largest = 0;  // negative ids become huge and make the table sparse
    for (const auto& [id, value] : items_) largest = std::max(largest, static_cast<uint64_t>(id));
    if (largest < items_.size() * 4 + 1024) {
      dense_.assign(largest + 1, kNone);
      for (uint32_t i = 0; i < items_.size(); ++i) dense_[static_cast<size_t>(items_[i].first)] = i;
    } else {
      for (uint32_t i = 0; i < items_.size(); ++i) sparse_[items_[i].first] = i;
    }
  }

  const T* Find(int64_t id) const {
    if (static_cast<uint64_t>(id) < dense_.size()) {
      const uint32_t at = dense_[static_cast<size_t>(id)];
      return at == kNone ? nullptr : &items_[at].second;
    }
    if (sparse_.empty()) return nullptr;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? nullptr : &items_[found->second].second;
  }

  const std::vector<std::pair<int64_t, T>>& items() const { return items_; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  std::vector<std::pair<int64_t, T>> items_;
  std::vector<uint32_t> dense_;
  std::unordered_map<int64_t, uint32_t> sparse_;
};

struct EventMetadata {
  StringId name;
  std::vector<ArgEntry> shared;  // arguments of every event of this name: display_name, then the file's own
};

// A program found in the metadata plane; `proto` points into the file.
struct ProgramBytes {
  std::string_view name;
  uint64_t program_id = 0;
  std::string_view proto;
  std::string cut = {};  // why the end of it is missing; empty when it is whole
};

// The one loss for all names that a plane lacks because the file ends before its tables.
inline constexpr std::string_view kLostToTheCut = "names and references lost to the cut";

struct PlaneTables {
  std::string_view cut_place;  // where to count kLostToTheCut; empty when the plane is whole
  IdTable<StringId> stat_names;
  IdTable<EventMetadata> events;
  std::vector<ProgramBytes> programs;
  std::vector<Arg> args;  // of the plane, named ones
  std::vector<std::pair<int64_t, int64_t>>
      unnamed_stats;  // (metadata id, integer value): edges of the scope tree
};

// One decoded XStat. A string is a view into the file until somebody interns it.
struct Stat {
  int64_t metadata_id = 0;
  ArgValue value;
  std::string_view text = {};  // of an inline string or bytes
  bool is_inline = false;
  bool is_ref = false;  // value.bits is an id of the stat table
};

// Throws protozero::exception on malformed bytes.
Stat DecodeStat(std::string_view message);

PlaneTables ReadTables(const PlaneIndex& index, TraceBuilder& builder, LossLog& losses);

}  // namespace gait::xplane
