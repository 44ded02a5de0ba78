// Parts of a host's step: what the time of the thread that runs the loop went to.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gait::analyze {

// kNone: nothing that is recognised.
enum class HostPart : uint8_t { kFetch, kToDevice, kDispatch, kCompile, kWait, kCollect, kNone };
inline constexpr size_t kHostParts = 6;  // without kNone

// "fetch", "to_device", "dispatch", "compile", "wait", "collect", "rest"
inline std::string_view Name(HostPart part) {
  constexpr std::array<std::string_view, kHostParts + 1> kNames = {
      "fetch", "to_device", "dispatch", "compile", "wait", "collect", "rest"};
  return kNames[static_cast<size_t>(part)];
}

// The part of an event inside another event. The inner one's own part counts, but for two cases: everything
// inside a compilation is compile, and dispatch says no more than the part around it.
constexpr HostPart PartWithin(HostPart around, HostPart own) {
  if (around == HostPart::kCompile || own == HostPart::kNone) return around;
  return own == HostPart::kDispatch && around != HostPart::kNone ? around : own;
}

}  // namespace gait::analyze
