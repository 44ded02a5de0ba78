#include "gait/trace/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace gait {
namespace {

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  void Line(InstructionIndex index) {
    const Instruction& instruction = program_[index];
    Put("%{} = {} {}(", program_.text(instruction.name), program_.ShapeText(instruction.shape),
        program_.text(instruction.opcode));
    Operands(instruction);
    out_ += ')';
    Attributes(instruction);
    Metadata(instruction);
  }

  void Body(ComputationIndex index) {
    const Computation& computation = program_.computations[index.value];
    Put("{}%{} ", index == program_.entry ? "ENTRY " : "", program_.text(computation.name));
    Signature(computation);
    const auto line = [&](InstructionIndex i) {
      out_ += i == computation.root ? "  ROOT " : "  ";
      Line(i);
      out_ += '\n';
    };
    // A schedule that leaves instructions out would hide them.
    if (computation.schedule.size() == computation.end.value - computation.begin.value) {
      for (const InstructionIndex i : computation.schedule) line(i);
    } else {
      for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) line(InstructionIndex(i));
    }
    out_ += "}\n";
  }

  void Header() {
    const bool scheduled = program_.entry.value < program_.computations.size() &&
                           !program_.computations[program_.entry.value].schedule.empty();
    Put("HloModule {}{}\n", program_.name, scheduled ? ", is_scheduled=true" : "");
  }

  void Gap() { out_ += '\n'; }
  std::string Take() { return std::move(out_); }

 private:
  // "(p: f32[4]) -> f32[4] {": parameters by their number.
  void Signature(const Computation& computation) {
    std::vector<InstructionIndex> parameters;
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      if (program_.text(program_.instructions[i].opcode) == "parameter")
        parameters.push_back(InstructionIndex(i));
    }
    std::ranges::stable_sort(parameters, {}, [&](InstructionIndex i) { return program_[i].number; });
    out_ += '(';
    std::string_view separator;
    for (const InstructionIndex i : parameters) {
      Put("{}{}: {}", separator, program_.text(program_[i].name),
          program_.ShapeWithoutLayout(program_[i].shape));
      separator = ", ";
    }
    out_ += ')';
    if (computation.root.valid())
      Put(" -> {}", program_.ShapeWithoutLayout(program_[computation.root].shape));
    out_ += " {\n";
  }

  template <typename... Args>
  void Put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void List(std::string_view name, std::span<const int64_t> values) {
    if (!values.empty()) Put(", {}={{{}}}", name, fmt::join(values, ","));
  }

  void Names(std::span<const InstructionIndex> instructions) {
    std::string_view separator;
    for (const InstructionIndex i : instructions) {
      Put("{}%{}", separator, program_.text(program_[i].name));
      separator = ", ";
    }
  }

  void Operands(const Instruction& instruction) {
    const std::string_view opcode = program_.text(instruction.opcode);
    if (opcode == "parameter") {
      Put("{}", instruction.number);
    } else if (opcode == "constant") {
      const std::string_view literal = program_.text(instruction.literal);
      out_ += literal.empty() ? "{...}" : literal;
    } else {
      Names(instruction.operands);
    }
  }

  void Attributes(const Instruction& instruction) {
    const std::string_view opcode = program_.text(instruction.opcode);
    if (opcode == "get-tuple-element") Put(", index={}", instruction.number);
    Text("kind", instruction.fusion_kind);
    if (opcode == "iota" && instruction.dimensions.size() == 1) {
      Put(", iota_dimension={}", instruction.dimensions[0]);
    } else {
      List(opcode == "fft" ? "fft_length" : "dimensions", instruction.dimensions);
    }
    Text("direction", instruction.comparison_direction);
    if (const auto text = program_.text(instruction.arrangement); !text.empty()) Put(", {}", text);
    Dimensions(instruction);
    Called(instruction, opcode);
    if (const auto target = program_.text(instruction.custom_call_target); !target.empty()) {
      Put(", custom_call_target=\"{}\"", target);
    }
    Collective(instruction);
    if (!instruction.control_predecessors.empty()) {
      out_ += ", control-predecessors={";
      Names(instruction.control_predecessors);
      out_ += '}';
    }
    Text("backend_config", instruction.backend_config);
  }

  void Text(std::string_view name, StringId value) {
    if (const auto text = program_.text(value); !text.empty()) Put(", {}={}", name, text);
  }

  void Dimensions(const Instruction& instruction) {
    if (instruction.slices < program_.slices.size()) {
      const auto& slices = program_.slices[instruction.slices];
      const bool dense = std::ranges::all_of(slices, [](const SliceRange& s) { return s.stride == 1; });
      out_ += ", slice={";
      for (size_t i = 0; i < slices.size(); ++i) {
        Put("{}[{}:{}", i > 0 ? ", " : "", slices[i].start, slices[i].limit);
        if (!dense) Put(":{}", slices[i].stride);
        out_ += ']';
      }
      out_ += '}';
    }
    if (instruction.window < program_.windows.size()) Window(program_.windows[instruction.window]);
    if (instruction.convolution < program_.convolutions.size()) {
      Convolution(program_.convolutions[instruction.convolution]);
    }
    if (instruction.dot < program_.dots.size()) {
      const DotDimensions& dot = program_.dots[instruction.dot];
      List("lhs_batch_dims", dot.lhs_batch);
      List("lhs_contracting_dims", dot.lhs_contracting);
      List("rhs_batch_dims", dot.rhs_batch);
      List("rhs_contracting_dims", dot.rhs_contracting);
    }
  }

  // One value per dimension, joined by x; left out where every dimension has the default.
  template <typename Value>
  void WindowPart(std::string_view name, std::span<const WindowDimension> window, Value&& value) {
    const std::string standard = value(WindowDimension());
    std::string joined;
    bool differs = name == "size";
    for (const WindowDimension& dimension : window) {
      if (!joined.empty()) joined += 'x';
      const std::string one = value(dimension);
      differs |= one != standard;
      joined += one;
    }
    if (differs) Put("{}{}={}", name == "size" ? "" : " ", name, joined);
  }

  void Window(std::span<const WindowDimension> window) {
    if (window.empty()) return;
    const auto number = [](int64_t WindowDimension::* member) {
      return [member](const WindowDimension& d) { return fmt::to_string(d.*member); };
    };
    out_ += ", window={";
    WindowPart("size", window, number(&WindowDimension::size));
    WindowPart("stride", window, number(&WindowDimension::stride));
    WindowPart("pad", window,
               [](const WindowDimension& d) { return fmt::format("{}_{}", d.padding_low, d.padding_high); });
    WindowPart("lhs_dilate", window, number(&WindowDimension::base_dilation));
    WindowPart("rhs_dilate", window, number(&WindowDimension::window_dilation));
    WindowPart("rhs_reversal", window,
               [](const WindowDimension& d) { return std::string(d.reversed ? "1" : "0"); });
    out_ += '}';
  }

  // "b01f": what each dimension is, by position.
  static std::string Labels(int64_t first, char first_label, int64_t second, char second_label,
                            std::span<const int64_t> spatial) {
    std::string labels(spatial.size() + 2, '?');
    const auto set = [&](int64_t position, char label) {
      if (position >= 0 && static_cast<size_t>(position) < labels.size())
        labels[static_cast<size_t>(position)] = label;
    };
    set(first, first_label);
    set(second, second_label);
    for (size_t i = 0; i < spatial.size(); ++i) set(spatial[i], static_cast<char>('0' + i % 10));
    return labels;
  }

  void Convolution(const ConvolutionDimensions& c) {
    Put(", dim_labels={}_{}->{}", Labels(c.input_batch, 'b', c.input_feature, 'f', c.input_spatial),
        Labels(c.kernel_input_feature, 'i', c.kernel_output_feature, 'o', c.kernel_spatial),
        Labels(c.output_batch, 'b', c.output_feature, 'f', c.output_spatial));
    if (c.feature_groups > 1) Put(", feature_group_count={}", c.feature_groups);
    if (c.batch_groups > 1) Put(", batch_group_count={}", c.batch_groups);
  }

  void Called(const Instruction& instruction, std::string_view opcode) {
    const auto name = [&](ComputationIndex c) { return program_.text(program_.computations[c.value].name); };
    const auto& called = instruction.called;
    if (opcode == "while" && called.size() == 2) {
      Put(", condition=%{}, body=%{}", name(called[1]), name(called[0]));
    } else if (called.size() == 1) {
      const bool plain = opcode == "fusion" || opcode == "custom-call" || opcode == "async-start";
      Put(", {}=%{}", plain ? "calls" : "to_apply", name(called[0]));
    } else if (!called.empty()) {
      Put(", {}={{", opcode == "conditional" ? "branch_computations" : "called_computations");
      for (size_t i = 0; i < called.size(); ++i) Put("{}%{}", i > 0 ? ", " : "", name(called[i]));
      out_ += '}';
    }
  }

  void Collective(const Instruction& instruction) {
    if (instruction.channel_id > 0) Put(", channel_id={}", instruction.channel_id);
    if (instruction.replica_groups < program_.replica_groups.size()) {
      out_ += ", replica_groups={";
      std::string_view separator;
      for (const auto& group : program_.replica_groups[instruction.replica_groups].groups) {
        Put("{}{{{}}}", separator, fmt::join(group, ","));
        separator = ",";
      }
      out_ += '}';
    }
    if (instruction.source_target_pairs < program_.source_target_pairs.size()) {
      out_ += ", source_target_pairs={";
      std::string_view separator;
      for (const auto& [source, target] : program_.source_target_pairs[instruction.source_target_pairs]) {
        Put("{}{{{},{}}}", separator, source, target);
        separator = ",";
      }
      out_ += '}';
    }
  }

  void Metadata(const Instruction& instruction) {
    const std::string_view name = program_.text(instruction.op_name);
    const std::string_view file = program_.text(instruction.source_file);
    if (name.empty() && file.empty()) return;
    out_ += ", metadata={";
    if (!name.empty()) Put("op_name=\"{}\"", name);
    if (!file.empty()) Put("{}source_file=\"{}\"", name.empty() ? "" : " ", file);
    if (!file.empty() && instruction.source_line > 0) Put(" source_line={}", instruction.source_line);
    out_ += '}';
  }

  const Program& program_;
  std::string out_;
};

}  // namespace

std::string InstructionText(const Program& program, InstructionIndex instruction) {
  Writer writer(program);
  writer.Line(instruction);
  return writer.Take();
}

std::string ComputationText(const Program& program, ComputationIndex computation) {
  Writer writer(program);
  writer.Body(computation);
  return writer.Take();
}

std::string ProgramText(const Program& program) {
  Writer writer(program);
  writer.Header();
  for (size_t i = 0; i < program.computations.size(); ++i) {
    if (ComputationIndex(i) == program.entry) continue;
    writer.Gap();
    writer.Body(ComputationIndex(i));
  }
  if (program.entry.value < program.computations.size()) {
    writer.Gap();
    writer.Body(program.entry);
  }
  return writer.Take();
}

std::vector<InstructionIndex> Users(const Program& program, InstructionIndex instruction) {
  std::vector<InstructionIndex> users;
  const Computation& computation = program.computations[program[instruction].computation.value];
  for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
    const auto& operands = program.instructions[i].operands;
    if (std::ranges::find(operands, instruction) != operands.end()) users.push_back(InstructionIndex(i));
  }
  return users;
}

}  // namespace gait
