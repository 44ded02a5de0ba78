// For tests of rules about operations: programs made by hand, and what a rule finds in a capture of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {

// Four runs of a program, one step each, its operations one after the other for `times` microseconds.
inline TestCapture Steps(Program program, const std::vector<std::pair<InstructionIndex, int64_t>>& times) {
  TestCapture capture;
  capture.programs.push_back(std::move(program));
  int64_t t = 0;
  for (int64_t step = 0; step < 4; ++step) {
    capture.calls.push_back({t, t + 10, "train", -1, step});
    capture.calls.push_back({t + 1, t + 2, "cuLaunchKernel", step});
    t += 10;
    for (const auto& [instruction, duration] : times) {
      capture.events.push_back({t, t + duration * kMicro, "kernel", 0, instruction, step});
      t += duration * kMicro;
    }
  }
  return capture;
}

inline ShapeId ShapeIn(ProgramMaker& maker, InstructionIndex at, ElementType type,
                       std::vector<int64_t> dimensions) {
  const ShapeId id = maker.ShapeOf(type);
  const_cast<Program&>(maker.program()).shapes[id.value].dimensions = std::move(dimensions);
  maker.at(at).shape = id;
  return id;
}

inline std::vector<Finding> Found(TestCapture capture, const std::string& rule) {
  const TestView view(std::move(capture));
  return FindingsOf(view.view, rule);
}

inline TestCapture Product(ElementType type, std::vector<int64_t> left, double flops) {
  ProgramMaker maker("jit_f");
  const InstructionIndex x = maker.Add("x", "parameter");
  ShapeIn(maker, x, type, std::move(left));
  const InstructionIndex y = maker.Add("y", "parameter");
  ShapeIn(maker, y, type, {1024, 1024});
  const InstructionIndex dot = maker.Add("dot.1", "dot", "jit(f)/dot_general");
  ShapeIn(maker, dot, type, {1024, 1024});
  maker.at(dot).operands = {x, y};
  maker.SetCost(dot, flops, 1e6);
  return Steps(maker.Finish(), {{dot, 100}});
}

}  // namespace gait::analyze
