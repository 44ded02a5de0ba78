#include "gait/timeline/derive/derive.h"

#include "gait/base/thread_pool.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {

std::unique_ptr<const Derived> Derive(const Timeline& timeline, const analyze::RunView& view) {
  std::vector<std::unique_ptr<DerivedWriter>> writers;
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    writers.push_back(std::make_unique<DerivedWriter>(timeline, h));
  }
  ForEach(view.hosts.size(), DefaultThreads(), [&](size_t h) {
    const analyze::HostView& host = view.hosts[h];
    for (size_t d = 0; d < host.devices.size(); ++d) {
      DeriveSteps(*writers[h], host, d);
      DeriveProgramsAndScopes(*writers[h], host, d);
      DeriveBusyAndIdle(*writers[h], host, d);
    }
    DeriveCopies(*writers[h], host);
    DeriveMemory(*writers[h], host);
  });
  DeriveCollectives(writers, view);
  auto derived = std::make_unique<Derived>();
  derived->set.first_track = static_cast<uint32_t>(timeline.captured.tracks.size());
  derived->set.first_name = static_cast<uint32_t>(timeline.captured.names.size());
  for (auto& writer : writers) std::move(*writer).Finish(*derived);
  FinishTracks(derived->set);
  return derived;
}

}  // namespace gait::timeline
