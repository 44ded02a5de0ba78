// RunOfBytes: the bytes of an XPlane file as a run of one host, which is called as its first plane. Null:
// they are no such file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "gait/analyze/run/loaded_run.h"
#include "gait/read/xplane/reader.h"

namespace gait::fuzz {

inline std::shared_ptr<const analyze::LoadedRun> RunOfBytes(const uint8_t* data, size_t size) {
  xplane::ReadOptions options;
  options.threads = 1;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  auto trace = xplane::ReadBytes(Bytes(std::move(bytes)), "fuzz", options);
  if (!trace) return nullptr;
  auto run = std::make_shared<analyze::LoadedRun>();
  if (!trace->planes().empty()) run->typed = trace->text(trace->planes()[0].name);
  run->hosts.push_back({"host", "fuzz", std::move(*trace)});
  return run;
}

}  // namespace gait::fuzz
