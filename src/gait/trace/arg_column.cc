#include "gait/trace/arg_column.h"

#include <algorithm>

namespace gait {

ArgColumn::ArgColumn(const Trace& trace, std::string_view key) : by_set_(trace.arg_sets().size()) {
  const std::optional<StringId> id = trace.strings().Find(key);
  if (!id) return;
  for (size_t i = 0; i < by_set_.size(); ++i) {
    const std::span<const ArgEntry> set = trace.arg_sets()[ArgSetId(i)];
    const auto found = std::ranges::find(set, *id, &ArgEntry::key);
    if (found == set.end()) continue;
    const ArgEntry* entry = &*found;
    const bool varies = entry->varying;
    by_set_[i] = {varies ? &*std::ranges::find(set, true, &ArgEntry::varying) : entry, entry};
  }
}

}  // namespace gait
