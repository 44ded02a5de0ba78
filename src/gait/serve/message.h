// Requests and replies as the routes see them, independent of the HTTP library.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/result.h"

namespace gait::serve {

struct Request {
  std::string path;                                      // decoded: "/api/runs/6f2a90c41b7e/ops"
  std::multimap<std::string, std::string> parameters{};  // decoded
  std::string accept_encoding{};
  std::string if_none_match{};
  std::stop_token gone{};  // stopped when its client has gone: nobody reads the answer
};

enum class Caching : uint8_t {
  kNone,        // no-store
  kRevalidate,  // no-cache: ask again with the ETag
  kImmutable,   // the address names this very content
};

enum class Encoding : uint8_t { kNone, kGzip, kZstd };

// Writes a further piece of an answer that comes over time. False: the reader has gone; stop.
using WritePiece = std::function<bool(std::string_view)>;

struct Reply {
  int status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
  Encoding encoding = Encoding::kNone;  // that the body has already
  std::string etag{};                   // without quotes; empty: none
  Caching caching = Caching::kNone;
  int retry_after_s = 0;
  std::string location{};    // of a redirection
  std::string set_cookie{};  // "" : none
  std::string policy{};      // what the page may load and run; empty: as every answer has it
  // Instead of a body: writes the body piece by piece and returns at its end.
  std::function<void(const WritePiece&)> stream{};
};

inline constexpr int kSeeOther = 303;
inline constexpr int kNotFound = 404;

Reply JsonReply(std::string body);
// {"error": {"what", "hint"}}, and "see" where the hint leads further
Reply ErrorReply(int status, const Error& error);
// Status 400 for a usage error, 422 for a run that cannot be read.
Reply ErrorReply(const Error& error);
// The error as JSON.
std::string ErrorJson(const Error& error);
// The reply instead of an answer that nobody waits for any more. No cache keeps it.
Reply GoneReply();

}  // namespace gait::serve
