// Messages: questions to JAX's profiler server and its answers, as protobuf bytes. The service is
// tensorflow.ProfilerService; jax.profiler.start_server(port) opens it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gait/base/result.h"
#include "gait/capture/remote/tracer_options.h"

namespace gait::capture::remote {

inline constexpr const char* kProfileMethod = "/tensorflow.ProfilerService/Profile";
inline constexpr const char* kTerminateMethod = "/tensorflow.ProfilerService/Terminate";

// Asks the server to record for `duration_ms`, or until the session of this name is terminated, and to send
// the capture in the reply. Nothing is written where the program runs.
std::string ProfileRequest(std::string_view session, int64_t duration_ms, const TracerOptions& tracers);
// Asks the server to end the recording of that session. An unknown session is no error.
std::string TerminateRequest(std::string_view session);

// The capture in a reply to Profile; empty when there is none. An error for bytes that are no such reply.
Result<std::string_view> CaptureOfReply(std::string_view reply);

// Whether the bytes are fields of an XSpace from the first to the last. gait looks closer.
bool MayBeCapture(std::string_view bytes);

}  // namespace gait::capture::remote
