// HttpAnswer: a reply as HTTP, with the headers of every answer, compressed as the client accepts. The body
// is not copied.
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

// Lets the guard look at a request, asks the handler for the reply, and makes the answer. Any thread may call
// this. Throws nothing: an exception of the handler becomes an answer too. `gone` is stopped when nobody
// waits for the answer any more.
HttpAnswer Answer(const HttpRequest& request, const Guard& guard,
                  const std::function<Reply(const Request&)>& handler, const std::stop_token& gone);

// The answer to bytes that are no valid request. The connection is closed after it.
HttpAnswer Refuse(int status, const char* what);

}  // namespace gait::serve
