#include "gait/serve/http_server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gait/serve/guard.h"
#include "gait/serve/http_session.h"
#include "gait/serve/worker_threads.h"

namespace gait::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Status = boost::system::error_code;

constexpr size_t kMostConnections = 512;
constexpr int kBacklog = 512;  // connections that wait to be accepted
constexpr std::chrono::milliseconds kUntilNextLook{50};

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(HttpOptions options, Handler handler)
      : options_(std::move(options)),
        guard_(options_.token, IsLoopbackAddress(options_.address)),
        work_{[this, handler = std::move(handler)](const HttpRequest& request, const std::stop_token& gone) {
                return Answer(request, guard_, handler, gone);
              },
              [this](std::function<void()> job) { threads_.Add(std::move(job)); }} {}

  Result<void> Bind() {
    Status status;
    const auto found =
        tcp::resolver(io_).resolve(options_.address, std::to_string(options_.port),
                                   tcp::resolver::passive | tcp::resolver::numeric_service, status);
    if (status || found.empty()) {
      return Unreadable(fmt::format("cannot listen on {}: {}.", options_.address, status.message()),
                        "--bind takes an address of this machine; 0.0.0.0 stands for all that it has.");
    }
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), status);
    if (!status) acceptor_.set_option(asio::socket_base::reuse_address(true), status);
    if (!status) acceptor_.bind(endpoint, status);
    if (!status) acceptor_.listen(kBacklog, status);
    if (status) {
      const bool elsewhere = status == boost::system::errc::address_not_available;
      return Unreadable(
          fmt::format("cannot listen on {}{}: {}.", options_.address,
                      options_.port == 0 || elsewhere ? "" : fmt::format(" port {}", options_.port),
                      status.message()),
          elsewhere ? "This machine has no such address; 0.0.0.0 stands for all that it has."
                    : "Another program may use the port: --port 0 takes a free one.");
    }
    port_ = acceptor_.local_endpoint().port();
    return {};
  }

  void Serve() {
    for (bool ended = false; !ended;) {
      try {
        if (!accepting_ && acceptor_.is_open()) Accept();
        io_.run();
        ended = true;
      } catch (const std::exception&) {
        // The connection that this was for is gone with it; the others go on.
        if (!accepting_) std::this_thread::sleep_for(kUntilNextLook);
      }
    }
  }

  void Stop() {
    asio::post(io_, [this] {
      Status ignored;
      acceptor_.close(ignored);
      for (const auto& session : Sessions()) session->Close();
    });
    threads_.Finish();
    until_stopped_.reset();
  }

  int port() const { return port_; }

 private:
  // Those that are left.
  std::vector<std::shared_ptr<HttpSession>> Sessions() {
    std::vector<std::shared_ptr<HttpSession>> left;
    for (const auto& session : sessions_) {
      if (auto alive = session.lock()) left.push_back(std::move(alive));
    }
    sessions_.assign(left.begin(), left.end());
    return left;
  }

  // The connection that has said nothing for the longest time gives way to one that may. Where each is being
  // answered, new ones wait.
  bool MakeRoom() {
    const auto sessions = Sessions();
    if (sessions.size() < kMostConnections) return true;
    std::shared_ptr<HttpSession> silent;
    for (const auto& session : sessions) {
      if (session->waiting_since() && (!silent || *session->waiting_since() < *silent->waiting_since()))
        silent = session;
    }
    if (silent == nullptr) return false;
    silent->Close();
    return true;
  }

  // As long as a handler has it, the next connection will be asked for. A handler that is destroyed without
  // being called (memory ran out while asio accepted) gives it up, too.
  class Accepting {
   public:
    explicit Accepting(bool& flag) : flag_(&flag) { flag = true; }
    Accepting(Accepting&& other) noexcept : flag_(std::exchange(other.flag_, nullptr)) {}
    Accepting& operator=(Accepting&&) = delete;
    ~Accepting() { End(); }
    void End() {
      if (flag_ != nullptr) *std::exchange(flag_, nullptr) = false;
    }

   private:
    bool* flag_;
  };

  void Accept() {
    if (!MakeRoom()) return AcceptLater();
    acceptor_.async_accept(
        [this, accepting = Accepting(accepting_)](Status status, tcp::socket socket) mutable {
          accepting.End();
          if (status == asio::error::operation_aborted || !acceptor_.is_open()) return;
          if (status) return AcceptLater();  // no more descriptors: some are free soon
          const auto session = std::make_shared<HttpSession>(std::move(socket), work_);
          sessions_.push_back(session);
          session->Start();
          Accept();
        });
  }

  void AcceptLater() {
    later_.expires_after(kUntilNextLook);
    later_.async_wait([this, accepting = Accepting(accepting_)](Status) mutable {
      accepting.End();
      if (acceptor_.is_open()) Accept();
    });
  }

  HttpOptions options_;
  Guard guard_;
  HttpSession::Work work_;
  WorkerThreads threads_{kMostConnections};
  bool accepting_ = false;  // or about to
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> until_stopped_ = asio::make_work_guard(io_);
  tcp::acceptor acceptor_{io_};
  asio::steady_timer later_{io_};
  std::vector<std::weak_ptr<HttpSession>> sessions_;
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
