#include "gait/serve/http_server.h"

#include <httplib.h>
#include <netdb.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "gait/serve/compress.h"
#include "gait/serve/connection.h"
#include "gait/serve/guard.h"
#include "gait/serve/worker_threads.h"

namespace gait::serve {
namespace {

constexpr size_t kMostConnections = 512;
constexpr int kBacklog = 512;  // connections that wait to be accepted; the library's own is 5
constexpr RequestLimits kMostOfARequest{.bytes = 65'536, .lines = 128};  // head and body
constexpr size_t kMostBody = 1024;
constexpr time_t kKeepAliveSeconds = 10;
constexpr size_t kRequestsPerConnection = 100'000;
constexpr time_t kReadSeconds = 10;
constexpr time_t kWriteSeconds = 20;  // without a byte taken by the reader

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const httplib::Headers& CommonHeaders() {
  static const httplib::Headers headers = {{"Content-Security-Policy", kPolicy},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"X-Frame-Options", "DENY"},
                                           {"Referrer-Policy", "no-referrer"},
                                           {"Cross-Origin-Resource-Policy", "same-origin"}};
  return headers;
}

// 0, or why it is no address, in the words of gai_strerror.
int LookUp(const std::string& address) {
  addrinfo* found = nullptr;
  const int reason = ::getaddrinfo(address.c_str(), nullptr, nullptr, &found);
  if (found != nullptr) ::freeaddrinfo(found);
  return reason;
}

class Queue : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> job) override { threads_.Add(std::move(job)); }
  void shutdown() override { threads_.Finish(); }
  bool crowded() { return threads_.crowded(); }

 private:
  WorkerThreads threads_{kMostConnections};
};

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

bool HasBody(const httplib::Request& request) {
  return request.has_header("Transfer-Encoding") ||
         (request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0");
}

Reply NotAllowed() { return ErrorReply(405, {ErrorKind::kUsage, "only GET and HEAD are answered.", ""}); }

// The answer to a request that is not read to its end.
std::string TooLarge() {
  const Reply reply = ErrorReply(431, {ErrorKind::kUsage, "the request is too large.", ""});
  std::string text = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n";
  for (const auto& [name, value] : CommonHeaders()) text += fmt::format("{}: {}\r\n", name, value);
  text +=
      fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n", reply.content_type, reply.body->size());
  return text + *reply.body;
}

// The library's server, but for what it would read of a request: its own reading has no bound.
class BoundedServer : public httplib::Server {
 public:
  BoundedServer() {
    new_task_queue = [this] { return queue_ = new Queue; };  // the library's to delete
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    size_t requests = 0;
    for (bool more = true; more && ComesAnother(socket); ++requests) {
      Connection connection(socket, kMostOfARequest, {read_timeout_sec_, write_timeout_sec_});
      bool closed = false;
      more = process_request(connection, requests + 1 == keep_alive_max_count_, closed, nullptr) && !closed &&
             requests + 1 < keep_alive_max_count_;
      if (connection.too_large()) {
        connection.Send(TooLarge());
        more = false;
      }
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return requests > 0;
  }

  // Looks now and then whether the server was stopped meanwhile, or others wait for a connection that says
  // nothing.
  bool ComesAnother(socket_t socket) const {
    constexpr int kLook = 100;  // ms
    for (time_t waited = 0; waited < keep_alive_timeout_sec_ * 1000; waited += kLook) {
      if (svr_sock_ == INVALID_SOCKET) return false;
      if (WaitToRead(socket, kLook)) return true;
      if (queue_->crowded()) return false;
    }
    return false;
  }

  Queue* queue_ = nullptr;
};

// Whether an If-None-Match header names the tag.
bool Names(const std::string& header, const std::string& quoted) {
  return header == "*" || header.find(quoted) != std::string::npos;
}

void Send(Reply reply, const httplib::Request& request, httplib::Response& out) {
  constexpr int kNotModified = 304;
  out.status = reply.status;
  out.set_header("Cache-Control", CacheControl(reply.caching));
  out.set_header("Vary", "Accept-Encoding");
  if (!reply.location.empty()) out.set_header("Location", reply.location);
  if (!reply.set_cookie.empty()) out.set_header("Set-Cookie", reply.set_cookie);
  if (reply.retry_after_s > 0) out.set_header("Retry-After", std::to_string(reply.retry_after_s));
  if (!reply.etag.empty()) {
    const std::string quoted = "\"" + reply.etag + "\"";
    out.set_header("ETag", quoted);
    if (reply.status == 200 && Names(request.get_header_value("If-None-Match"), quoted)) {
      out.status = kNotModified;
      return;
    }
  }
  if (reply.stream) {
    out.set_chunked_content_provider(
        reply.content_type, [stream = std::move(reply.stream)](size_t, httplib::DataSink& sink) {
          stream([&](std::string_view piece) { return sink.write(piece.data(), piece.size()); });
          sink.done();
          return true;
        });
    return;
  }
  CompressReply(reply, ChooseEncoding(request.get_header_value("Accept-Encoding")));
  if (reply.encoding != Encoding::kNone) {
    out.set_header("Content-Encoding", std::string(Name(reply.encoding)));
  }
  if (reply.body->empty()) {
    out.set_header("Content-Type", reply.content_type);
    return;
  }
  // A provider, because the library would compress a plain body once more, and slowly.
  out.set_content_provider(reply.body->size(), reply.content_type,
                           [body = reply.body](size_t offset, size_t length, httplib::DataSink& sink) {
                             return sink.write(body->data() + offset, length);
                           });
}

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(HttpOptions options, Handler handler)
      : options_(std::move(options)), guard_(options_.token), handler_(std::move(handler)) {
    server_.set_tcp_nodelay(true);
    server_.set_payload_max_length(kMostBody);
    server_.set_keep_alive_timeout(kKeepAliveSeconds);
    server_.set_keep_alive_max_count(kRequestsPerConnection);
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kWriteSeconds);
    server_.set_socket_options([this](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
      socket_ = socket;
    });
    server_.set_default_headers(CommonHeaders());
    // Everything is answered here: the library's own routing matches regular expressions.
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& out) {
      if (request.method == "GET" || request.method == "HEAD") {
        Answer(request, out);
      } else if (HasBody(request)) {
        return httplib::Server::HandlerResponse::Unhandled;  // it reads the body, finds no route, and fails
      } else {
        Send(NotAllowed(), request, out);  // it would wait for a body
      }
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.set_error_handler([](const httplib::Request& request, httplib::Response& out) {
      if (!out.body.empty() || out.content_length_ > 0 || out.content_provider_) return;
      const bool method = request.method != "GET" && request.method != "HEAD" && out.status == 404;
      const Reply reply =
          method ? NotAllowed()
                 : ErrorReply(out.status, {ErrorKind::kUsage, "the request is not understood.", ""});
      out.status = reply.status;
      out.set_content(*reply.body, "application/json; charset=utf-8");
    });
  }

  Result<void> Bind() {
    if (const int reason = LookUp(options_.address); reason != 0) {
      return Unreadable(fmt::format("cannot listen on {}: {}.", options_.address, ::gai_strerror(reason)),
                        "--bind takes an address of this machine; 0.0.0.0 stands for all that it has.");
    }
    const bool bound = options_.port == 0 ? (port_ = server_.bind_to_any_port(options_.address)) > 0
                                          : server_.bind_to_port(options_.address, options_.port);
    if (!bound) {
      const int reason = errno;
      const bool elsewhere = reason == EADDRNOTAVAIL;
      return Unreadable(
          fmt::format("cannot listen on {}{}: {}.", options_.address,
                      options_.port == 0 || elsewhere ? "" : fmt::format(" port {}", options_.port),
                      std::strerror(reason)),
          elsewhere ? "This machine has no such address; 0.0.0.0 stands for all that it has."
                    : "Another program may use the port: --port 0 takes a free one.");
    }
    if (options_.port != 0) port_ = options_.port;
    ::listen(socket_, kBacklog);
    return {};
  }

  void Serve() { server_.listen_after_bind(); }
  void Stop() { server_.stop(); }
  int port() const { return port_; }

 private:
  void Answer(const httplib::Request& request, httplib::Response& out) {
    // Which of two hosts, or of one here and one in the first line, is meant is not for us to guess.
    if (request.get_header_value_count("Host") > 1 || !request.target.starts_with('/')) {
      return Send(ErrorReply(400, {ErrorKind::kUsage, "the request names more than one host.", ""}), request,
                  out);
    }
    Credentials credentials{request.get_header_value("Host"), request.get_header_value("Cookie"),
                            request.get_param_value("token"), request.get_header_value("Sec-Fetch-Site"),
                            request.path};
    // Elsewhere browsers ignore it without https, and say so on the console.
    if (IsLoopbackHost(credentials.host)) out.set_header("Cross-Origin-Opener-Policy", "same-origin");
    if (std::optional<Reply> refused = guard_.Check(credentials))
      return Send(std::move(*refused), request, out);
    if (request.has_header("Range")) {
      return Send(ErrorReply(416, {ErrorKind::kUsage, "parts of an answer are not served.", ""}), request,
                  out);
    }
    Request ours{request.path,
                 {request.params.begin(), request.params.end()},
                 request.get_header_value("Accept-Encoding"),
                 request.get_header_value("If-None-Match")};
    ours.parameters.erase("token");
    Send(handler_(ours), request, out);
  }

  HttpOptions options_;
  Guard guard_;
  Handler handler_;
  BoundedServer server_;
  socket_t socket_ = -1;
  int port_ = 0;
};

HttpServer::HttpServer(HttpOptions options, Handler handler)
    : implementation_(std::make_unique<Implementation>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() = default;
Result<void> HttpServer::Bind() { return implementation_->Bind(); }
int HttpServer::port() const { return implementation_->port(); }
void HttpServer::Serve() { implementation_->Serve(); }
void HttpServer::Stop() { implementation_->Stop(); }

}  // namespace gait::serve
