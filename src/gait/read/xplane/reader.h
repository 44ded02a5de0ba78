// Reads an XPlane file (XSpace protobuf) into a Trace.
//
// The file is mapped and its wire format is walked in place, without protobuf objects: one pass over the
// outer messages, then lines and programs in parallel. Damage inside the file becomes counted losses. An
// error means that nothing of the file could be used, and says what the file looks like.
#pragma once

#include <string>

#include "gait/base/bytes_source.h"
#include "gait/base/result.h"
#include "gait/read/format/format.h"
#include "gait/trace/trace.h"

namespace gait::xplane {

using read::ReadOptions;

// Reads a path, or "-" for standard input; gzip and zstd are unwrapped. Programs beside the file
// (*.hlo_proto.pb) are read too if the file itself does not hold them.
Result<Trace> ReadFile(const std::string& path, const ReadOptions& options = {});

// The same for bytes in memory.
Result<Trace> ReadBytes(Bytes bytes, const std::string& name, const ReadOptions& options = {});

}  // namespace gait::xplane
