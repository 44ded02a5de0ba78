// For tests: a PJRT plugin whose profiler holds one program, or fails where GAIT_FAKE_PLUGIN says. It counts
// one byte too many, as XLA's does in some versions.
#include <cstdlib>
#include <cstring>
#include <string>

#include "gait/capture/pjrt_profiler.h"

namespace pjrt = gait::capture::pjrt;

struct pjrt::Failure {
  std::string message;
};

struct pjrt::Profiler {
  std::string options;
  std::string state = "made";
  std::string data;
};

namespace {

pjrt::Failure* FailAt(const char* call) {
  const char* const wanted = std::getenv("GAIT_FAKE_PLUGIN");
  if (wanted == nullptr || std::strcmp(wanted, call) != 0) return nullptr;
  return new pjrt::Failure{std::string(call) + " failed"};
}

pjrt::Failure* Create(pjrt::CreateArgs* args) {
  if (pjrt::Failure* const failure = FailAt("create")) return failure;
  args->profiler = new pjrt::Profiler{.options = {args->options, args->options_size}};
  return nullptr;
}

pjrt::Failure* Start(pjrt::ProfilerArgs* args) {
  args->profiler->state = "started";
  return FailAt("start");
}

pjrt::Failure* Stop(pjrt::ProfilerArgs* args) {
  args->profiler->state = args->profiler->state == "started" ? "stopped" : "wrong";
  return FailAt("stop");
}

// Two planes (field 1) with a name (field 2): that of programs, and one that says what the profiler went
// through.
pjrt::Failure* Collect(pjrt::CollectArgs* args) {
  pjrt::Profiler& profiler = *args->profiler;
  const std::string name = profiler.state + profiler.options;
  const auto field = [](char tag, const std::string& text) {
    return std::string{tag, static_cast<char>(text.size())} + text;
  };
  profiler.data = field('\x0a', field('\x12', "/host:metadata")) + field('\x0a', field('\x12', name)) + '\0';
  args->buffer = reinterpret_cast<uint8_t*>(profiler.data.data());
  args->buffer_size = profiler.data.size();
  return FailAt("collect");
}

pjrt::Failure* Destroy(pjrt::ProfilerArgs* args) {
  delete args->profiler;
  return nullptr;
}

void DestroyFailure(pjrt::FailureArgs* args) { delete args->failure; }

void FailureMessage(pjrt::FailureMessageArgs* args) {
  args->message = args->failure->message.data();
  args->message_size = args->failure->message.size();
}

pjrt::ProfilerApi profiler_api{sizeof(pjrt::ProfilerApi),
                               nullptr,
                               DestroyFailure,
                               FailureMessage,
                               nullptr,
                               Create,
                               Destroy,
                               Start,
                               Stop,
                               Collect};
pjrt::ProfilerExtension profiler{{sizeof(pjrt::ProfilerExtension), pjrt::kProfilerExtension, nullptr},
                                 &profiler_api};
pjrt::Extension other{sizeof(pjrt::Extension), 0, &profiler.base};
pjrt::Api api{sizeof(pjrt::Api), &other};

}  // namespace

extern "C" const pjrt::Api* GetPjrtApi() { return &api; }
