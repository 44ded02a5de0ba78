// PluginPrograms: gets the HLO of the programs that a PJRT plugin holds, from the plugin itself.
//
// A session of JAX's profiler hands out HLO too, but makes the HLO while the program waits: two thirds of the
// cost of stopping a capture of five steps of a GPT on an H200. So where the plugin can do this, JAX records
// without HLO, the plugin's own profiler keeps the programs through the same window, and gait takes them when
// the program has gone on.
#pragma once

#include <memory>
#include <string>

#include "gait/base/result.h"
#include "gait/capture/pjrt_profiler.h"

namespace gait::capture {

class PluginPrograms {
 public:
  // Keeps programs from now on, also programs that are freed meanwhile. Null where the process has loaded no
  // plugin of this file name, or the plugin cannot do this.
  static std::shared_ptr<PluginPrograms> Start(const char* plugin = "xla_cuda_plugin.so");
  ~PluginPrograms();
  PluginPrograms(const PluginPrograms&) = delete;
  PluginPrograms& operator=(const PluginPrograms&) = delete;

  // The programs as a serialized XSpace, to be appended to the session's. To be called once; takes a while.
  Result<std::string> Collect();

 private:
  PluginPrograms(const pjrt::ProfilerApi& api, pjrt::Profiler* profiler) : api_(api), profiler_(profiler) {}

  const pjrt::ProfilerApi& api_;
  pjrt::Profiler* profiler_;
  bool running_ = false;

  std::string Stop();  // why it could not; empty: it did
};

}  // namespace gait::capture
