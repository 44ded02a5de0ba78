// HttpSession: one connection of a client, from its first request to its last. Requests are answered in
// order; a request that comes before the last answer is sent waits in the buffer.
//
// A session lives as long as somebody has its turn: an operation on the connection, or the job that makes the
// answer. Whatever ends that, also an allocation that fails, ends the session, and the session closes the
// socket. Everything happens on the thread of the io_context, except for the making of answers, which
// `Work::run` moves to another thread. Each wait has a time limit: for a request, for its whole head, for the
// reader to take a byte. While an answer is made, the session reads on: when the client closes the connection
// (or its half of it), the making is stopped.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "gait/serve/http_answer.h"

namespace gait::serve {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  // The functions that the server provides for its sessions.
  struct Work {
    std::function<HttpAnswer(const HttpRequest&, const std::stop_token& gone)> answer;
    std::function<void(std::function<void()>)> run;  // on another thread
  };

  HttpSession(boost::asio::ip::tcp::socket socket, const Work& work);

  void Start() { AwaitRequest(); }
  // The time since which the session has waited for a request; nullopt while it answers one.
  std::optional<std::chrono::steady_clock::time_point> waiting_since() const { return waiting_since_; }
  std::chrono::steady_clock::time_point sent_by_;  // the whole answer
  void Close();

 private:
  using Status = boost::beast::error_code;

  void AwaitRequest();
  void ReadHead();
  void TakeHead(Status status);
  void MakeAnswer();
  // Reads what comes while an answer is made and sent, as far as the buffer goes: further requests, or the
  // end.
  void ReadAhead();
  // For the end alone, where the buffer is full of further requests.
  void WatchForItsEnd();
  void Send(HttpAnswer answer);
  void SendFurther();
  // Sends an answer that comes in pieces, on the thread that makes the pieces.
  void SendPieces();
  bool SendPiece(std::string_view piece);

  const Work& work_;
  boost::beast::flat_buffer buffer_;  // outlives what reads into it
  boost::beast::tcp_stream stream_;
  boost::asio::steady_timer look_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  bool reads_ahead_ = false;
  bool at_end_ = false;    // the client sends no more; asio would wait for the end a second time
  std::stop_source gone_;  // of the request that is being answered
  HttpAnswer answer_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::span_body<const char>>>
      serializer_;
  std::optional<std::chrono::steady_clock::time_point> waiting_since_;
};

}  // namespace gait::serve
