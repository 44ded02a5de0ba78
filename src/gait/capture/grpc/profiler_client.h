// ProfilerClient: the profiler server of one program (tensorflow.ProfilerService).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "reach.h"

namespace gait::capture::remote {

// Calls block. Thread-safe, but for one Profile at a time.
class ProfilerClient {
 public:
  explicit ProfilerClient(const Address& address);

  // Whether a profiler server answers. It is asked to end a session that nobody has, which it takes calmly.
  std::optional<Failure> Check(std::chrono::milliseconds at_most);

  // Records and waits for the reply, which is in `reply` unless it fails.
  std::optional<Failure> Profile(const std::string& request, std::chrono::milliseconds at_most,
                                 grpc::Slice& reply);
  // From another thread: ends the recording, and the reply of Profile comes.
  void Terminate(const std::string& session);
  // From another thread: Profile fails soon. What was recorded is lost.
  void GiveUp();

 private:
  grpc::Status Call(grpc::ClientContext& context, const char* method, const std::string& request,
                    std::chrono::milliseconds at_most, grpc::ByteBuffer& reply);

  Address address_;
  grpc::GenericStub stub_;
  grpc::ClientContext profile_;
};

}  // namespace gait::capture::remote
