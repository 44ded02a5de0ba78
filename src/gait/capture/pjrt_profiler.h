// The part of PJRT's C interface that leads to a plugin's own profiler, in PJRT's layout: its structures only
// grow at their ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gait::capture::pjrt {

inline constexpr int kProfilerExtension = 1;

struct Extension {
  size_t struct_size;
  int type;
  Extension* next;
};

struct Api {  // its beginning
  size_t struct_size;
  Extension* extensions;
};

struct Failure;   // of a call; null: it went well
struct Profiler;  // a session of the plugin's

struct FailureArgs {
  size_t struct_size;
  void* reserved;
  Failure* failure;
};

struct FailureMessageArgs {
  size_t struct_size;
  void* reserved;
  const Failure* failure;
  const char* message;  // out
  size_t message_size;  // out
};

struct CreateArgs {
  size_t struct_size;
  const char* options;  // a serialized tensorflow.ProfileOptions
  size_t options_size;
  Profiler* profiler;  // out
};

struct ProfilerArgs {  // to start, stop, destroy
  size_t struct_size;
  Profiler* profiler;
};

struct CollectArgs {
  size_t struct_size;
  Profiler* profiler;
  uint8_t* buffer;     // out: a serialized XSpace, the profiler's own
  size_t buffer_size;  // out
};

struct ProfilerApi {
  size_t struct_size;
  void* reserved;
  void (*destroy_failure)(FailureArgs*);
  void (*failure_message)(FailureMessageArgs*);
  Failure* (*failure_code)(void*);
  Failure* (*create)(CreateArgs*);
  Failure* (*destroy)(ProfilerArgs*);
  Failure* (*start)(ProfilerArgs*);
  Failure* (*stop)(ProfilerArgs*);
  Failure* (*collect)(CollectArgs*);
};

struct ProfilerExtension {
  Extension base;
  ProfilerApi* api;  // may be null
};

}  // namespace gait::capture::pjrt
