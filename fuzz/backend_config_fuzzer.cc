// Any text as the backend configuration of an instruction; a parser is reused, as in the reader.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/read/hlo/backend_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static gait::hlo::BackendConfigParser parser;
  parser.Parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
