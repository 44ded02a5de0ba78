// HttpServer: the HTTP side of the viewer. Takes requests, lets the guard look at them, asks one function for
// the reply, compresses it and sends it with the headers that every answer has.
//
// Bounded: a request's head (64 KiB, its first line 8 KiB, 128 lines) and body (none is taken), connections
// served at a time, and requests that compute at a time; what waits beyond that is answered with 503.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gait/base/result.h"
#include "gait/serve/message.h"

namespace gait::serve {

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 0;       // 0: any that is free
  std::string token;  // empty: none is needed, loopback only (guard.h)
};

class HttpServer {
 public:
  using Handler = std::function<Reply(const Request&)>;

  HttpServer(HttpOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // An error when the address cannot be used.
  Result<void> Bind();
  int port() const;
  // Serves until Stop. Bind comes first.
  void Serve();
  // From any thread; not from a signal handler.
  void Stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gait::serve
