// Reads an XPlane file (XSpace protobuf) into a Trace.
//
// The file is mapped and its wire format walked in place: one pass over the outer messages, then lines and
// programs in parallel, no protobuf objects. Damage inside the file becomes counted losses; an error means
// that nothing of it could be used, and says what the file looks like.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "gait/base/bytes_source.h"
#include "gait/base/result.h"
#include "gait/trace/trace.h"

namespace gait::xplane {

struct ReadOptions {
  size_t threads = 0;                             // 0: DefaultThreads()
  std::function<void(double fraction)> progress;  // called from one thread at a time, in rising order
  std::stop_token stop = {};                      // nobody waits for it any more: ends with an error
};

// A path, or "-" for standard input; gzip and zstd are unwrapped. Programs that lie beside the file as
// *.hlo_proto.pb are read along when the file itself does not hold them.
Result<Trace> ReadFile(const std::string& path, const ReadOptions& options = {});

// The same for bytes that are already here.
Result<Trace> ReadBytes(Bytes bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace gait::xplane
