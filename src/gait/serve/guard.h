// Guard: who may ask: whoever has the token, in the address (which makes a cookie of it), as the cookie, or
// as "Authorization: Bearer"; without a token anyone on this machine. A server on a loopback address answers
// only requests whose Host header names this machine: a page of another site that points its own name at
// 127.0.0.1 (DNS rebinding) has another one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gait/serve/message.h"

namespace gait::serve {

// What of a request decides whether it is let in.
struct Credentials {
  std::string host;        // the Host header
  std::string cookie;      // the Cookie header
  std::string token;       // the parameter
  std::string fetch_site;  // Sec-Fetch-Site; empty from programs and old browsers
  std::string path;
  std::string authorization{};  // the Authorization header
};

class Guard {
 public:
  // An empty token: none is needed, and only hosts of this machine are answered.
  explicit Guard(std::string token, bool on_loopback = true)
      : token_(std::move(token)), on_loopback_(on_loopback || token_.empty()) {}

  // nullopt: let in. Otherwise the refusal, the redirection that turns a token into a cookie, or the page
  // that asks again: a browser that comes from elsewhere (a link, a file) does not show its cookie at first.
  std::optional<Reply> Check(const Credentials& request) const;

 private:
  bool HasToken(const Credentials& request) const;

  std::string token_;
  bool on_loopback_;
};

// Whether a Host header names this machine: localhost, 127.0.0.0/8 or ::1, with any port.
bool IsLoopbackHost(std::string_view host);
// The same of an address to bind to.
bool IsLoopbackAddress(const std::string& address);

// 32 hexadecimal digits from the system's random source.
std::string RandomToken();

}  // namespace gait::serve
