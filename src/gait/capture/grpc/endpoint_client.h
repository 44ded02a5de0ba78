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
  // Asks again where the program has too many connections at the time.
  std::expected<HttpReply, HttpBreak> Ask(boost::beast::http::verb verb, const std::string& path,
                                          const std::string& json, const HttpBounds& bounds);

  const Address address_;
  const std::optional<Token> token_;
  HttpClient http_;
  bool marks_steps_ = false;
};

}  // namespace gait::capture::remote
