// Recording: a capture on its way to the disk: written, read back, converted, described. Whoever captured
// hands the bytes over and goes on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/capture/background.h"
#include "gait/capture/metrics.h"
#include "gait/capture/plugin_programs.h"
#include "gait/capture/recording/read_back.h"
#include "gait/trace/loss.h"

namespace gait::capture {

// Bytes that somebody else keeps in memory as long as `owner` lives.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::string_view view;
};

struct RecordingRequest {
  std::string version;        // of gait
  std::string path;           // the final name of the XPlane file
  std::string perfetto_path;  // of the Chrome JSON; empty: none
  std::string manifest_path;
  std::string capture;     // JSON: what was captured, how, where
  std::string uncaptured;  // JSON: steps before and after
  uint64_t keep_free = 0;
  std::string if_idle;  // what a capture without work of a device lacks; empty: nothing
  std::map<std::string, uint64_t> without_end;  // launches by program, as far as the program knows
  bool quiet = false;
  std::vector<std::pair<std::string, std::string>> beside;  // further files: name, content
  // What they say goes into the capture; both may be null.
  std::shared_ptr<MetricSampler> metrics;
  std::shared_ptr<PluginPrograms> programs;
  std::vector<std::pair<std::string, std::string>>
      versions;  // which JAX adds to the programs that it collects
};

class Recording {
 public:
  Recording(SharedBytes content, RecordingRequest request);

  const Job& job() const { return *job_; }
  // Done when the person at the terminal has been told how the job ended.
  const Job& announcement() const { return *announcement_; }
  uint64_t bytes() const;
  std::optional<ReadBack> read_back() const;
  // Writes the manifest anew, when the rest is done.
  void UpdateManifest(std::string uncaptured);

 private:
  struct State {
    RecordingRequest request;
    mutable std::mutex mutex;
    uint64_t bytes = 0;
    std::optional<ReadBack> read_back;
    std::vector<Loss> missing;  // of what should have gone into the file

    std::vector<std::pair<std::string, uint64_t>> beside;  // names and bytes of further files

    // A file beside the capture that could not be written is a loss; the capture stays.
    bool WriteBeside(const std::string& path, std::string_view content);  // false: it is among the losses
  };

  std::shared_ptr<State> state_;
  std::shared_ptr<Job> job_;
  std::shared_ptr<Job> announcement_;

  // Further parts of the file: the counters of the metrics, the programs of a plugin.
  static std::string Counters(State& state, std::string_view xspace);
  static std::string Programs(State& state);
  static std::string Manifest(const State& state);
  static void Announce(const State& state, const std::optional<Error>& error);
};

}  // namespace gait::capture
