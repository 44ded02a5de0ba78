// EndpointClient: gait.serve(port) of one program.
#pragma once

#include <string>

#include "client.h"
#include "http_client.h"

namespace gait::capture::remote {

class EndpointClient : public Client {
 public:
  explicit EndpointClient(const Address& address);

  std::optional<Failure> Check(std::chrono::milliseconds at_most) override;
  std::optional<Failure> Record(const Task& task, const Use& use) override;
  void Stop(const Task& task) override;
  void GiveUp() override;

 private:
  Failure Broken(const HttpBreak& broken) const;

  const Address address_;
  const std::string token_;
  HttpClient http_;
  bool marks_steps_ = false;
};

}  // namespace gait::capture::remote
