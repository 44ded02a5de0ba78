#include "gait/analyze/device/work_class.h"

#include "gait/analyze/device/category.h"
#include "gait/analyze/run/arguments.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {

std::string_view Name(WorkClass work) {
  switch (work) {
    case WorkClass::kCompute:
      return "compute";
    case WorkClass::kCommunication:
      return "communication";
    case WorkClass::kCopy:
      return "copy";
    case WorkClass::kUnknown:
      return "unknown";
    case WorkClass::kControl:
      return "control flow";
  }
  return "unknown";
}

WorkClass ClassOfOpcode(std::string_view opcode) {
  const std::string_view name = WithoutPhase(opcode);
  if (IsCommunication(name)) return WorkClass::kCommunication;
  // A plain copy is a kernel or a device-to-device copy inside the program: the event's own name tells which.
  if (name == "copy" && name != opcode) return WorkClass::kCopy;
  if (name == "infeed" || name == "outfeed") return WorkClass::kCopy;
  if (name == "while" || name == "conditional" || name == "call") return WorkClass::kControl;
  return WorkClass::kCompute;
}

WorkClass ClassOfKernel(std::string_view name) {
  const Category category = CategoryOfKernel(name);
  if (category == Category::kUnattributed) return WorkClass::kUnknown;
  if (IsCopyCategory(category)) return WorkClass::kCopy;
  return IsCollectiveCategory(category) ? WorkClass::kCommunication : WorkClass::kCompute;
}

WorkClasses::WorkClasses(const Trace& trace)
    : by_set_(trace.arg_sets().size(), WorkClass::kUnknown), by_name_(trace.strings().size()) {
  for (size_t i = 0; i < by_name_.size(); ++i) by_name_[i] = ClassOfKernel(trace.text(StringId(i)));
  for (size_t i = 0; i < by_set_.size(); ++i) {
    const Attribution found = trace.attribution(ArgSetId(i));
    if (found.instruction.valid()) {
      const Program& program = trace.programs()[found.instruction.program.value];
      const Instruction& begun = program[Beginning(program, found.instruction.instruction)];
      by_set_[i] = ClassOfOpcode(WrappedOpcode(program, begun));
    } else if (found.kind != AttributionKind::kNone) {
      // An operation of a program that could not be joined; it has the name of what it does.
      const WorkClass named = ClassOfKernel(NamedOperation(trace, ArgSetId(i)));
      by_set_[i] = named == WorkClass::kUnknown ? WorkClass::kCompute : named;
    }
  }
}

}  // namespace gait::analyze
