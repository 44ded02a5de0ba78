// Connection: a client's socket as the HTTP library reads and writes it, one request at a time. The library
// itself takes a head of any length: here reading ends at a limit, and what the library would say is not
// sent.
#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

namespace gait::serve {

// Of one request, its body included, which is never worth reading (http_server.cc).
struct RequestLimits {
  size_t bytes;
  size_t lines;
};

struct Timeouts {
  time_t read_s;   // for all of a request, however slowly it comes
  time_t write_s;  // without a byte taken by the reader
};

class Connection : public httplib::Stream {
 public:
  // The socket stays the caller's.
  Connection(socket_t socket, const RequestLimits& limits, const Timeouts& timeouts)
      : socket_(socket),
        limits_(limits),
        timeouts_(timeouts),
        read_until_(std::chrono::steady_clock::now() + std::chrono::seconds(timeouts.read_s)) {}

  // Whether the client sent more than a request may have.
  bool too_large() const { return too_large_; }
  // Past the limit too. False: the client has gone.
  bool Send(std::string_view text);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  static constexpr size_t kBuffer = 4096;

  // Counts what is given to the library. False: too much.
  bool Count(std::string_view taken);

  socket_t socket_;
  RequestLimits limits_;
  Timeouts timeouts_;
  std::chrono::steady_clock::time_point read_until_;
  std::array<char, kBuffer> buffer_{};
  size_t begin_ = 0;  // of what is buffered and not read
  size_t end_ = 0;
  size_t bytes_ = 0;
  size_t lines_ = 0;
  bool too_large_ = false;
};

// Waits until the socket has something to read, or its end. False: nothing came.
bool WaitToRead(socket_t socket, int milliseconds);

}  // namespace gait::serve
