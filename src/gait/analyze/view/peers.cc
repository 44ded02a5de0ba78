#include "gait/analyze/view/peers.h"

#include <algorithm>
#include <unordered_map>

namespace gait::analyze {

Peers::Peers(const HostView& view) {
  if (view.devices.size() < 2) return;
  const Trace& trace = view.trace();
  std::unordered_map<uint64_t, uint32_t> known;
  entries_.resize(view.devices.size());
  for (size_t d = 0; d < view.devices.size(); ++d) {
    Ps reached = -kMaxTime;
    for (const WorkItem& item : view.work[d]) {
      if (item.work == WorkClass::kCommunication) {
        const EventRef event = item.event;
        const Track& track = trace.track(event.track);
        // The instruction where it is known: kernels of one name serve many.
        const InstructionRef instruction = trace.attribution(track.args(event.index)).instruction;
        const uint64_t key = instruction.valid() ? (uint64_t{instruction.program.value + 1} << 32) |
                                                       instruction.instruction.value
                                                 : uint64_t{track.name(event.index).value};
        const auto [at, is_new] = known.try_emplace(key, static_cast<uint32_t>(collectives_.size()));
        if (is_new) collectives_.emplace_back().by_device.resize(view.devices.size());
        std::vector<Execution>& executions = collectives_[at->second].by_device[d];
        entries_[d].push_back({event, at->second, static_cast<uint32_t>(executions.size())});
        executions.push_back({std::min(reached, item.time.begin), item.time.begin, event});
      }
      reached = std::max(reached, item.time.end);
    }
    std::ranges::sort(entries_[d], {}, &Entry::event);
  }
}

std::optional<Peers::Last> Peers::Find(size_t device, EventRef event) const {
  if (device >= entries_.size()) return std::nullopt;
  const auto found = std::ranges::lower_bound(entries_[device], event, {}, &Entry::event);
  if (found == entries_[device].end() || found->event != event) return std::nullopt;
  const Collective& collective = collectives_[found->collective];
  const size_t times = collective.by_device[device].size();
  std::optional<Last> last;
  for (size_t d = 0; d < collective.by_device.size(); ++d) {
    const std::vector<Execution>& executions = collective.by_device[d];
    if (d == device || executions.empty()) continue;
    if (executions.size() != times) return std::nullopt;
    const Execution& other = executions[found->execution];
    if (!last) last = {other.ready, other.begin, d, other.event};
    last->ready = std::max(last->ready, other.ready);
    if (other.begin > last->begin) last = {last->ready, other.begin, d, other.event};
  }
  return last;
}

}  // namespace gait::analyze
