// For tests: programs, events and launches made in code, and the view of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/view/run_view.h"
#include "gait/trace/async_operations.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {

// Makes a program instruction by instruction. Computations are ranges: begin one, add to it, begin the next.
class ProgramMaker {
 public:
  explicit ProgramMaker(std::string name, uint64_t id = 1) {
    program_.name = std::move(name);
    program_.id = id;
    Begin("main");
    program_.entry = ComputationIndex(0);
  }

  ComputationIndex Begin(const std::string& name) {
    Computation computation;
    computation.name = program_.strings.Intern(name);
    computation.begin = computation.end = InstructionIndex(program_.instructions.size());
    program_.computations.push_back(computation);
    return ComputationIndex(program_.computations.size() - 1);
  }

  // The last instruction of a computation is its root.
  InstructionIndex Add(const std::string& name, const std::string& opcode, const std::string& op_name = "") {
    Instruction instruction;
    instruction.name = program_.strings.Intern(name);
    instruction.opcode = program_.strings.Intern(opcode);
    instruction.op_name = program_.strings.Intern(op_name);
    instruction.fusion_kind = instruction.comparison_direction = instruction.custom_call_target =
        instruction.backend_config = instruction.source_file = program_.strings.Intern("");
    instruction.shape = ShapeOf(ElementType::kF32);
    instruction.computation = ComputationIndex(program_.computations.size() - 1);
    program_.instructions.push_back(instruction);
    const InstructionIndex index(program_.instructions.size() - 1);
    program_.computations.back().end = InstructionIndex(program_.instructions.size());
    program_.computations.back().root = index;
    return index;
  }

  ShapeId ShapeOf(ElementType type) {
    Shape shape;
    shape.type = type;
    shape.dimensions = {8};
    program_.shapes.push_back(shape);
    return ShapeId(program_.shapes.size() - 1);
  }

  Instruction& at(InstructionIndex index) { return program_.instructions[index.value]; }
  void SetCost(InstructionIndex index, double flops, double bytes) {
    at(index).cost = {flops, bytes, 0.0, StringId()};
  }
  void SetTarget(InstructionIndex index, const std::string& target) {
    at(index).custom_call_target = program_.strings.Intern(target);
  }
  void SetConfig(InstructionIndex index, const std::string& config) {
    at(index).backend_config = program_.strings.Intern(config);
  }
  void SetDirection(InstructionIndex index, const std::string& direction) {
    at(index).comparison_direction = program_.strings.Intern(direction);
  }
  void SetUnknown(InstructionIndex index, const std::string& why) {
    at(index).cost = {std::nullopt, std::nullopt, std::nullopt, program_.strings.Intern(why)};
  }

  const Program& program() const { return program_; }
  Program Finish() {
    program_.BuildIndex();
    return std::move(program_);
  }

 private:
  Program program_;
};

struct TestEvent {
  int64_t begin;
  int64_t end;
  std::string kernel;
  int program = -1;  // index of the program; -1: none
  InstructionIndex instruction{};
  int64_t correlation = -1;  // -1: none
  AttributionKind kind = AttributionKind::kByName;
  size_t device = 0;
  int stream = 0;
  std::vector<std::pair<std::string, std::string>> args = {};  // more of them
};

struct TestCall {
  int64_t begin;
  int64_t end;
  std::string name;
  int64_t correlation = -1;
  int64_t step = -1;  // an annotation where it is not -1
};

struct TestCapture {
  std::vector<Program> programs;
  std::vector<TestEvent> events;
  std::vector<TestCall> calls;
  PlaneKind kind = PlaneKind::kGpu;
  size_t devices = 1;
  std::string model = "NVIDIA H200";
  std::vector<std::string> hostnames = {};
};

inline Trace MakeTrace(TestCapture capture) {
  TraceBuilder builder;
  builder.environment().hostnames = capture.hostnames;
  const auto text = [&](std::string_view s) { return builder.Intern(s); };
  std::vector<std::pair<ArgSetId, Attribution>> attributions;
  for (size_t d = 0; d < capture.devices; ++d) {
    const std::vector<Arg> args = {{text("gpu_device_name"), ArgValue::String(text(capture.model))}};
    Plane plane;
    plane.name = text("/device:GPU:" + std::to_string(d));
    plane.kind = capture.kind;
    plane.ordinal = static_cast<int64_t>(d);
    plane.args = builder.InternArgs(args);
    const PlaneId id = builder.AddPlane(plane);
    for (int s = 0; s < 2; ++s) {
      TrackInfo info;
      info.plane = id;
      info.id = s;
      info.name = text(s == 0 ? "Stream #1(Compute)" : "Stream #2(Compute)");
      info.kind = capture.kind == PlaneKind::kGpu ? TrackKind::kStream
                                                  : (s == 0 ? TrackKind::kOps : TrackKind::kAsyncOps);
      info.layout = Layout::kLanes;
      TrackWriter writer = builder.NewTrack(info);
      for (size_t i = 0; i < capture.events.size(); ++i) {
        const TestEvent& event = capture.events[i];
        if (event.device != d || event.stream != s) continue;
        // Tells argument sets apart, which decide the attribution.
        writer.Arg(text("hlo_op"), ArgValue::String(text("op" + std::to_string(event.program) + "_" +
                                                         std::to_string(event.instruction.value))));
        writer.Arg(text("how"), ArgValue::String(text(Name(event.kind))));
        for (const auto& [key, value] : event.args) writer.Arg(text(key), ArgValue::String(text(value)));
        if (event.correlation >= 0) writer.Arg(text("correlation_id"), ArgValue::Int(event.correlation));
        writer.Event(Ps(event.begin), Ps(event.end - event.begin), text(event.kernel));
      }
      builder.Add(std::move(writer));
    }
  }
  Plane host;
  host.name = text("/host:CPU");
  host.kind = PlaneKind::kHost;
  TrackInfo thread;
  thread.plane = builder.AddPlane(host);
  thread.kind = TrackKind::kThread;
  TrackWriter calls = builder.NewTrack(thread);
  for (const TestCall& call : capture.calls) {
    if (call.correlation >= 0) calls.Arg(text("correlation_id"), ArgValue::Int(call.correlation));
    if (call.step >= 0) calls.Arg(text("step_num"), ArgValue::Int(call.step));
    calls.Event(Ps(call.begin), Ps(call.end - call.begin), text(call.name));
  }
  builder.Add(std::move(calls));
  for (Program& program : capture.programs) builder.AddProgram(std::move(program));
  // By argument set, as the reader does.
  const Trace& sealed = builder.trace();
  std::vector<Attribution> by_set(sealed.arg_sets().size());
  for (size_t set = 0; set < by_set.size(); ++set) {
    const auto op = sealed.FindArg(ArgSetId(set), "hlo_op");
    const auto how = sealed.FindArg(ArgSetId(set), "how");
    if (!op || !how) continue;
    for (const TestEvent& event : capture.events) {
      if (sealed.text(how->string()) != Name(event.kind)) continue;
      if (sealed.text(op->string()) !=
          "op" + std::to_string(event.program) + "_" + std::to_string(event.instruction.value)) {
        continue;
      }
      by_set[set].kind =
          event.program < 0 && event.kind == AttributionKind::kByName ? AttributionKind::kNone : event.kind;
      if (event.program >= 0) {
        by_set[set].instruction = {ProgramIndex(static_cast<size_t>(event.program)), event.instruction};
      }
    }
  }
  builder.SetAttribution(std::move(by_set));
  AddAsyncOperations(builder);
  return std::move(builder).Finish();
}

// A run of one host and the view of it. Not copyable: the view points into the run.
struct TestView {
  LoadedRun run;
  RunView view;

  explicit TestView(TestCapture capture, const Selection& selection = {}) {
    run.run.path = run.typed = "runs/x";
    run.hosts.push_back({"vm", "", MakeTrace(std::move(capture))});
    view = RunView::Make(run, selection).value();
  }
  TestView(const TestView&) = delete;
  TestView& operator=(const TestView&) = delete;
};

}  // namespace gait::analyze
