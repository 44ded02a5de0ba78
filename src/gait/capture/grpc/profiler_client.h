// ProfilerClient: JAX's profiler server of one program (tensorflow.ProfilerService).
#pragma once

#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "client.h"

namespace gait::capture::remote {

class ProfilerClient : public Client {
 public:
  explicit ProfilerClient(const Address& address);

  // Asks the server to end a session that does not exist: no error for the server.
  std::optional<Failure> Check(std::chrono::milliseconds at_most) override;
  std::optional<Failure> Record(const Task& task, const Use& use) override;
  void Stop(const Task& task) override;
  void GiveUp() override;

 private:
  grpc::Status Call(grpc::ClientContext& context, const char* method, const std::string& request,
                    std::chrono::milliseconds at_most, grpc::ByteBuffer& reply);

  grpc::GenericStub stub_;
  grpc::ClientContext profile_;
};

}  // namespace gait::capture::remote
