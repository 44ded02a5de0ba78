#include "gait/serve/connection.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gait::serve {
namespace {

bool Wait(socket_t socket, int16_t events, int milliseconds) {
  pollfd polled{socket, events, 0};
  int ready = 0;
  do {
    ready = ::poll(&polled, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);

void AddressOf(socket_t socket, NameOf name_of, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (name_of(socket, any, &size) != 0) return;
  if (::getnameinfo(any, size, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host.data();
  port = std::atoi(service.data());
}

}  // namespace

bool WaitToRead(socket_t socket, int milliseconds) { return Wait(socket, POLLIN, milliseconds); }

bool Connection::is_readable() const {
  if (begin_ < end_) return true;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(read_until_ - std::chrono::steady_clock::now());
  return left.count() > 0 && Wait(socket_, POLLIN, static_cast<int>(left.count()));
}

bool Connection::is_writable() const {
  return Wait(socket_, POLLOUT, static_cast<int>(timeouts_.write_s * 1000));
}

bool Connection::Count(std::string_view taken) {
  bytes_ += taken.size();
  lines_ += static_cast<size_t>(std::ranges::count(taken, '\n'));
  too_large_ = bytes_ > limits_.bytes || lines_ > limits_.lines;
  return !too_large_;
}

ssize_t Connection::read(char* to, size_t size) {
  if (too_large_ || !is_readable()) return -1;
  if (begin_ == end_) {
    ssize_t got = 0;
    do {
      got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return got;
    begin_ = 0;
    end_ = static_cast<size_t>(got);
  }
  const size_t taken = std::min(size, end_ - begin_);
  if (!Count({buffer_.data() + begin_, taken})) return -1;
  std::memcpy(to, buffer_.data() + begin_, taken);
  begin_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char* from, size_t size) {
  if (too_large_) return static_cast<ssize_t>(size);
  if (!is_writable()) return -1;
  ssize_t sent = 0;
  do {
    sent = ::send(socket_, from, size, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

bool Connection::Send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = is_writable() ? ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) : -1;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  AddressOf(socket_, [](int s, sockaddr* a, socklen_t* n) { return ::getpeername(s, a, n); }, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  AddressOf(socket_, [](int s, sockaddr* a, socklen_t* n) { return ::getsockname(s, a, n); }, ip, port);
}

}  // namespace gait::serve
