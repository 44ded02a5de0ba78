// For tests: a small run made in code. One GPU with a stream of three overlapping kernels, one host thread
// with two annotated steps and a nested call.
#pragma once

#include <memory>

#include "gait/analyze/run/loaded_run.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {

inline Trace TestTrace() {
  TraceBuilder builder;
  const auto text = [&](std::string_view s) { return builder.Intern(s); };
  const Arg model{text("gpu_device_name"), ArgValue::String(text("NVIDIA H200"))};
  const Arg memory{text("memory_size"), ArgValue::Int(150'109'880'320)};
  const std::vector<Arg> device_args = {model, memory};
  const PlaneId gpu = builder.AddPlane(
      {0, text("/device:GPU:0"), PlaneKind::kGpu, 0, std::nullopt, builder.InternArgs(device_args)});
  const PlaneId host =
      builder.AddPlane({1, text("/host:CPU"), PlaneKind::kHost, std::nullopt, std::nullopt, kNoArgs});

  TrackInfo stream_info;
  stream_info.plane = gpu;
  stream_info.id = 14;
  stream_info.name = text("Stream #14(Compute)");
  stream_info.kind = TrackKind::kStream;
  stream_info.layout = Layout::kLanes;
  TrackWriter stream = builder.NewTrack(stream_info);
  for (int64_t i = 0; i < 3; ++i) {
    stream.Arg(text("correlation_id"), ArgValue::Int(i));
    stream.Event(Microseconds(100 + 10 * i), Microseconds(15), text(i == 1 ? "gemm" : "loop_fusion"));
  }
  TrackInfo thread_info;
  thread_info.plane = host;
  thread_info.id = -7;
  thread_info.name = text("python3");
  thread_info.kind = TrackKind::kThread;
  TrackWriter thread = builder.NewTrack(thread_info);
  for (int64_t step = 5; step < 7; ++step) {
    thread.Arg(text("step_num"), ArgValue::Int(step));
    thread.Event(Milliseconds(step), Microseconds(900), text("train"));
    thread.Arg(text("note"), ArgValue::String(text("two words")));
    thread.Event(Milliseconds(step) + Microseconds(1), Microseconds(10), text("PjitFunction(f)"));
  }
  builder.Add(std::move(stream));
  builder.Add(std::move(thread));
  builder.environment().hostnames = {"vm"};
  builder.environment().versions["jax_version"] = "0.12.0";
  builder.environment().options["host_tracer_level"] = "2";

  Program program;
  program.id = 42;
  program.name = "jit_f";
  const auto own = [&](std::string_view s) { return program.strings.Intern(s); };
  Shape shape;
  shape.type = ElementType::kF32;
  shape.dimensions = {2, 3};
  shape.minor_to_major = {1, 0};
  program.shapes.push_back(std::move(shape));
  for (const char* name : {"p0", "add.1"}) {
    Instruction instruction;
    instruction.name = own(name);
    instruction.opcode = own(name == std::string_view("p0") ? "parameter" : "add");
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(0);
    instruction.op_name = own("jit(f)/add");
    instruction.source_file = own("model.py");
    instruction.source_line = 12;
    program.instructions.push_back(instruction);
  }
  program.instructions[0].cost = {
      .flops = 0, .bytes_read = 0, .bytes_written = 0, .unknown_because = own("")};
  program.instructions[1].cost.unknown_because = own("not a known operation");
  program.instructions[1].operands = {InstructionIndex(0), InstructionIndex(0)};
  Computation entry;
  entry.name = own("main");
  entry.begin = InstructionIndex(0);
  entry.end = InstructionIndex(2);
  entry.root = InstructionIndex(1);
  program.computations.push_back(entry);
  program.entry = ComputationIndex(0);
  program.BuildIndex();
  builder.AddProgram(std::move(program));
  return std::move(builder).Finish();
}

inline std::shared_ptr<LoadedRun> TestRun(size_t hosts = 1) {
  auto run = std::make_shared<LoadedRun>();
  run->run.path = run->typed = "runs/x";
  for (size_t i = 0; i < hosts; ++i) run->hosts.push_back({"host" + std::to_string(i), "", TestTrace()});
  return run;
}

}  // namespace gait::analyze
