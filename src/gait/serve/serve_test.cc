#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "gait/serve/compress.h"
#include "gait/serve/guard.h"
#include "gait/serve/http_answer.h"
#include "gait/serve/parameters.h"
#include "gait/serve/reply_cache.h"

namespace gait::serve {
namespace {

TEST(Guard, KnowsThisMachineByName) {
  for (const char* host :
       {"localhost", "localhost:7424", "LOCALHOST:1", "127.0.0.1:80", "127.1.2.3", "[::1]:7424"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "127.evil.example:80", "10.0.0.1", "[::2]:1", "0.0.0.0", "[::1]evil.example",
                           "[::1", "localhost:", "localhost:1x", "localhost:1:2", "localhost@evil.example",
                           "127.", "127.999.1.1", "127.1.1.1.1", "localhost:999999"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

TEST(Guard, WithoutATokenTheHostDecides) {
  const Guard guard("");
  EXPECT_FALSE(guard.Check({"localhost:1", "", "", "same-origin", "/api/runs"}));
  EXPECT_FALSE(guard.Check({"localhost:1", "", "", "cross-site", "/"}));
  EXPECT_EQ(guard.Check({"evil.example:1", "", "", "", "/"})->status, 403);
  EXPECT_EQ(guard.Check({"localhost:1", "", "", "cross-site", "/api/runs"})->status, 403);
}

TEST(Guard, TheTokenDecides) {
  const Guard guard("0123", false);  // on an address that others reach
  EXPECT_EQ(guard.Check({"box:1", "", "", "", "/"})->status, 403);
  EXPECT_EQ(guard.Check({"box:1", "gait_token_1=0124", "", "", "/"})->status, 403);
  EXPECT_EQ(guard.Check({"box:1", "", "012", "", "/"})->status, 403);
  EXPECT_EQ(guard.Check({"localhost:1", "", "", "same-origin", "/assets/x.js"})->status, 403);
  EXPECT_EQ(guard.Check({"box:1", "", "", "", "/api/runs", "Bearer 0124"})->status, 403);
  EXPECT_EQ(guard.Check({"box:1", "", "", "", "/api/runs", "Bearer "})->status, 403);
  EXPECT_FALSE(guard.Check({"box:1", "", "", "", "/api/runs", "Bearer 0123"}));
  EXPECT_FALSE(guard.Check({"box:1", "a=b; gait_token_1=0123", "", "", "/"}));
  EXPECT_FALSE(guard.Check({"box:1", "", "0123", "", "/api/runs"}));
  const std::optional<Reply> first = guard.Check({"box:1", "", "0123", "", "/"});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 303);
  EXPECT_EQ(first->location, "/");
  EXPECT_NE(first->set_cookie.find("HttpOnly; SameSite=Strict"), std::string::npos);
  // A redirection never leaves this server.
  EXPECT_EQ(guard.Check({"box:1", "", "0123", "", "//evil.example"})->location, "/");
}

TEST(Guard, OnLoopbackTheHostIsAskedForBesideTheToken) {
  const Guard guard("0123");
  EXPECT_FALSE(guard.Check({"127.0.0.1:1", "", "", "", "/api/runs", "Bearer 0123"}));
  for (const char* host : {"", "evil.example", "[::1]evil.example", "127.evil.example", "a@127.0.0.1"}) {
    EXPECT_EQ(guard.Check({host, "", "", "", "/api/runs", "Bearer 0123"})->status, 403) << host;
  }
}

TEST(Guard, WhoComesFromElsewhereIsAskedForTheCookieAgain) {
  // SameSite=Strict: with a link of another site the browser leaves it out, with one of this page it does
  // not.
  const Guard guard("0123", false);
  const std::optional<Reply> again = guard.Check({"box:1", "", "", "cross-site", "/"});
  EXPECT_EQ(again->status, 403);
  EXPECT_NE(again->body->find("location.replace("), std::string::npos);
  EXPECT_NE(again->policy.find("script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(guard.Check({"box:1", "", "", "same-origin", "/"})->body->find("<script>"), std::string::npos);
  EXPECT_TRUE(guard.Check({"box:1", "", "", "cross-site", "/api/runs"})->body->starts_with("{\"error\""));
}

TEST(HttpAnswer, ARedirectionIsOneLineAndLeadsHere) {
  const auto location = [](std::string_view target) {
    HttpRequest request(boost::beast::http::verb::get, std::string(target) + "?token=0123", 11);
    request.set(boost::beast::http::field::host, "localhost");
    const HttpAnswer answer = Answer(request, Guard("0123"), {}, {});
    EXPECT_EQ(answer.message.result_int(), 303u);
    return std::string(answer.message["Location"]);
  };
  EXPECT_EQ(location("/runs/a%20b/x"), "/runs/a%20b/x");
  EXPECT_EQ(location("/a%0d%0aSet-Cookie:%20b=c"), "/a%0D%0ASet-Cookie:%20b=c");
  EXPECT_EQ(location("/%5cevil.example"), "/%5Cevil.example") << "a browser takes it for a slash";
}

TEST(Guard, TwoServersOfAMachineHaveTwoCookies) {
  const Guard guard("0123", false);
  EXPECT_TRUE(
      guard.Check({"box:8735", "", "0123", "", "/"})->set_cookie.starts_with("gait_token_8735=0123;"));
  EXPECT_TRUE(guard.Check({"[::2]:1", "", "0123", "", "/"})->set_cookie.starts_with("gait_token_1=0123;"));
  EXPECT_TRUE(guard.Check({"[::2]", "", "0123", "", "/"})->set_cookie.starts_with("gait_token=0123;"));
  EXPECT_TRUE(guard.Check({"box:1;x", "", "0123", "", "/"})->set_cookie.starts_with("gait_token_1=0123;"));
  EXPECT_FALSE(guard.Check({"box:8735", "gait_token_8735=0123; gait_token_8736=4567", "", "", "/"}));
  EXPECT_EQ(guard.Check({"box:8736", "gait_token_8735=0123; gait_token_8736=4567", "", "", "/"})->status,
            403);
}

TEST(Guard, ARefusedPageIsASentence) {
  for (const Guard& guard : {Guard(""), Guard("0123")}) {
    const std::optional<Reply> page = guard.Check({"box:1", "", "", "", "/"});
    EXPECT_TRUE(page->content_type.starts_with("text/html"));
    EXPECT_NE(page->body->find("address that gait view printed."), std::string::npos) << *page->body;
    EXPECT_TRUE(guard.Check({"box:1", "", "", "", "/api/runs"})->body->starts_with("{\"error\""));
  }
}

TEST(Guard, TokensDiffer) {
  EXPECT_EQ(RandomToken().size(), 32U);
  EXPECT_NE(RandomToken(), RandomToken());
}

TEST(Compress, TakesTheBestThatIsAccepted) {
  EXPECT_EQ(ChooseEncoding("gzip, deflate, br, zstd"), Encoding::kZstd);
  EXPECT_EQ(ChooseEncoding("GZIP"), Encoding::kGzip);
  EXPECT_EQ(ChooseEncoding("zstd;q=0, gzip;q=0.5"), Encoding::kGzip);
  EXPECT_EQ(ChooseEncoding("br"), Encoding::kNone);
  EXPECT_EQ(ChooseEncoding(""), Encoding::kNone);
  EXPECT_EQ(ChooseEncoding(",,;,=,gzipx"), Encoding::kNone);
}

TEST(Compress, LeavesShortAndPackedBodiesAlone) {
  Reply reply = JsonReply("{}");
  CompressReply(reply, Encoding::kGzip);
  EXPECT_EQ(reply.encoding, Encoding::kNone);
  for (const Encoding encoding : {Encoding::kGzip, Encoding::kZstd}) {
    Reply large = JsonReply(std::string(100'000, 'x'));
    CompressReply(large, encoding);
    EXPECT_EQ(large.encoding, encoding);
    EXPECT_LT(large.body->size(), 1000U);
  }
}

Request With(std::multimap<std::string, std::string> parameters) {
  return {.path = "/", .parameters = std::move(parameters)};
}

TEST(Parameters, TellWhatIsWrong) {
  const Request request = With({{"top", "5"}, {"level", "-1"}, {"x", "1e999"}, {"v", "y"}});
  const Parameters parameters(request);
  EXPECT_TRUE(parameters.Allow({"top", "level", "x"}));
  EXPECT_EQ(parameters.Allow({"top", "level"}).error().hint, "There are: top, level");
  EXPECT_EQ(parameters.Allow({}).error().hint, "It takes none.");
  EXPECT_EQ(parameters.Integer("top", 0, 10)->value(), 5);
  EXPECT_FALSE(parameters.Integer("top", 0, 4));
  EXPECT_FALSE(parameters.Integer("level", 0, 4));
  EXPECT_FALSE(parameters.Number("x"));
  EXPECT_EQ(*parameters.Integer("none", 0, 1), std::nullopt);
  const Request twice = With({{"top", "5"}, {"top", "6"}});
  EXPECT_FALSE(Parameters(twice).Allow({"top"}));
  for (const char* bad : {"", " 1", "1 ", "0x1", "1.5", "99999999999999999999"}) {
    const Request given = With({{"n", bad}});
    EXPECT_FALSE(Parameters(given).Integer("n", 0, 1000)) << bad;
  }
}

TEST(ReplyCache, MakesEachReplyOnce) {
  ReplyCache cache(1 << 20);
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Reply reply = cache.Get("k", {}, [&](const std::stop_token&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++made;
        return JsonReply("1");
      });
      EXPECT_EQ(*reply.body, "1");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(ReplyCache, TheMakingEndsWhenAllHaveGone) {
  ReplyCache cache(1 << 20);
  std::stop_source first;
  std::stop_source second;
  std::atomic<bool> begun = false;
  const auto until_stopped = [&](const std::stop_token& stop) {
    begun = true;
    while (!stop.stop_requested()) std::this_thread::yield();
    return JsonReply("half");
  };
  std::jthread maker([&] { EXPECT_EQ(cache.Get("k", first.get_token(), until_stopped).status, 499); });
  while (!begun) std::this_thread::yield();
  std::jthread waiter([&] { EXPECT_EQ(cache.Get("k", second.get_token(), until_stopped).status, 499); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that it waits for the first
  first.request_stop();
  second.request_stop();
  maker.join();
  waiter.join();
  // What was given up is not kept.
  EXPECT_EQ(*cache.Get("k", {}, [](const std::stop_token&) { return JsonReply("whole"); }).body, "whole");
}

TEST(ReplyCache, OneWhoGoesLeavesTheMakingToTheOthers) {
  ReplyCache cache(1 << 20);
  std::stop_source first;
  std::atomic<bool> begun = false;
  std::atomic<bool> finish = false;
  const auto make = [&](const std::stop_token& stop) {
    begun = true;
    while (!finish && !stop.stop_requested()) std::this_thread::yield();
    return JsonReply("whole");
  };
  std::jthread maker([&] { cache.Get("k", first.get_token(), make); });
  while (!begun) std::this_thread::yield();
  std::jthread waiter([&] { EXPECT_EQ(*cache.Get("k", {}, make).body, "whole"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that it waits for the first
  first.request_stop();
  finish = true;
}

TEST(ReplyCache, ForgetsErrorsAndTheOldest) {
  ReplyCache cache(1500);
  int made = 0;
  const auto get = [&](const std::string& key, int status) {
    cache.Get(key, {}, [&](const std::stop_token&) {
      ++made;
      Reply reply = JsonReply(std::string(600, 'x'));
      reply.status = status;
      return reply;
    });
  };
  get("bad", 422);
  get("bad", 422);
  EXPECT_EQ(made, 2);
  get("a", 200);
  get("b", 200);
  get("a", 200);
  EXPECT_EQ(made, 4);
  get("c", 200);
  get("d", 200);  // b and a go
  get("a", 200);
  EXPECT_EQ(made, 7);
}

}  // namespace
}  // namespace gait::serve
