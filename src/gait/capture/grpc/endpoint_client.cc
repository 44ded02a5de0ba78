#include "endpoint_client.h"

#include <thread>

#include "gait/capture/remote/endpoint_messages.h"

namespace gait::capture::remote {
namespace {

using boost::beast::http::verb;

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kForbidden = 403;
constexpr int kConflict = 409;
constexpr int kTooManyConnections = 503;

constexpr uint64_t kMostWords = uint64_t{1} << 20;    // of an answer in JSON
constexpr uint64_t kMostCapture = uint64_t{1} << 31;  // what JAX can serialise
constexpr std::chrono::seconds kToStop{2};
constexpr std::chrono::milliseconds kBetween{500};  // before the same is asked again

}  // namespace

EndpointClient::EndpointClient(const Address& address)
    : address_(address), token_(FindToken(address.port)), http_(address, token_) {}

std::expected<HttpReply, HttpBreak> EndpointClient::Ask(verb verb, const std::string& path,
                                                        const std::string& json, const HttpBounds& bounds) {
  const auto until = std::chrono::steady_clock::now() + bounds.time;
  while (true) {
    auto reply = http_.Ask(verb, path, json, bounds);
    const bool again = reply && reply->status == kTooManyConnections && !http_.cancelled();
    if (!again || std::chrono::steady_clock::now() + kBetween > until) return reply;
    std::this_thread::sleep_for(kBetween);
  }
}

std::optional<Failure> EndpointClient::Check(std::chrono::milliseconds at_most) {
  const auto reply = Ask(verb::get, kStatusPath, "", {at_most, kMostWords});
  if (!reply) return Failure{Trouble::kNoProfiler, reply.error().text};
  // Of gait, or of something else that speaks HTTP: gait's has sentences for its errors.
  if (reply->status == kForbidden && reply->server.starts_with("gait"))
    return Failure{reply->local ? Trouble::kNoToken : Trouble::kTokenStays};
  const auto status = StatusOfReply(reply->body);
  if (reply->status != kOk || !status) return Failure{Trouble::kNoProfiler, "it speaks HTTP"};
  marks_steps_ = status->marks_steps;
  return std::nullopt;
}

std::optional<Failure> EndpointClient::Record(const Task& task, const Use& use) {
  const std::chrono::milliseconds at_most(task.duration_ms + task.timeout_ms);
  const std::string request = CaptureRequest(task, task.steps > 0 && marks_steps_);
  const auto reply = Ask(verb::post, kCapturePath, request, {at_most, kMostWords});
  if (!reply) return Broken(reply.error());
  const auto file = FileOfReply(reply->body);
  if (!file) {
    const bool declined = reply->status == kBadRequest || reply->status == kConflict;
    return Failure{declined ? Trouble::kDeclined : Trouble::kNotRecorded, file.error().what};
  }
  const auto capture = Ask(verb::get, *file, "", {at_most, kMostCapture});
  if (!capture) return Broken(capture.error());
  if (capture->status != kOk) return Failure{Trouble::kLost, "its file is gone"};
  if (capture->body.empty()) return Failure{Trouble::kEmpty};
  use(capture->body);
  return std::nullopt;
}

void EndpointClient::Stop(const Task&) {
  HttpClient other(address_, token_);  // the first one waits for its answer
  (void)other.Ask(verb::post, kStopPath, "", {kToStop, kMostWords});
}

void EndpointClient::GiveUp() { http_.Cancel(); }

Failure EndpointClient::Broken(const HttpBreak& broken) const {
  if (http_.cancelled()) return {Trouble::kGivenUp};
  if (broken.why == HttpBreak::Why::kTime) return {Trouble::kDeadline};
  if (broken.why == HttpBreak::Why::kSize) return {Trouble::kTooLarge};
  return {broken.sent ? Trouble::kLost : Trouble::kNotRecorded, broken.text};
}

}  // namespace gait::capture::remote
