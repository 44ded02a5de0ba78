// HttpServer: the HTTP side of the viewer. Takes requests, lets the guard look at them, asks one function for
// the reply, compresses the reply, and sends it with the headers of every answer.
//
// Limits: a request's head (64 KiB, its first line 8 KiB, 128 lines) and body (none is accepted), the
// connections served at a time, and the requests that compute at a time. Requests beyond that are answered
// with 503.
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

  // Binds to the address. An error when the address cannot be used.
  Result<void> Bind();
  int port() const;
  // Serves until Stop. Call Bind before.
  void Serve();
  // May be called from any thread, but not from a signal handler.
  void Stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gait::serve
