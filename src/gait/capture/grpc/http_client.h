// HttpClient: questions to one HTTP server, each over a connection of its own. The time of a question and the
// size of its answer are limited. The time limit begins after the look-up of the server's name
// (Recording::Expire ends the look-up too). Redirections are not followed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/verb.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "gait/capture/remote/address.h"
#include "gait/capture/remote/token.h"

namespace gait::capture::remote {

struct HttpReply {
  int status = 0;
  bool local = false;  // who answers is on this machine
  std::string server;  // the header
  std::string body;
};

struct HttpBreak {
  enum class Why { kOther, kTime, kSize };
  bool sent = false;  // the question was
  std::string text;
  Why why = Why::kOther;
};

struct HttpBounds {
  std::chrono::milliseconds time;
  uint64_t bytes;
};

class HttpClient {
 public:
  // The token goes with each question to a server that may see it.
  HttpClient(const Address& address, std::optional<Token> token)
      : address_(address), token_(std::move(token)) {}

  // To be called by one thread at a time.
  std::expected<HttpReply, HttpBreak> Ask(boost::beast::http::verb verb, const std::string& path,
                                          const std::string& json, const HttpBounds& bounds);

  // From any thread: breaks the question that is under way, and all further questions.
  void Cancel();
  bool cancelled() const { return cancelled_; }

 private:
  using Status = boost::system::error_code;
  // Runs one operation to its end. The operation gets the handler to call then.
  template <typename Operation>
  Status Await(const Operation& operation);

  const Address address_;
  const std::optional<Token> token_;
  boost::asio::io_context io_{1};
  boost::beast::tcp_stream stream_{io_};
  std::atomic<bool> cancelled_ = false;
};

}  // namespace gait::capture::remote
