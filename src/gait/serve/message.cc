#include "gait/serve/message.h"

#include <fmt/format.h>

#include "gait/report/json_writer.h"

namespace gait::serve {

Reply JsonReply(std::string body) {
  Reply reply;
  reply.body = std::make_shared<const std::string>(std::move(body));
  return reply;
}

std::string ErrorJson(const Error& error) {
  report::JsonWriter json;
  json.Object().Field("what", error.what).Field("hint", error.hint);
  if (!error.see.empty()) json.Field("see", error.see);
  return std::move(json.EndObject()).Take();
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
