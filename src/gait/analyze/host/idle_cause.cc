#include "gait/analyze/host/idle_cause.h"

namespace gait::analyze {
namespace {

struct Words {
  std::string_view name;
  std::string_view description;
  std::string_view phrase;
};
constexpr std::array<Words, kIdleCauses> kWords = {{
    {"peer", "waited for another device", "waiting for another device"},
    {"input", "host busy with input", "while the host was busy with input"},
    {"staging", "host preparing copies", "while the host prepared copies to the device"},
    {"callback", "callback into Python", "while a callback ran in Python"},
    {"compile", "host compiling", "while the host compiled"},
    {"host_sync", "host waits for a result", "while the host waited for a result"},
    {"allocator", "host allocating memory", "while the host allocated memory"},
    {"dispatch", "Python and dispatch code", "while the host ran Python and dispatch code"},
    {"launch", "launch overhead", "in launches"},
    {"graph_launch", "graph launch overhead", "in launches of graphs"},
    {"dependency", "held by a dependency", "launched in time but held by a dependency"},
    {"kernel_gap", "between kernels", "between kernels that were launched in time"},
    {"unknown", "not known", "for reasons the capture does not show"},
}};

}  // namespace

std::string_view Name(IdleCause cause) { return kWords[Index(cause)].name; }
std::string_view Describe(IdleCause cause) { return kWords[Index(cause)].description; }

std::string_view Phrase(IdleCause cause) { return kWords[Index(cause)].phrase; }

bool IsHostLate(IdleCause cause) { return cause >= IdleCause::kInput && cause <= IdleCause::kDispatch; }

bool GrowsWithRecording(IdleCause cause) {
  return (IsHostLate(cause) && cause != IdleCause::kCompile) || cause == IdleCause::kLaunch ||
         cause == IdleCause::kGraphLaunch;
}

std::optional<IdleCause> FindIdleCause(std::string_view name) {
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (kWords[i].name == name) return static_cast<IdleCause>(i);
  }
  return std::nullopt;
}

}  // namespace gait::analyze
