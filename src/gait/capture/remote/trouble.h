// Trouble: why a host's capture did not come, and what a person can do about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gait/base/result.h"

namespace gait::capture::remote {

enum class Trouble : uint8_t {
  kNoSuchHost,   // its name has no address
  kRefused,      // nothing listens there
  kNoAnswer,     // not within the time for connecting
  kNoProfiler,   // something else listens there
  kNoToken,      // it is gait.serve, and the token is missing or wrong
  kTokenStays,   // the same on another machine, where none is sent to
  kBusy,         // a session runs there already
  kNotRecorded,  // the profiler could not start, or failed
  kDeclined,     // gait.serve says why
  kEmpty,        // nothing was recorded
  kTooLarge,     // the reply does not fit into a message
  kNoCapture,    // what came is none
  kLost,         // the connection broke while it was recorded
  kDeadline,     // the reply did not come in time
  kGivenUp,      // by the person
  kUnwritten,    // the capture came and could not be written
};

std::string_view Name(Trouble trouble);  // one word, for the line between the two programs
std::optional<Trouble> TroubleOfName(std::string_view name);

// The meaning of a gRPC status of a Profile call. `code` is one of gRPC's.
Trouble TroubleOfStatus(int code, std::string_view message);

// The trouble as a sentence; `detail` is the message of the system or the server.
Error Explain(Trouble trouble, std::string_view address, std::string_view detail);

}  // namespace gait::capture::remote
