#include "gait/serve/message.h"

#include <fmt/format.h>

#include "gait/report/json.h"

namespace gait::serve {

Reply JsonReply(std::string body) {
  Reply reply;
  reply.body = std::make_shared<const std::string>(std::move(body));
  return reply;
}

std::string ErrorJson(const Error& error) {
  return fmt::format("{{\"what\":{},\"hint\":{}}}", report::JsonString(error.what),
                     report::JsonString(error.hint));
}

Reply ErrorReply(int status, const Error& error) {
  Reply reply = JsonReply(fmt::format("{{\"error\":{}}}\n", ErrorJson(error)));
  reply.status = status;
  return reply;
}

Reply ErrorReply(const Error& error) {
  constexpr int kBadRequest = 400;
  constexpr int kUnprocessable = 422;
  return ErrorReply(error.kind == ErrorKind::kUsage ? kBadRequest : kUnprocessable, error);
}

Reply GoneReply() {
  constexpr int kClientGone = 499;
  return ErrorReply(kClientGone, {ErrorKind::kUnreadable, "nobody waits for this answer any more.", ""});
}

}  // namespace gait::serve
