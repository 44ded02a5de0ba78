// What a client sends, through a connection of the server: the parser of heads, the target, the guard. The
// first byte says whether there is a token. Every request has an answer that is one, and only who names the
// token, or this machine, gets in.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "gait/serve/http_session.h"
#include "gait/serve/target.h"
#include "promise.h"

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using gait::fuzz::Promise;

constexpr const char* kToken = "sesame";
constexpr size_t kLongest = 128 << 10;  // of what is sent: as much as a socket takes at once

struct Exchange {
  explicit Exchange(bool with_token) : guard(with_token ? kToken : "") {}

  // Sends all, and reads all that comes until the server closes.
  void Run(std::string_view sent) {
    std::array<int, 2> ends{};
    Promise(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "there are sockets");
    const int client = ends[0];
    Promise(::send(client, sent.data(), sent.size(), MSG_DONTWAIT) == static_cast<ssize_t>(sent.size()),
            "a socket takes it all");
    ::shutdown(client, SHUT_WR);
    asio::ip::tcp::socket socket(io);
    socket.assign(asio::ip::tcp::v4(), ends[1]);
    std::make_shared<gait::serve::HttpSession>(std::move(socket), work)->Start();
    while (io.run_one() > 0) Receive(client);
    Receive(client);
    ::close(client);
  }

  void Receive(int client) {
    std::array<char, 16384> part;
    for (;;) {
      const ssize_t size = ::recv(client, part.data(), part.size(), MSG_DONTWAIT);
      if (size <= 0) return;
      received.append(part.data(), static_cast<size_t>(size));
    }
  }

  gait::serve::HttpAnswer Answer(const gait::serve::HttpRequest& request, const std::stop_token& gone) {
    heads.push_back(request.method() == http::verb::head);
    return gait::serve::Answer(
        request, guard,
        [this](const gait::serve::Request& asked) {
          got_in = true;
          return gait::serve::JsonReply("{\"path\":" + std::to_string(asked.path.size()) + "}");
        },
        gone);
  }

  asio::io_context io{1};
  gait::serve::Guard guard;
  gait::serve::HttpSession::Work work{[this](const gait::serve::HttpRequest& request,
                                             const std::stop_token& gone) { return Answer(request, gone); },
                                      [this](std::function<void()> job) { asio::post(io, std::move(job)); }};
  std::string received;
  std::deque<bool> heads;  // of the requests that were understood, whether each asks for the head only
  bool got_in = false;
};

// One answer after the other, each whole; those to requests first, then one to what was none.
void CheckAnswers(std::string_view received, std::deque<bool> heads) {
  while (!received.empty()) {
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    const bool only_head = !heads.empty() && heads.front();
    parser.skip(only_head);
    if (!heads.empty()) heads.pop_front();
    boost::system::error_code status;
    const size_t size = parser.put(asio::buffer(received.data(), received.size()), status);
    Promise(!status && parser.is_done(), "an answer is whole");
    const unsigned code = parser.get().result_int();
    Promise(code >= 200 && code <= 599, "an answer has a status");
    Promise(parser.get().count("Content-Security-Policy") == 1, "an answer has its policy");
    Promise(parser.get().count("Set-Cookie") == (code == 303), "only a redirection makes a cookie");
    received.remove_prefix(size);
  }
  Promise(heads.empty(), "each request has its answer");
}

// Also where it is written with percent signs.
bool Names(std::string_view sent, std::string_view what) {
  std::string plain(sent);
  std::ranges::replace(plain, '?', '&');  // the whole is taken for a path
  std::string decoded = gait::serve::ParseTarget(plain).path;
  std::ranges::transform(decoded, decoded.begin(), [](unsigned char c) { return std::tolower(c); });
  return decoded.contains(what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2 || size > kLongest) return 0;
  const bool with_token = data[0] % 2 != 0;
  const std::string_view sent(reinterpret_cast<const char*>(data) + 1, size - 1);
  Exchange exchange(with_token);
  exchange.Run(sent);
  CheckAnswers(exchange.received, exchange.heads);
  if (!exchange.got_in) return 0;
  if (with_token) {
    Promise(Names(sent, kToken), "nobody gets in without the token");
  } else {
    Promise(Names(sent, "localhost") || Names(sent, "127.") || Names(sent, "[::1]"), "the host is this one");
  }
  return 0;
}
