// PluginPrograms: the HLO of the programs that a PJRT plugin holds, from the plugin itself.
//
// A session of JAX's profiler hands out HLO too, but makes it while the program waits: two thirds of what
// stopping five steps of a GPT costs on an H200. So gait has JAX record without it there, asks the plugin's
// own profiler to keep the programs through the same window, and takes them when the program has gone on.
#pragma once

#include <memory>
#include <string>

#include "gait/base/result.h"
#include "gait/capture/pjrt_profiler.h"

namespace gait::capture {

class PluginPrograms {
 public:
  // Programs are kept from now on, those that go meanwhile too. Null where the process has loaded no such
  // plugin (its file's name), or the plugin cannot do this.
  static std::shared_ptr<PluginPrograms> Start(const char* plugin = "xla_cuda_plugin.so");
  ~PluginPrograms();
  PluginPrograms(const PluginPrograms&) = delete;
  PluginPrograms& operator=(const PluginPrograms&) = delete;

  // The programs as a serialized XSpace, to be appended to that of the session. Once; takes its time.
  Result<std::string> Collect();

 private:
  PluginPrograms(const pjrt::ProfilerApi& api, pjrt::Profiler* profiler) : api_(api), profiler_(profiler) {}

  const pjrt::ProfilerApi& api_;
  pjrt::Profiler* profiler_;
  bool running_ = false;

  std::string Stop();  // why it could not; empty: it did
};

}  // namespace gait::capture
