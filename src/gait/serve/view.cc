#include "gait/serve/view.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "gait/serve/guard.h"
#include "gait/serve/http_server.h"
#include "gait/serve/routes.h"

namespace gait::serve {
namespace {

constexpr int kUsualPort = 7424;

// A quarter of the machine's memory for all that the viewer holds.
size_t MemoryBudget() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  constexpr size_t kLeast = size_t{512} << 20;
  if (pages <= 0 || size <= 0) return kLeast;
  return std::max(kLeast, static_cast<size_t>(pages) * static_cast<size_t>(size) / 4);
}

// Nothing can be shown of it: the browser opens at another one, if there is one.
bool IsUseless(const ListedRun& run) { return run.devices == "empty" || run.devices == "damaged"; }

std::string UrlHost(const std::string& address) {
  if (address == "0.0.0.0" || address == "::") {
    char name[256] = {};
    if (::gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0') return name;
  }
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

Result<void> View(const ViewOptions& options, const std::function<void(const Address&)>& ready,
                  const std::function<void()>& ending) {
  if (!options.token && !IsLoopbackAddress(options.address)) {
    return UsageError(fmt::format("without a token everyone who reaches {} could look.", options.address),
                      "--no-token is for this machine alone: leave one of the two out.");
  }
  const std::string token = options.token ? RandomToken() : "";
  Routes routes(options.directory, options.memory > 0 ? options.memory : MemoryBudget());
  const std::shared_ptr<const RunList> list = routes.directory().List();

  // The signals are for the thread that waits for them; all others are made after this.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const auto make = [&](int port) {
    return std::make_unique<HttpServer>(HttpOptions{options.address, port, token},
                                        [&](const Request& request) { return routes(request); });
  };
  std::unique_ptr<HttpServer> server = make(options.port < 0 ? kUsualPort : options.port);
  Result<void> bound = server->Bind();
  if (!bound && options.port < 0) {
    server = make(0);
    bound = server->Bind();
  }
  if (!bound) return bound;
  std::thread serving([&] { server->Serve(); });

  Address address{fmt::format("http://{}:{}/{}", UrlHost(options.address), server->port(),
                              token.empty() ? "" : "?token=" + token),
                  list->runs.size()};
  auto first = std::ranges::find_if(list->runs, [&](const ListedRun& run) {
    return options.run.empty() ? !IsUseless(run) : run.run.path == options.run;
  });
  if (options.run.empty() && first == list->runs.end()) first = list->runs.begin();
  std::thread preparing;
  if (first != list->runs.end()) {
    address.url += fmt::format("#/{}/overview", first->id);
    preparing = std::thread([&routes, id = first->id] { routes.Prepare(id); });
  }
  ready(address);
  int signal = 0;
  ::sigwait(&signals, &signal);
  ending();
  // Connections that wait for a next request would be waited for; nothing of them is lost.
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace gait::serve
