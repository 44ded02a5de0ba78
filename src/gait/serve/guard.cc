#include "gait/serve/guard.h"

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace gait::serve {
namespace {

constexpr int kForbidden = 403;

// The same address without parameters, asked for by a page of this server (an address that differs in
// nothing, or behind its # only, would not be asked for); and what lets that script run, and nothing else.
constexpr const char* kAgain =
    "const to=location.pathname+location.hash;history.replaceState(0,'','?');location.replace(to)";
constexpr const char* kAgainPolicy =
    "default-src 'none'; script-src 'sha256-GYsEHcljZWthSGvpaAiJDVYTFKQtG72K6Yk2Kbq/c7o='; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

bool IsApi(const std::string& path) { return path.starts_with("/api"); }

Reply Page(int status, const std::string& content) {
  Reply reply = JsonReply(fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>gait</title>{}</html>\n", content));
  reply.status = status;
  reply.content_type = "text/html; charset=utf-8";
  return reply;
}

// A sentence for whoever opens the page, JSON for programs.
Reply Refusal(const std::string& path, const char* what, const char* hint) {
  if (IsApi(path)) return ErrorReply(kForbidden, {ErrorKind::kUsage, what, hint});
  return Page(kForbidden,
              fmt::format("<h1>gait</h1><p>This page is not for everyone: {}</p><p>{}</p>", what, hint));
}

Reply AskAgain() {
  Reply reply = Page(kForbidden, fmt::format("<script>{}</script>", kAgain));
  reply.policy = kAgainPolicy;
  return reply;
}

// Takes the same time wherever the first difference is.
bool Same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

// Cookies know no ports: each server of a machine has one of its own, by the port that the browser sees.
std::string CookieName(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.ends_with(']')) return "gait_token";
  const std::string_view port = host.substr(colon + 1);
  return "gait_token_" + std::string(port.substr(0, port.find_first_not_of("0123456789")));
}

std::string_view ValueOfCookie(std::string_view cookie, const std::string& name) {
  while (!cookie.empty()) {
    const size_t end = std::min(cookie.find(';'), cookie.size());
    std::string_view item = cookie.substr(0, end);
    cookie.remove_prefix(std::min(end + 1, cookie.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (item.starts_with(name + "=")) return item.substr(name.size() + 1);
  }
  return {};
}

// Of "name", "name:port" or "[address]:port". Empty for what is none of them: "[::1]elsewhere".
std::string_view WithoutPort(std::string_view host) {
  const size_t end = host.starts_with('[') ? std::min(host.find(']'), host.size() - 1) + 1 : host.find(':');
  const std::string_view port = host.substr(std::min(end, host.size()));
  const bool is_port = port.starts_with(':') && port.size() > 1 && port.size() <= std::size(":65535") - 1 &&
                       port.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return port.empty() || is_port ? host.substr(0, end) : std::string_view();
}

}  // namespace

bool IsLoopbackHost(std::string_view host) {
  std::string name(WithoutPort(host));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "localhost" || name == "[::1]") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 && name.starts_with("127.");
}

bool IsLoopbackAddress(const std::string& address) { return address == "::1" || IsLoopbackHost(address); }

std::optional<Reply> Guard::Check(const Credentials& request) const {
  // Links from elsewhere to the page are welcome, questions to the interface are not.
  const bool from_elsewhere = request.fetch_site == "cross-site";
  if (from_elsewhere && IsApi(request.path)) {
    return ErrorReply(kForbidden, {ErrorKind::kUsage, "another site asks.", ""});
  }
  if (on_loopback_ && !IsLoopbackHost(request.host)) {
    return Refusal(request.path, "the Host header names another machine.",
                   "Use the address that gait view printed.");
  }
  if (token_.empty()) return std::nullopt;
  if (Same(request.token, token_)) {
    if (IsApi(request.path)) return std::nullopt;
    Reply reply;
    reply.status = kSeeOther;
    reply.location = request.path.starts_with("//") ? "/" : request.path;
    reply.set_cookie =
        fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", CookieName(request.host), token_);
    return reply;
  }
  if (HasToken(request)) return std::nullopt;
  if (from_elsewhere) return AskAgain();
  return Refusal(request.path, "the token is missing or wrong.",
                 "Use the whole address that gait view printed. It has another one after each start.");
}

bool Guard::HasToken(const Credentials& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (request.authorization.starts_with(kBearer)) {
    return Same(std::string_view(request.authorization).substr(kBearer.size()), token_);
  }
  return Same(ValueOfCookie(request.cookie, CookieName(request.host)), token_);
}

std::string RandomToken() {
  std::array<unsigned char, 16> bytes{};
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (got > 0) filled += static_cast<size_t>(got);
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace gait::serve
