#include "reach.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace gait::capture::remote {
namespace {

using Clock = std::chrono::steady_clock;

int Wait(int socket, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd connected{socket, POLLOUT, 0};
    const int ready = ::poll(&connected, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    if (ready < 0 || ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
}

// 0, or why it did not work.
int Connect(const addrinfo& to, Clock::time_point until) {
  const int socket = ::socket(to.ai_family, to.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to.ai_protocol);
  if (socket < 0) return errno;
  int error = ::connect(socket, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) error = Wait(socket, until);
  ::close(socket);
  return error;
}

}  // namespace

std::optional<Failure> Reach(const Address& address, std::chrono::milliseconds at_most) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found); error != 0) {
    return Failure{Trouble::kNoSuchHost, ::gai_strerror(error)};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
  const auto until = Clock::now() + at_most;
  int worst = 0;
  for (const addrinfo* to = found; to != nullptr; to = to->ai_next) {
    const int error = Connect(*to, until);
    if (error == 0) return std::nullopt;
    // A name that has several addresses, of which some are not even routed.
    if (worst == 0 || error == ECONNREFUSED) worst = error;
  }
  return Failure{worst == ECONNREFUSED ? Trouble::kRefused : Trouble::kNoAnswer, std::strerror(worst)};
}

}  // namespace gait::capture::remote
