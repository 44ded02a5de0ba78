#include "endpoint_client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "gait/capture/remote/endpoint_messages.h"

namespace gait::capture::remote {
namespace {

// Of the environment, or what the program left for others of the same user.
std::string Token(int port) {
  if (const char* token = std::getenv("GAIT_TOKEN"); token != nullptr) return token;
  for (const std::string& path : TokenFiles(port)) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0 || file.st_uid != ::getuid()) continue;
    std::ifstream content(path);
    std::string token;
    if (std::getline(content, token)) return token;
  }
  return "";
}

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kConflict = 409;

}  // namespace

EndpointClient::EndpointClient(const Address& address)
    : address_(address),
      headers_({{"Authorization", "Bearer " + Token(address.port)}}),
      http_(address.host, address.port) {}

std::optional<Failure> EndpointClient::Check(std::chrono::milliseconds at_most) {
  http_.set_connection_timeout(at_most);
  http_.set_read_timeout(at_most);
  const httplib::Result reply = http_.Get(kStatusPath, headers_);
  if (!reply) return Failure{Trouble::kNoProfiler, httplib::to_string(reply.error())};
  // Of gait, or of something else that speaks HTTP: gait's has sentences for its errors.
  if (reply->status == kForbidden && reply->get_header_value("Server").starts_with("gait")) {
    return Failure{Trouble::kNoToken};
  }
  const auto status = StatusOfReply(reply->body);
  if (reply->status != kOk || !status) return Failure{Trouble::kNoProfiler, "it speaks HTTP"};
  marks_steps_ = status->marks_steps;
  return std::nullopt;
}

std::optional<Failure> EndpointClient::Record(const Task& task, const Use& use) {
  http_.set_read_timeout(std::chrono::milliseconds(task.duration_ms + task.timeout_ms));
  const std::string request = CaptureRequest(task, task.steps > 0 && marks_steps_);
  const httplib::Result reply = http_.Post(kCapturePath, headers_, request, "application/json");
  if (!reply) return Broken(reply.error());
  const auto file = FileOfReply(reply->body);
  if (!file) {
    const bool declined = reply->status == kBadRequest || reply->status == kConflict;
    return Failure{declined ? Trouble::kDeclined : Trouble::kNotRecorded, file.error().what};
  }
  const httplib::Result capture = http_.Get(*file, headers_);
  if (!capture) return Broken(capture.error());
  if (capture->status != kOk) return Failure{Trouble::kLost, "its file is gone"};
  if (capture->body.empty()) return Failure{Trouble::kEmpty};
  use(capture->body);
  return std::nullopt;
}

void EndpointClient::Stop(const Task&) {
  httplib::Client other(address_.host, address_.port);  // the first one waits for its answer
  other.set_read_timeout(std::chrono::seconds(2));
  other.Post(kStopPath, headers_, "", "application/json");
}

void EndpointClient::GiveUp() {
  given_up_ = true;
  http_.stop();
}

Failure EndpointClient::Broken(httplib::Error error) const {
  if (given_up_) return {Trouble::kGivenUp};
  return {error == httplib::Error::Read ? Trouble::kLost : Trouble::kNotRecorded, httplib::to_string(error)};
}

}  // namespace gait::capture::remote
