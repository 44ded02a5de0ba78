// Any target of a request, about a real capture: tiles, searches, areas, slices, verbs. Each line is a
// request; RUN stands for the id of the run. An answer comes, whatever was asked.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gait/serve/routes.h"
#include "gait/serve/target.h"

namespace {

struct Server {
  gait::serve::Routes routes{GAIT_FUZZ_RUN, size_t{1} << 30};
  std::string id = routes.directory().List()->runs.at(0).id;
};

void Ask(Server& server, std::string line) {
  for (size_t at = line.find("RUN"); at != std::string::npos; at = line.find("RUN", at + server.id.size()))
    line.replace(at, 3, server.id);
  const gait::serve::Target target = gait::serve::ParseTarget(line);
  const gait::serve::Reply reply = server.routes({.path = target.path, .parameters = target.parameters});
  if (reply.status < 200 || reply.status > 599) __builtin_trap();
  if (reply.stream) reply.stream([](std::string_view) { return true; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server server;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (int lines = 0; lines < 4 && !rest.empty(); ++lines) {
    const size_t end = rest.find('\n');
    Ask(server, std::string(rest.substr(0, end)));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return 0;
}
