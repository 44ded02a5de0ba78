// Format: a kind of capture file that gait reads. Each reader declares its own; read/registry lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/trace/trace.h"

namespace gait::read {

struct ReadOptions {
  size_t threads = 0;                                  // 0: DefaultThreads()
  std::function<void(double fraction)> progress = {};  // called from one thread at a time, in rising order
  std::stop_token stop = {};                           // nobody waits for it any more: ends with an error
};

enum class FileState : uint8_t {  // the better before the worse
  kWhole,                         // walked to its end
  kEmpty,                         //
  kCompressed,                    // gzip or zstd: not looked into
  kDamaged,                       // ends early, or is something else
  kUnopened,                      // missing, or without permission
};

// What a listing says of a file without reading its events.
struct Peeked {
  size_t gpus = 0;
  size_t tpus = 0;
  bool host = false;                       // the CPU's side of a program
  bool recognised = false;                 // some of it looks like this format
  std::optional<int64_t> start_unix_ns{};  // when the capture began
  FileState state = FileState::kDamaged;

  // Files of one run: the devices of all, the earliest start, and the worst state.
  void Add(const Peeked& other);
  // "2 GPU", "4 TPU", "CPU", "empty", "compressed", "damaged", "1 GPU, damaged"; "?" for a whole file without
  // devices or host.
  std::string Devices() const;
};

struct Format {
  std::string_view name;    // "XPlane"
  std::string_view ending;  // of its files' names; copies that are compressed have .gz or .zst behind it
  // Costs a few small reads, whatever the size of the file. Never fails: unreadable parts are left out.
  Peeked (*peek)(const std::string& path);
  // Reads a path, or "-" for standard input; gzip and zstd are unwrapped. Damage inside the file becomes
  // counted losses; an error means that nothing of the file could be used, and says what the file looks like.
  Result<Trace> (*read)(const std::string& path, const ReadOptions& options);
};

}  // namespace gait::read
