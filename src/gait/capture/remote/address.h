// Address: the address of a program's profiler server, as people type it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"

namespace gait::capture::remote {

struct Address {
  std::string host;  // a name, an IPv4 or an IPv6 address, the latter without brackets
  int port = 0;

  std::string Text() const;  // "tpu-3:9012", "[::1]:9012"

  friend bool operator==(const Address&, const Address&) = default;
};

// "tpu-3:9012", "10.0.0.7:9012", "[::1]:9012"; ":9012" and "9012" are this machine. A usage error otherwise.
Result<Address> ParseAddress(std::string_view text);

// Addresses with commas between them. A usage error for an empty list, and for an address that is named
// twice.
Result<std::vector<Address>> ParseAddresses(std::string_view text);

// One file name per address, all different, as a log directory has them: "tpu-3_9012.xplane.pb".
std::vector<std::string> FileNames(const std::vector<Address>& addresses);

}  // namespace gait::capture::remote
