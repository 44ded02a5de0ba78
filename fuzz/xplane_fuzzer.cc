// An XPlane file with one thing wrong, or any bytes as one, through the whole reader: must neither crash nor
// hang, and a trace must hold together.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gait/read/xplane/reader.h"
#include "gait/trace/flows.h"
#include "promise.h"
#include "wire_mutator.h"

namespace {

using gait::fuzz::Promise;

void LookAtAll(const gait::Trace& trace) {
  const gait::FlowIndex flows(trace);
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const gait::Track& track = trace.tracks()[t];
    Promise(track.info().plane.value < trace.planes().size(), "a track has a plane");
    for (uint32_t i = 0; i < track.size(); ++i) {
      const gait::EventRef event{gait::TrackId(t), gait::EventIndex(i)};
      Promise(track.duration(event.index) >= gait::Ps(0), "durations are not negative");
      Promise(i == 0 || track.begin(gait::EventIndex(i - 1)) <= track.begin(event.index),
              "events are in order");
      Promise(track.lane(event.index) < track.lanes(), "lanes are counted");
      Promise(!track.parent(event.index).valid() || track.parent(event.index).value < track.size(),
              "a parent exists");
      trace.ForEachArg(event, [&](gait::StringId key, gait::ArgValue value) {
        Promise(key.value < trace.strings().size(), "an argument has a name");
        Promise(!value.is_string() || value.string().value < trace.strings().size(), "text exists");
      });
      if (i < 100) {
        flows.Incoming(event);
        flows.Outgoing(event);
      }
      const gait::InstructionRef instruction = trace.attribution(track.args(event.index)).instruction;
      if (instruction.valid()) Promise(trace.instruction(instruction) != nullptr, "an instruction exists");
    }
  }
  for (const gait::Loss& loss : trace.losses())
    Promise(loss.count > 0 && !loss.reason.empty(), "a loss has a reason");
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return gait::fuzz::MutateXSpace(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gait::xplane::ReadOptions options;
  options.threads = 1;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto trace = gait::xplane::ReadBytes(gait::Bytes(bytes), "fuzz", options);
  if (trace) {
    LookAtAll(*trace);
  } else {
    Promise(!trace.error().what.empty(), "an error says what");
  }
  return 0;
}
