#include "gait/runs/run.h"

#include "gait/read/registry/registry.h"

namespace gait::runs {

std::string_view Name(BesideKind kind) {
  switch (kind) {
    case BesideKind::kTraceJson:
      return "trace.json";
    case BesideKind::kPerfettoJson:
      return "perfetto";
    case BesideKind::kMemoryProfile:
      return "memory";
    case BesideKind::kHloProto:
      return "hlo";
    case BesideKind::kUnsupported:
      return "unsupported";
  }
  return "other";
}

std::string_view Name(TimeFrom from) {
  switch (from) {
    case TimeFrom::kName:
      return "name";
    case TimeFrom::kCapture:
      return "capture";
    case TimeFrom::kFile:
      break;
  }
  return "file";
}

uint64_t Run::bytes() const {
  uint64_t sum = 0;
  for (const HostFile& host : hosts) sum += host.size;
  return sum;
}

read::Peeked Run::Peek() const {
  read::Peeked all;
  all.state = read::FileState::kWhole;
  for (const HostFile& host : hosts) all.Add(read::FormatOf(host.path).peek(host.path));
  return all;
}

}  // namespace gait::runs
