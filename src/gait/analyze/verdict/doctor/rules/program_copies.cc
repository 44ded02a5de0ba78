#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

bool IsCopy(Category category) { return category >= Category::kCopyToDevice && category <= Category::kCopy; }

// What an operation copies: all of one that is a copy of an array as it is, else what it does besides
// computing.
Ps CopyTime(const OpTotal& total) {
  if (!total.what.attributed()) return {};
  if (OnlyCopies(*total.what.program, total.what.instruction)) return total.self;
  const Category category = total.what.category;
  const bool moves =
      IsCopy(category) || category == Category::kLayout || category == Category::kGatherScatter;
  return moves ? total.self - total.compute : Ps();
}

// A program that does nothing but copy what it is given: jnp.asarray of a NumPy array, jnp.array, x.copy().
bool IsCopyProgram(const Program& program) {
  if (!program.entry.valid()) return false;
  const Computation& entry = program.computations[program.entry.value];
  for (uint32_t i = entry.begin.value; i < entry.end.value; ++i) {
    if (program.text(program.instructions[i].opcode) == "parameter") continue;
    if (!OnlyCopies(program, InstructionIndex(i))) return false;
  }
  return true;
}

constexpr const char* kOfPrograms =
    "leave out the program that does nothing but copy:\n"
    "  jax.device_put(x)   # instead of jnp.asarray(x) of a NumPy array\n"
    "  jnp.asarray(x)      # instead of jnp.array(x) or x.copy() of a jax.Array";
constexpr const char* kOfHostMemory =
    "for arrays kept in host memory, fetch the next layer's while this one computes";
constexpr const char* kInPrograms =
    "avoid the copy: donate inputs that are replaced, update in place, let a scan carry only what changes:\n"
    "  step = jax.jit(step, donate_argnums=0)";

Verdict ProgramCopies(const Patient& patient) {
  Claims claims;
  Claims host;   // to and from the host's memory
  Claims whole;  // of programs that do nothing else
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const Ps copying = CopyTime(total);
    if (copying == Ps()) continue;
    claims.push_back(patient.ledger.Operation(i, copying));
    const Category category = total.what.category;
    if (category == Category::kCopyToDevice || category == Category::kCopyToHost) {
      host.push_back(claims.back());
    } else if (IsCopyProgram(*total.what.program)) {
      whole.push_back(claims.back());
    }
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  const auto mostly = [&](const Claims& part) { return patient.ledger.Cost(part) * 2 > *finding.cost; };
  finding.title = "Copies inside programs";
  finding.cause = fmt::format("The programs copy {} for {} while nothing else runs.",
                              mostly(host) ? "between host and device memory" : "arrays on the device",
                              patient.PerStep(*finding.cost));
  finding.fix = mostly(whole) ? kOfPrograms : mostly(host) ? kOfHostMemory : kInPrograms;
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"ops", "by", "category"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kProgramCopiesRule;
const Rule kProgramCopiesRule = {
    .name = "program_copies",
    .topic = Topic::kDevice,
    .summary = "copies inside programs that nothing hides",
    .avoidable = true,
    .metrics = "exposed_copies",
    .check = ProgramCopies,
    .explain =
        "Speaks when copies that a program makes itself (of loop carries, slices, parameters that are not "
        "donated, between memories) take 3 % of a step or more while nothing else runs. Cost: that time. "
        "Transposes and copies that change the layout are in layout_copies.",
};

}  // namespace gait::analyze
