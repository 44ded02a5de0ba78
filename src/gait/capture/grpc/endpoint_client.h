// EndpointClient: gait.serve(port) of one program.
#pragma once

#include <httplib.h>

#include <atomic>
#include <string>

#include "client.h"

namespace gait::capture::remote {

class EndpointClient : public Client {
 public:
  explicit EndpointClient(const Address& address);

  std::optional<Failure> Check(std::chrono::milliseconds at_most) override;
  std::optional<Failure> Record(const Task& task, const Use& use) override;
  void Stop(const Task& task) override;
  void GiveUp() override;

 private:
  Failure Broken(httplib::Error error) const;

  const Address address_;
  const httplib::Headers headers_;  // with the token
  httplib::Client http_;
  bool marks_steps_ = false;
  std::atomic<bool> given_up_ = false;
};

}  // namespace gait::capture::remote
