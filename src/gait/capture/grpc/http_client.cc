#include "http_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <vector>

namespace gait::capture::remote {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr unsigned kHttp11 = 11;
constexpr uint32_t kMostHead = 65'536;

std::string HostHeader(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

// 127.0.0.1 first: that is where gait.serve listens, and nobody else can at the same port.
std::vector<tcp::endpoint> InOrder(const tcp::resolver::results_type& found) {
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  std::ranges::stable_partition(endpoints, [](const tcp::endpoint& endpoint) {
    return endpoint.address() == boost::asio::ip::address_v4::loopback();
  });
  return endpoints;
}

HttpBreak Broken(bool sent, const boost::system::error_code& status) {
  using enum HttpBreak::Why;
  const auto why = status == boost::beast::error::timeout ? kTime
                   : status == http::error::body_limit    ? kSize
                                                          : kOther;
  return {sent, status.message(), why};
}

}  // namespace

template <typename Operation>
HttpClient::Status HttpClient::Await(const Operation& operation) {
  Status result = boost::asio::error::operation_aborted;
  if (cancelled_) return result;
  operation([&](Status status) { result = status; });
  io_.restart();
  io_.run();
  return result;
}

std::expected<HttpReply, HttpBreak> HttpClient::Ask(http::verb verb, const std::string& path,
                                                    const std::string& json, const HttpBounds& bounds) {
  tcp::resolver resolver(io_);
  tcp::resolver::results_type found;
  Status status = Await([&](auto done) {
    resolver.async_resolve(address_.host, std::to_string(address_.port),
                           [&, done](Status ended, const auto& results) {
                             found = results;
                             done(ended);
                           });
  });
  if (status) return std::unexpected(Broken(false, status));
  const std::vector<tcp::endpoint> endpoints = InOrder(found);
  stream_.expires_after(bounds.time);  // until the last byte of the answer
  status = Await([&](auto done) {
    stream_.async_connect(endpoints, [done](Status ended, const tcp::endpoint&) { done(ended); });
  });
  if (status) return std::unexpected(Broken(false, status));
  const auto peer = stream_.socket().remote_endpoint(status).address();

  http::request<http::string_body> request(verb, path, kHttp11);
  request.set(http::field::host, HostHeader(address_));
  if (token_ && MayBeSentTo(*token_, peer.to_string()))
    request.set(http::field::authorization, "Bearer " + token_->text);
  request.set(http::field::connection, "close");
  if (verb == http::verb::post) {
    request.set(http::field::content_type, "application/json");
    request.body() = json;
    request.prepare_payload();
  }
  status = Await(
      [&](auto done) { http::async_write(stream_, request, [done](Status ended, size_t) { done(ended); }); });
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.header_limit(kMostHead);
  parser.body_limit(bounds.bytes);
  if (!status) {
    status = Await([&](auto done) {
      http::async_read(stream_, buffer, parser, [done](Status ended, size_t) { done(ended); });
    });
  }
  stream_.close();
  if (status) return std::unexpected(Broken(true, status));
  const auto server = parser.get()[http::field::server];
  return HttpReply{static_cast<int>(parser.get().result_int()), peer.is_loopback(),
                   std::string(server.data(), server.size()), std::move(parser.get().body())};
}

void HttpClient::Cancel() {
  cancelled_ = true;
  boost::asio::post(io_, [this] { stream_.close(); });
}

}  // namespace gait::capture::remote
