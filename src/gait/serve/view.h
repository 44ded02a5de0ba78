// View: serves a log directory until it is told to stop. The work of `gait view`.
#pragma once

#include <functional>
#include <string>

#include "gait/base/result.h"

namespace gait::serve {

struct ViewOptions {
  std::string directory;  // a log directory, or one file
  std::string run{};      // path of the run to open at; empty: the newest
  std::string address = "127.0.0.1";
  int port = -1;      // 0: any that is free; -1: the usual one, or a free one when that is taken
  size_t memory = 0;  // bytes for all that is held; 0: a quarter of the machine's
  bool token = true;  // false: everyone on this machine may look; an error on an address that others reach
};

struct Address {
  std::string url;  // with the token, where there is one, and the run
  size_t runs = 0;  // found so far
};

// Calls `ready` once requests are answered, and `ending` after SIGINT or SIGTERM, which end the program. An
// error when the directory or the address cannot be used.
Result<void> View(const ViewOptions& options, const std::function<void(const Address&)>& ready,
                  const std::function<void()>& ending);

}  // namespace gait::serve
