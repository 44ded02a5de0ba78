#include "gait/serve/http_answer.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "gait/serve/compress.h"
#include "gait/serve/target.h"

namespace gait::serve {
namespace {

namespace http = boost::beast::http;

constexpr size_t kMostTarget = 8192;
constexpr unsigned kHttp11 = 11;
constexpr int kServerError = 500;
constexpr int kNoMemory = 503;

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const char* CacheControl(Caching caching) {
  switch (caching) {
    case Caching::kImmutable:
      return "private, max-age=31536000, immutable";
    case Caching::kRevalidate:
      return "private, no-cache";
    case Caching::kNone:
      return "no-store";
  }
  return "no-store";
}

std::string Text(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string Value(const HttpRequest& request, http::field name) { return Text(request[name]); }

Reply Declined(int status, const char* what) { return ErrorReply(status, {ErrorKind::kUsage, what, ""}); }

bool IsRead(const HttpRequest& request) {
  return request.method() == http::verb::get || request.method() == http::verb::head;
}

// What comes in pieces, whole: HTTP/1.0 knows no pieces.
void Collect(Reply& reply) {
  std::string all;
  std::exchange(reply.stream, nullptr)([&](std::string_view piece) {
    all += piece;
    return true;
  });
  reply.body = std::make_shared<const std::string>(std::move(all));
}

HttpAnswer Said(Reply reply, const HttpRequest& request) {
  HttpAnswer answer;
  auto& message = answer.message;
  message.version(std::min(request.version(), kHttp11));
  const bool head = request.method() == http::verb::head;
  if (reply.stream && !head && message.version() < kHttp11) Collect(reply);
  message.result(static_cast<unsigned>(reply.status));
  message.keep_alive(request.keep_alive());
  message.set("Content-Security-Policy", reply.policy.empty() ? kPolicy : reply.policy);
  message.set("X-Content-Type-Options", "nosniff");
  message.set("X-Frame-Options", "DENY");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  // Elsewhere browsers ignore it without https, and say so on the console.
  if (IsLoopbackHost(Value(request, http::field::host)))
    message.set("Cross-Origin-Opener-Policy", "same-origin");
  message.set(http::field::cache_control, CacheControl(reply.caching));
  message.set(http::field::vary, "Accept-Encoding");
  if (!IsRead(request)) message.set(http::field::allow, "GET, HEAD");
  if (!reply.location.empty()) message.set(http::field::location, EncodePath(reply.location));
  if (!reply.set_cookie.empty()) message.set(http::field::set_cookie, reply.set_cookie);
  if (reply.retry_after_s > 0) message.set(http::field::retry_after, std::to_string(reply.retry_after_s));
  if (!reply.etag.empty()) {
    const std::string quoted = "\"" + reply.etag + "\"";
    message.set(http::field::etag, quoted);
    const std::string known = Value(request, http::field::if_none_match);
    if (reply.status == 200 && (known == "*" || known.find(quoted) != std::string::npos)) {
      message.result(http::status::not_modified);
      return answer;
    }
  }
  message.set(http::field::content_type, reply.content_type);
  if (reply.stream) {
    if (head) return answer;
    message.chunked(true);
    answer.stream = std::move(reply.stream);
    return answer;
  }
  CompressReply(reply, ChooseEncoding(Value(request, http::field::accept_encoding)));
  if (reply.encoding != Encoding::kNone) {
    message.set(http::field::content_encoding, std::string(Name(reply.encoding)));
  }
  message.content_length(reply.body->size());
  if (!head) {
    answer.body = reply.body;
    message.body() = {answer.body->data(), answer.body->size()};
  }
  return answer;
}

Reply Ask(const HttpRequest& request, const Guard& guard, const std::function<Reply(const Request&)>& handler,
          const std::stop_token& gone) {
  if (!IsRead(request)) return Declined(405, "only GET and HEAD are answered.");
  if (request.has_content_length() || request.chunked()) {
    if (request.chunked() || request[http::field::content_length] != "0") {
      return Declined(413, "no request here has a body.");
    }
  }
  // Which of two hosts, or of one here and one in the first line, is meant is not for us to guess.
  if (request.count(http::field::host) > 1 || !request.target().starts_with('/')) {
    return Declined(400, "the request names more than one host.");
  }
  if (request.target().size() > kMostTarget) return Declined(414, "the address is too long.");
  auto [path, parameters] = ParseTarget({request.target().data(), request.target().size()});
  const auto token = parameters.find("token");
  const Credentials credentials{Value(request, http::field::host),
                                Value(request, http::field::cookie),
                                token == parameters.end() ? "" : token->second,
                                Text(request["Sec-Fetch-Site"]),
                                path,
                                Value(request, http::field::authorization)};
  if (std::optional<Reply> refused = guard.Check(credentials)) return std::move(*refused);
  if (request.count(http::field::range) > 0) return Declined(416, "parts of an answer are not served.");
  parameters.erase("token");
  return handler({std::move(path), std::move(parameters), Value(request, http::field::accept_encoding),
                  Value(request, http::field::if_none_match), gone});
}

}  // namespace

HttpAnswer Answer(const HttpRequest& request, const Guard& guard,
                  const std::function<Reply(const Request&)>& handler, const std::stop_token& gone) {
  try {
    return Said(Ask(request, guard, handler, gone), request);
  } catch (const std::bad_alloc&) {
    return Refuse(kNoMemory, "there is not enough memory for this answer.");
  } catch (const std::exception& error) {
    return Said(ErrorReply(kServerError, {ErrorKind::kUnreadable,
                                          fmt::format("a mistake inside gait: {}.", error.what()), ""}),
                request);
  }
}

HttpAnswer Refuse(int status, const char* what) {
  HttpRequest none;
  none.keep_alive(false);
  return Said(Declined(status, what), none);
}

}  // namespace gait::serve
