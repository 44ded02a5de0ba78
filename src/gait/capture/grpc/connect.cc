#include "client.h"
#include "endpoint_client.h"
#include "profiler_client.h"

namespace gait::capture::remote {

std::expected<std::shared_ptr<Client>, Failure> Connect(const Address& address,
                                                        std::chrono::milliseconds at_most) {
  if (auto failure = Reach(address, at_most)) return std::unexpected(*failure);
  auto profiler = std::make_shared<ProfilerClient>(address);
  auto no_profiler = profiler->Check(at_most);
  if (!no_profiler) return profiler;
  // gait's endpoint speaks plain HTTP, which gRPC notices at once.
  if (no_profiler->trouble == Trouble::kNoProfiler) {
    auto endpoint = std::make_shared<EndpointClient>(address);
    const auto no_endpoint = endpoint->Check(at_most);
    if (!no_endpoint) return endpoint;
    if (no_endpoint->trouble != Trouble::kNoProfiler) no_profiler = no_endpoint;
  }
  return std::unexpected(*no_profiler);
}

}  // namespace gait::capture::remote
