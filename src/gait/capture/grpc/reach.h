// Reach: whether anything listens at an address. gRPC itself only says "unavailable".
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "gait/capture/remote/address.h"
#include "gait/capture/remote/trouble.h"

namespace gait::capture::remote {

struct Failure {
  Trouble trouble;
  std::string detail{};
};

// Connects and hangs up; nullopt when this worked with one of the host's addresses.
std::optional<Failure> Reach(const Address& address, std::chrono::milliseconds at_most);

}  // namespace gait::capture::remote
