// The small texts that come from outside: the first byte says which. Manifests, gait.toml, limits,
// expressions, answers of a program's server (JSON and gRPC), lines of the helper.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gait/analyze/verdict/check/config.h"
#include "gait/analyze/verdict/check/limit.h"
#include "gait/base/pattern.h"
#include "gait/capture/remote/endpoint_messages.h"
#include "gait/capture/remote/messages.h"
#include "gait/capture/remote/task.h"
#include "gait/runs/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      static_cast<void>(gait::runs::ParseManifest(text));
      break;
    case 1:
      static_cast<void>(gait::analyze::ParseConfig(text, "gait.toml"));
      break;
    case 2:
      static_cast<void>(gait::analyze::ParseLimit(text));
      break;
    case 3:
      if (const auto pattern = gait::Pattern::Compile(std::string(text)))
        static_cast<void>(pattern->Matches("jit_train_step/transpose(jvp)/layer_0/mlp/dot_general"));
      break;
    case 4:
      static_cast<void>(gait::capture::remote::StatusOfReply(text));
      break;
    case 5:
      static_cast<void>(gait::capture::remote::FileOfReply(text));
      break;
    case 6:
      static_cast<void>(gait::capture::remote::CaptureOfReply(text));
      break;
    default:
      static_cast<void>(gait::capture::remote::ReportOfLine(text));
  }
  return 0;
}
