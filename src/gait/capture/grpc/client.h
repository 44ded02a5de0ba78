// Client: one program that can be asked for a capture of itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "gait/capture/remote/task.h"
#include "reach.h"

namespace gait::capture::remote {

class Client {
 public:
  virtual ~Client() = default;

  // Whether the program is one that this client can speak to; nullopt: it is.
  virtual std::optional<Failure> Check(std::chrono::milliseconds at_most) = 0;

  // Records as the task says, waits, and hands the capture to `use`. To be called once.
  using Use = std::function<void(std::string_view capture)>;
  virtual std::optional<Failure> Record(const Task& task, const Use& use) = 0;

  // From another thread: ends the recording early; the capture still comes.
  virtual void Stop(const Task& task) = 0;
  // From another thread: makes Record fail soon.
  virtual void GiveUp() = 0;
};

// A client that the program at this address understands: for JAX's profiler server, or for gait.serve.
std::expected<std::shared_ptr<Client>, Failure> Connect(const Address& address,
                                                        std::chrono::milliseconds at_most);

}  // namespace gait::capture::remote
