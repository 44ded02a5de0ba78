// For tests of rules about several devices: a run of them, with collectives.
#pragma once

#include <string>
#include <vector>

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {

struct Devices {
  int64_t late = 0;        // how many microseconds the second device begins its collectives later
  int64_t compute = 600;   // of the second device; the first has 600
  int64_t exchange = 100;  // of the collective once both are there
  bool extra = false;      // the second device executes one more operation
  bool trifle = false;     // that operation takes 1 us
  bool turns = false;      // in every other step the first device is the late one
  std::string model = "NVIDIA H200";
  int64_t bytes = 64 << 20;  // of the message
  PlaneKind kind = PlaneKind::kGpu;

  TestCapture Make() const {
    ProgramMaker maker("jit_f");
    const InstructionIndex x = maker.Add("x", "parameter");
    const ShapeId shape = maker.ShapeOf(ElementType::kF32);
    const_cast<Program&>(maker.program()).shapes[shape.value].dimensions = {bytes / 4};
    maker.at(x).shape = shape;
    const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
    const InstructionIndex more = maker.Add("sine.2", "sine", "jit(f)/sin");
    const InstructionIndex reduce = maker.Add("all-reduce.1", "all-reduce", "jit(f)/psum");
    maker.at(reduce).shape = shape;
    maker.at(reduce).operands = {x};
    maker.at(reduce).replica_groups = 0;
    Program program = maker.Finish();
    program.replica_groups.push_back({{{0, 1}}, 2});
    TestCapture capture;
    capture.model = model;
    capture.kind = kind;
    capture.devices = 2;
    capture.programs.push_back(std::move(program));
    const int64_t step = (std::max<int64_t>(600, compute + late) + exchange + 10) * kMicro;
    for (int64_t s = 0; s < 7; ++s) {  // six count
      const int64_t t = s * step;
      capture.calls.push_back({t, t + step / 2, "train", -1, s});
      capture.calls.push_back({t + 1, t + 2, "cuLaunchKernel", s});
      const int64_t together = t + 3 + std::max<int64_t>(600, compute + late) * kMicro;
      for (size_t d = 0; d < 2; ++d) {
        const size_t last = turns && s % 2 == 0 ? 0 : 1;
        const int64_t begin = t + 3 + (d == last ? late * kMicro : 0);
        const int64_t end = begin + (d == 1 ? compute : 600) * kMicro;
        const int64_t rest = trifle ? kMicro : (end - begin) / 2;
        const int64_t middle = d == 1 && extra ? end - rest : end;
        capture.events.push_back({begin, middle, "kernel", 0, sine, s, AttributionKind::kByName, d});
        if (middle != end) {
          capture.events.push_back({middle, end, "kernel", 0, more, s, AttributionKind::kByName, d});
        }
        capture.events.push_back({end, together + exchange * kMicro, "ncclDevKernel_AllReduce", 0, reduce, s,
                                  AttributionKind::kByName, d});
      }
    }
    return capture;
  }
};

inline std::vector<Finding> Found(const Devices& devices, const std::string& rule) {
  const TestView view(devices.Make());
  return FindingsOf(view.view, rule);
}

}  // namespace gait::analyze
