// HttpAnswer: a reply as HTTP has it, with the headers that every answer has, compressed as the client takes
// it; its body not copied.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>

#include <functional>
#include <memory>
#include <string>

#include "gait/serve/guard.h"
#include "gait/serve/message.h"

namespace gait::serve {

using HttpRequest =
    boost::beast::http::request<boost::beast::http::string_body>;  // the head: no body is read

struct HttpAnswer {
  boost::beast::http::response<boost::beast::http::span_body<const char>> message;
  std::shared_ptr<const std::string> body{};        // that the message shows
  std::function<void(const WritePiece&)> stream{};  // instead of a body: comes in pieces
};

// Lets the guard look at a request, asks the handler for the reply, and says it. Any thread. Throws nothing:
// what the handler throws is an answer too. `gone` is stopped when nobody waits for it any more.
HttpAnswer Answer(const HttpRequest& request, const Guard& guard,
                  const std::function<Reply(const Request&)>& handler, const std::stop_token& gone);

// To what is no request that can be answered: said, and the connection closed.
HttpAnswer Refuse(int status, const char* what);

}  // namespace gait::serve
