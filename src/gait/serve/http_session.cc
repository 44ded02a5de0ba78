#include "gait/serve/http_session.h"

#include <poll.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <future>
#include <limits>

namespace gait::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr uint32_t kMostHead = 65'536;
constexpr std::ptrdiff_t kMostLines = 128;
constexpr size_t kFirstRead = 4096;
constexpr std::chrono::milliseconds kBetweenGlances{100};  // whether a client is there that sent all it may
constexpr std::chrono::seconds kForARequest{10};
constexpr std::chrono::seconds kForItsHead{10};   // however slowly it comes
constexpr std::chrono::seconds kForAByte{20};     // that the reader takes
constexpr std::chrono::seconds kForAnAnswer{60};  // and as long as it takes at
constexpr size_t kBytesPerSecond = 256 << 10;

}  // namespace

HttpSession::HttpSession(asio::ip::tcp::socket socket, const Work& work)
    : work_(work),
      buffer_(kMostHead + kFirstRead),
      stream_(std::move(socket)),
      look_(stream_.get_executor()) {
  Status ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);  // 26 ms → 65 µs a request
}

void HttpSession::Close() {
  gone_.request_stop();
  Status ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_both, ignored);
  stream_.socket().close(ignored);
}

void HttpSession::AwaitRequest() {
  waiting_since_ = std::chrono::steady_clock::now();
  answer_ = {};
  look_.cancel();
  if (reads_ahead_) {
    stream_.socket().cancel();
    return asio::post(stream_.get_executor(), [self = shared_from_this()] { self->AwaitRequest(); });
  }
  if (buffer_.size() > 0) return ReadHead();  // it was sent before the last one was answered
  if (at_end_) return;
  stream_.expires_after(kForARequest);
  stream_.async_read_some(buffer_.prepare(kFirstRead),
                          [self = shared_from_this()](Status status, size_t size) {
                            if (status) return;
                            self->buffer_.commit(size);
                            self->ReadHead();
                          });
}

void HttpSession::ReadHead() {
  parser_.emplace();
  parser_->header_limit(kMostHead);
  parser_->body_limit(std::numeric_limits<uint64_t>::max());  // none is read, whatever its size
  stream_.expires_after(at_end_ ? std::chrono::seconds(0) : kForItsHead);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](Status status, size_t) { self->TakeHead(status); });
}

void HttpSession::TakeHead(Status status) {
  waiting_since_.reset();
  if (status == http::error::header_limit || status == http::error::buffer_overflow ||
      (!status && std::distance(parser_->get().begin(), parser_->get().end()) > kMostLines)) {
    return Send(Refuse(431, "the request is too large."));
  }
  if (status && status.category() == http::make_error_code(http::error::bad_method).category()) {
    if (status == http::error::end_of_stream || status == http::error::partial_message) return Close();
    return Send(Refuse(400, "the request is not understood."));
  }
  if (status) return Close();
  MakeAnswer();
}

void HttpSession::MakeAnswer() {
  gone_ = std::stop_source();
  ReadAhead();
  work_.run([self = shared_from_this(), gone = gone_.get_token()]() mutable {
    HttpAnswer answer = self->work_.answer(self->parser_->get(), gone);
    const auto executor = self->stream_.get_executor();
    asio::post(executor, [self = std::move(self), answer = std::move(answer)]() mutable {
      // What follows a head that announces a body is not the next request.
      if (!self->parser_->is_done()) answer.message.keep_alive(false);
      self->Send(std::move(answer));
    });
  });
}

void HttpSession::ReadAhead() {
  if (at_end_) {
    gone_.request_stop();
    return;
  }
  const size_t space = std::min(kFirstRead, buffer_.max_size() - buffer_.size());
  if (space == 0) return WatchForItsEnd();
  reads_ahead_ = true;
  stream_.socket().async_read_some(
      buffer_.prepare(space), [weak = weak_from_this(), gone = gone_](Status status, size_t size) mutable {
        const auto self = weak.lock();
        if (self == nullptr) return;
        self->reads_ahead_ = false;
        self->buffer_.commit(size);
        self->at_end_ = status && status != asio::error::operation_aborted;
        if (self->waiting_since_) return;  // AwaitRequest has ended it
        if (!status) return self->ReadAhead();
        gone.request_stop();
      });
}

void HttpSession::WatchForItsEnd() {
  look_.expires_after(kBetweenGlances);
  look_.async_wait([weak = weak_from_this(), gone = gone_](Status status) mutable {
    const auto self = weak.lock();
    if (status || self == nullptr || self->gone_ != gone) return;
    pollfd connection = {self->stream_.socket().native_handle(), POLLRDHUP, 0};
    if (::poll(&connection, 1, 0) > 0) {
      gone.request_stop();
    } else {
      self->WatchForItsEnd();
    }
  });
}

void HttpSession::Send(HttpAnswer answer) {
  answer_ = std::move(answer);
  serializer_.emplace(answer_.message);
  const size_t size = answer_.body ? answer_.body->size() : 0;
  sent_by_ = std::chrono::steady_clock::now() + kForAnAnswer + std::chrono::seconds(size / kBytesPerSecond);
  SendFurther();
}

void HttpSession::SendFurther() {
  stream_.expires_at(std::min(sent_by_, std::chrono::steady_clock::now() + kForAByte));
  const auto sent = [self = shared_from_this()](Status status, size_t) {
    const bool head = self->answer_.stream && self->serializer_->is_header_done();
    if (status) return self->Close();
    if (head) return self->work_.run([self] { self->SendPieces(); });
    if (!self->serializer_->is_done()) return self->SendFurther();
    if (!self->answer_.message.keep_alive()) return self->Close();
    self->AwaitRequest();
  };
  if (answer_.stream) {
    http::async_write_header(stream_, *serializer_, sent);
  } else {
    http::async_write_some(stream_, *serializer_, sent);
  }
}

void HttpSession::SendPieces() {
  bool listens = true;
  answer_.stream([&](std::string_view piece) { return listens = listens && SendPiece(piece); });
  listens = listens && SendPiece({});
  asio::post(stream_.get_executor(), [self = shared_from_this(), listens] {
    if (!listens || !self->answer_.message.keep_alive()) return self->Close();
    self->AwaitRequest();
  });
}

bool HttpSession::SendPiece(std::string_view piece) {
  std::promise<bool> promise;
  std::future<bool> taken = promise.get_future();
  asio::dispatch(stream_.get_executor(), [&, promise = std::move(promise)]() mutable {
    stream_.expires_after(kForAByte);
    auto sent = [promise = std::move(promise)](Status status, size_t) mutable { promise.set_value(!status); };
    if (piece.empty()) {
      asio::async_write(stream_, http::make_chunk_last(), std::move(sent));
    } else {
      asio::async_write(stream_, http::make_chunk(asio::buffer(piece.data(), piece.size())), std::move(sent));
    }
  });
  try {
    return taken.get();
  } catch (const std::future_error&) {
    return false;  // nothing was begun
  }
}

}  // namespace gait::serve
