#include "profiler_client.h"

#include <future>
#include <limits>

#include "gait/capture/remote/messages.h"

namespace gait::capture::remote {
namespace {

constexpr std::chrono::milliseconds kTerminateWait{2000};

// gRPC puts the cause behind everything that it led to: "...: UNAVAILABLE: ...: Failed parsing HTTP/2".
std::string LastPart(const std::string& message) {
  const size_t colon = message.rfind(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

std::shared_ptr<grpc::Channel> Channel(const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(std::numeric_limits<int>::max());  // what JAX can serialise, not 4 MB
  // A profiler port is reached directly, as its check was.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address.Text(), grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

ProfilerClient::ProfilerClient(const Address& address) : stub_(Channel(address)) {}

grpc::Status ProfilerClient::Call(grpc::ClientContext& context, const char* method,
                                  const std::string& request, std::chrono::milliseconds at_most,
                                  grpc::ByteBuffer& reply) {
  context.set_deadline(std::chrono::system_clock::now() + at_most);
  const grpc::Slice bytes(request);
  const grpc::ByteBuffer message(&bytes, 1);
  std::promise<grpc::Status> done;
  stub_.UnaryCall(&context, method, {}, &message, &reply,
                  [&done](grpc::Status status) { done.set_value(std::move(status)); });
  return done.get_future().get();
}

std::optional<Failure> ProfilerClient::Check(std::chrono::milliseconds at_most) {
  grpc::ClientContext context;
  grpc::ByteBuffer reply;
  const grpc::Status status = Call(context, kTerminateMethod, TerminateRequest("gait-check"), at_most, reply);
  if (status.ok()) return std::nullopt;
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return Failure{Trouble::kNoAnswer, "connections are taken, requests are not"};
  }
  return Failure{Trouble::kNoProfiler, LastPart(status.error_message())};
}

std::optional<Failure> ProfilerClient::Record(const Task& task, const Use& use) {
  const std::string request = ProfileRequest(task.session, task.duration_ms, task.tracers);
  const std::chrono::milliseconds at_most(task.duration_ms + task.timeout_ms);
  grpc::ByteBuffer reply;
  const grpc::Status status = Call(profile_, kProfileMethod, request, at_most, reply);
  if (!status.ok()) {
    return Failure{TroubleOfStatus(status.error_code(), status.error_message()), status.error_message()};
  }
  grpc::Slice bytes;
  if (!reply.DumpToSingleSlice(&bytes).ok()) return Failure{Trouble::kTooLarge};
  reply.Clear();  // one copy of it is enough
  const auto capture = CaptureOfReply({reinterpret_cast<const char*>(bytes.begin()), bytes.size()});
  if (!capture) return Failure{Trouble::kNoProfiler, capture.error().what};
  if (capture->empty()) return Failure{Trouble::kEmpty};
  use(*capture);
  return std::nullopt;
}

void ProfilerClient::Stop(const Task& task) {
  grpc::ClientContext context;
  grpc::ByteBuffer reply;
  Call(context, kTerminateMethod, TerminateRequest(task.session), kTerminateWait, reply);
}

void ProfilerClient::GiveUp() { profile_.TryCancel(); }

}  // namespace gait::capture::remote
