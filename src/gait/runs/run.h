// Run: one capture on disk, of one host or of several hosts that were captured together. Only names of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/read/format/format.h"

namespace gait::runs {

// One host's capture file of a run.
struct HostFile {
  std::string host;  // the file name's stem: "vm" of vm.xplane.pb
  std::string path;
  uint64_t size = 0;
  int64_t modified_ns = 0;  // Unix time
};

enum class BesideKind : uint8_t {
  kTraceJson,      // <host>.trace.json.gz
  kPerfettoJson,   // perfetto_trace.json.gz
  kMemoryProfile,  // *.prof
  kHloProto,       // <module>.hlo_proto.pb
  kUnsupported,    // captures that gait does not read: .xplane.pb.xz, .xplane.riegeli
};
std::string_view Name(BesideKind kind);  // "trace.json", "memory profile", ...

// Another file in a run's folder.
struct BesideFile {
  BesideKind kind = BesideKind::kTraceJson;
  std::string path;
  uint64_t size = 0;
};

// The source of a run's time, the best first.
enum class TimeFrom : uint8_t {
  kName,     // a folder name YYYY_MM_DD_HH_MM_SS
  kCapture,  // the start that the profiler wrote into the file
  kFile,     // when the newest host file was written
};
std::string_view Name(TimeFrom from);  // "name", "capture", "file"

struct Run {
  std::string name;  // the folder's name, or the stem of a bare file
  std::string
      label;  // the path below the searched directory without "plugins/profile": "gpt/2026_11_15_00_29_59"
  std::string path;                // what to hand to a command: the folder, or the bare file
  std::vector<HostFile> hosts;     // by name; one file each: a plain one stands for its compressed copies
  std::vector<BesideFile> beside;  // by path
  int64_t time_s = 0;              // Unix time: when it was captured
  TimeFrom time_from = TimeFrom::kFile;

  uint64_t bytes() const;     // of the host files
  read::Peeked Peek() const;  // what can be told of them without reading their events
};

}  // namespace gait::runs
