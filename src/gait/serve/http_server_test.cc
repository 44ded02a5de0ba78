#include "gait/serve/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace gait::serve {
namespace {

int ConnectTo(int port) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return client;
}

constexpr std::string_view kHead = "GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n";

void Send(int client, std::string_view text) {
  EXPECT_EQ(::send(client, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

// Whether the first of the requests hears that its client goes while it is answered.
bool HeardThatItsClientWent(int requests) {
  std::promise<void> asked;
  std::promise<bool> heard;
  HttpServer server({.token = ""}, [&, first = true](const Request& request) mutable {
    if (!std::exchange(first, false)) return GoneReply();
    asked.set_value();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, request.gone, std::chrono::seconds(5), [] { return false; });
    heard.set_value(request.gone.stop_requested());
    return GoneReply();
  });
  EXPECT_TRUE(server.Bind());
  std::jthread serving([&] { server.Serve(); });
  const int client = ConnectTo(server.port());
  for (int i = 0; i < requests; ++i) Send(client, kHead);
  asked.get_future().wait();
  ::close(client);
  const bool went = heard.get_future().get();
  server.Stop();
  return went;
}

TEST(HttpServer, TellsWorkThatItsClientHasGone) { EXPECT_TRUE(HeardThatItsClientWent(1)); }

TEST(HttpServer, TellsItThoughTheNextRequestsWereSent) {
  EXPECT_TRUE(HeardThatItsClientWent(2));
  EXPECT_TRUE(HeardThatItsClientWent(200));   // more than one read takes
  EXPECT_TRUE(HeardThatItsClientWent(2000));  // more than is read ahead
}

TEST(HttpServer, LetsGoOfAClientThatEndedItsSide) {
  HttpServer server({.token = ""}, [&](const Request&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the end is seen while it is answered
    return JsonReply("{}");
  });
  ASSERT_TRUE(server.Bind());
  std::jthread serving([&] { server.Serve(); });
  const auto begin = std::chrono::steady_clock::now();
  const int client = ConnectTo(server.port());
  Send(client, kHead);
  ::shutdown(client, SHUT_WR);
  char part[4096];
  while (::recv(client, part, sizeof part, 0) > 0) {
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));  // and not after a time limit
  ::close(client);
  server.Stop();
}

TEST(HttpServer, AnswersOneWhoStays) {
  HttpServer server({.token = ""}, [&](const Request& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return request.gone.stop_requested() ? GoneReply() : JsonReply("{}");
  });
  ASSERT_TRUE(server.Bind());
  std::jthread serving([&] { server.Serve(); });
  const int client = ConnectTo(server.port());
  Send(client, std::string(kHead).append(kHead));  // the second waits in the buffer, and is no sign of an end
  std::string answers;
  char part[4096];
  while (answers.find("{}", answers.find("{}") + 1) == std::string::npos) {
    const ssize_t size = ::recv(client, part, sizeof part, 0);
    ASSERT_GT(size, 0);
    answers.append(part, static_cast<size_t>(size));
  }
  EXPECT_EQ(answers.find("499"), std::string::npos);
  ::close(client);
  server.Stop();
}

}  // namespace
}  // namespace gait::serve
