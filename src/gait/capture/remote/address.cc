#include "gait/capture/remote/address.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include <fmt/format.h>

namespace gait::capture::remote {
namespace {

constexpr const char* kHint = "Give HOST:PORT, with the port of jax.profiler.start_server(PORT): tpu-3:9012.";

std::unexpected<Error> NoAddress(std::string_view text, std::string_view why) {
  return UsageError(fmt::format("'{}' is no address: {}.", text, why), kHint);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsHostCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
}

}  // namespace

std::string Address::Text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<Address> ParseAddress(std::string_view text) {
  const std::string_view whole = text;
  Address address{"localhost", 0};
  if (text.find("//") != std::string_view::npos) return NoAddress(whole, "it is a URL");
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return NoAddress(whole, "its bracket is not closed");
    address.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.starts_with(':')) return NoAddress(whole, "it has no port");
    text.remove_prefix(1);
    const auto is_ipv6 = [](char c) { return IsHostCharacter(c) || c == ':' || c == '%'; };
    if (address.host.empty() || !std::ranges::all_of(address.host, is_ipv6)) {
      return NoAddress(whole, "there is no IPv6 address in its brackets");
    }
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view host = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    if (text.find(':') != std::string_view::npos) {
      return NoAddress(whole, "IPv6 addresses stand in brackets, as in [::1]:9012");
    }
    if (!std::ranges::all_of(host, IsHostCharacter)) return NoAddress(whole, "hosts have no such name");
    if (!host.empty()) address.host = host;
  } else if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    return NoAddress(whole, "it has no port");
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), address.port);
  if (error != std::errc{} || end != text.data() + text.size() || address.port < 1 || address.port > 65535) {
    return NoAddress(whole, fmt::format("'{}' is no port, which is a number from 1 to 65535", text));
  }
  return address;
}

Result<std::vector<Address>> ParseAddresses(std::string_view text) {
  std::vector<Address> addresses;
  while (true) {
    const size_t comma = text.find(',');
    GAIT_TRY(Address address, ParseAddress(Trimmed(text.substr(0, comma))));
    if (std::ranges::find(addresses, address) != addresses.end()) {
      return UsageError(fmt::format("{} is named twice.", address.Text()),
                        "A program has one profiler session at a time.");
    }
    addresses.push_back(std::move(address));
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> FileNames(const std::vector<Address>& addresses) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Address& address : addresses) {
    std::string stem = fmt::format("{}_{}", address.host, address.port);
    std::ranges::replace_if(stem, [](char c) { return !IsHostCharacter(c); }, '_');
    std::string unique = stem;
    for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", stem, n);
    names.push_back(unique + ".xplane.pb");
  }
  return names;
}

}  // namespace gait::capture::remote
