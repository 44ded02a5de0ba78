#include "gait/analyze/verdict/diff/run_profile.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/question/overview/overview.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/what_ran.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/analyze/view/block_sample.h"
#include "gait/report/table.h"

namespace gait::analyze {
namespace {

namespace unit = report::unit;

bool IsCommunication(Category category) {
  return category >= Category::kAllReduce && category <= Category::kCollective;
}
bool IsCopy(Category category) {
  return category >= Category::kCopyToDevice && category <= Category::kMemset;
}

// "f<int>(float*)" as "f": the arguments follow from shapes that may have changed.
std::string WithoutArguments(std::string_view kernel) {
  const size_t end = kernel.find_first_of("<(");
  return std::string(end == 0 ? kernel : kernel.substr(0, end));
}

std::string OpcodeOf(const Operation& what) { return std::string(what.program->text(what.hlo().opcode)); }

ProfileKey KeyOf(const Operation& what, StepPart part) {
  ProfileKey key{part, {}, {}, {}, std::string(Name(what.category))};
  if (!what.attributed()) {
    key.operation = WithoutArguments(what.name);
    return key;
  }
  key.program = ProgramWithoutNumber(what.program->name);
  const std::string_view pass = JaxName(what.scope.pass);
  key.scope = fmt::format("{}{}{}", pass, pass.empty() || what.scope.path.empty() ? "" : "/",
                          fmt::join(what.scope.path, "/"));
  // What no primitive named goes by its opcode: copies and fusions that the compiler made.
  key.operation = what.scope.operation.empty() ? OpcodeOf(what) : what.scope.operation;
  return key;
}

// What each of several sums is of one of `count`: the partial sums are rounded, not the parts, so the parts
// sum to their whole.
class Shares {
 public:
  explicit Shares(int64_t count) : count_(count) {}
  Ps Next(Ps sum) {
    const Ps before = all();
    until_ += sum;
    return all() - before;
  }
  Ps all() const { return until_ / count_; }

 private:
  int64_t count_;
  Ps until_;
};

struct Total {
  Ps time;
  double executions = 0;
};

std::map<ProfileKey, Total> TotalsOf(const Overview& overview) {
  std::map<ProfileKey, Total> totals;
  for (const OpTotal& op : overview.operations->totals) {
    const auto add = [&](StepPart part, Ps time, double executions) {
      if (time == Ps()) return;
      Total& total = totals[KeyOf(op.what, part)];
      total.time += time;
      total.executions += executions;
    };
    const Ps rest = op.self - op.compute;
    const StepPart other = IsCommunication(op.what.category)                  ? StepPart::kCommunication
                           : IsCopy(op.what.category) || op.what.attributed() ? StepPart::kCopies
                                                                              : StepPart::kUnknown;
    add(StepPart::kCompute, op.compute, static_cast<double>(op.executions));
    add(other, rest, op.compute == Ps() ? static_cast<double>(op.executions) : 0);
  }
  for (size_t c = 0; c < kIdleCauses; ++c) {
    if (overview.idle[c] == Ps()) continue;
    totals[{StepPart::kIdle,
            {},
            {},
            std::string(Describe(static_cast<IdleCause>(c))),
            std::string(Name(static_cast<IdleCause>(c)))}]
        .time = overview.idle[c];
  }
  return totals;
}

std::optional<Launching> LaunchingOf(const RunView& view) {
  const KernelsResult kernels = FindKernels(view);
  if (kernels.launches.calls == 0) return std::nullopt;
  const int64_t steps = std::max<int64_t>(1, kernels.steps > 0 ? kernels.steps : view.portions());
  const auto mean = [&](uint64_t count) { return static_cast<double>(count) / static_cast<double>(steps); };
  return Launching{mean(kernels.launches.calls), mean(kernels.launches.graph_calls),
                   kernels.launches.total / steps};
}

std::vector<Quantity> QuantitiesOf(const RunView& view, const Overview& overview,
                                   const std::optional<Launching>& launching) {
  std::optional<double> peak;
  if (const Allocator* worst = WorstAllocator(overview.memory))
    peak = std::max(0.0, static_cast<double>(worst->peak));
  const CompileTotals compiles = MostOfAnyHost(overview.compiles);
  const auto steps = static_cast<double>(view.portions());
  const auto bytes = [&](CopyKind kind) {
    double sum = 0;
    for (const TransferKind& transfer : overview.transfers->kinds) {
      if (transfer.kind == kind) sum += static_cast<double>(transfer.sum.bytes);
    }
    return sum / steps;
  };
  double message = 0;
  double collectives = 0;
  const CollectivesResult& communication = AnalyzeCollectives(view);
  for (const CollectiveKindStats& kind : communication.kinds) {
    message += kind.bytes.value_or(0);
    collectives += static_cast<double>(kind.executions);
  }
  // An execution is one of all its devices together.
  collectives /= static_cast<double>(std::max<int64_t>(1, communication.steps));
  double kernels = 0;
  for (const OpTotal& op : overview.operations->totals) kernels += static_cast<double>(op.events);
  return {{"memory peak", std::string(unit::kBytes), "memory", peak},
          {"compile time", std::string(unit::kPs), "compile", static_cast<double>(compiles.wall.value())},
          {"compilations", "", "compile", static_cast<double>(compiles.compiled)},
          {"to the device", std::string(unit::kBytes), "transfers", bytes(CopyKind::kHostToDevice)},
          {"to the host", std::string(unit::kBytes), "transfers", bytes(CopyKind::kDeviceToHost)},
          {"collectives", "", "collectives", collectives},
          {"collective bytes", std::string(unit::kBytes), "collectives", message / steps},
          {"device events", "", "ops", kernels / steps},
          {"launch calls", "", "kernels", launching ? std::optional(launching->calls) : std::nullopt},
          {"graph launches", "", "kernels", launching ? std::optional(launching->graphs) : std::nullopt},
          {"time of launch calls", std::string(unit::kPs), "kernels",
           launching ? std::optional(static_cast<double>(launching->time.value())) : std::nullopt},
          {"flops", std::string(unit::kFlop), "roofline",
           overview.work.flops_known ? std::optional(overview.work.flops) : std::nullopt}};
}

std::map<std::string, std::string> EnvironmentOf(const RunView& view) {
  std::map<std::string, std::string> found;
  std::map<std::string, size_t> models;
  for (const HostView& host : view.hosts) {
    const Environment& environment = host.trace().environment();
    for (const auto& [key, value] : environment.versions) found[key] = value;
    for (const auto& [key, value] : environment.options) found["option " + key] = value;
    for (const Device& device : host.devices) {
      const Plane& plane = host.trace().plane(device.plane);
      ++models[DeviceModelOrKind(host.trace(), plane)];
      for (const ArgEntry& entry : host.trace().arg_sets()[plane.args]) {
        const std::string name(host.trace().text(entry.key));
        // Numbers of the device that decide how fast it is; ids and names differ between any two captures.
        const bool telling = name.find("clock") != std::string::npos ||
                             name.find("bandwidth") != std::string::npos || name == "core_count" ||
                             name == "memory_size";
        if (!telling || entry.varying) continue;
        found["device " + name] = ValueText(host.trace(), {entry.type, entry.bits});
      }
    }
  }
  std::vector<std::string> devices;
  for (const auto& [model, count] : models) devices.push_back(fmt::format("{} × {}", count, model));
  found["devices"] = fmt::format("{}", fmt::join(devices, ", "));
  found["hosts"] = std::to_string(view.hosts.size());
  return found;
}

// "--a=1 --b" of XLA_FLAGS as {"XLA_FLAGS --a": "1", "XLA_FLAGS --b": "set"}: in which order they stand says
// nothing, and the last of a name counts. A text that does not begin with a flag names a file of them.
void AddFlags(const std::string& variable, std::string_view text, std::map<std::string, std::string>& flags) {
  std::string* last = &flags[variable];
  for (const auto part : std::views::split(text, ' ')) {
    const std::string_view word(part);
    if (word.empty()) continue;
    if (!word.starts_with("--")) {  // the rest of a quoted value
      *last += (last->empty() ? "" : " ") + std::string(word);
      continue;
    }
    const size_t equals = word.find('=');
    last = &flags[fmt::format("{} {}", variable, word.substr(0, equals))];
    *last = equals == std::string_view::npos ? "set" : word.substr(equals + 1);
  }
  if (flags[variable].empty()) flags.erase(variable);
}

std::optional<std::map<std::string, std::string>> FlagsOf(const runs::Manifest& manifest) {
  if (!manifest.flags) return std::nullopt;
  std::map<std::string, std::string> flags;
  for (const auto& [name, value] : *manifest.flags) {
    if (name.starts_with("jax_")) {
      flags[name] = value;
    } else {
      AddFlags(name, value, flags);
    }
  }
  return flags;
}

}  // namespace

std::string_view Name(StepPart part) {
  constexpr std::array<std::string_view, kStepParts> kNames = {
      "compute", "exposed communication", "exposed copies", "kernels of no program", "idle"};
  return kNames[static_cast<size_t>(part)];
}

Ps RunProfile::PartTime(StepPart part) const {
  Ps sum;
  for (const auto& [key, row] : rows) {
    if (key.part == part) sum += row.time;
  }
  return sum;
}

Ps RunProfile::MedianStep() const { return steps.empty() ? step : Median(steps); }

Result<RunProfile> ProfileOf(const RunView& view) {
  GAIT_TRY(const Patient patient, Examine(view));
  GAIT_TRY(const Diagnosis diagnosis, Diagnose(patient));
  const Overview& overview = patient.overview;
  RunProfile profile;
  profile.name = view.run->typed;
  profile.has_steps = overview.device_steps > 0;
  profile.device_steps = overview.device_steps;
  profile.portion = view.Portion();
  const int64_t steps = view.portions();
  Shares rows(steps);
  for (const auto& [key, total] : TotalsOf(overview)) {
    profile.rows[key] = {rows.Next(total.time), total.executions / static_cast<double>(steps)};
  }
  profile.step = rows.all();
  Shares terms(diagnosis.balance.steps);
  std::ranges::transform(diagnosis.balance.terms, profile.balance.begin(),
                         [&](const BalanceRow& row) { return terms.Next(row.time); });
  for (const HostView& host : view.hosts) {
    if (host.series.empty()) continue;
    for (const Step* step : host.series[0].Counted()) profile.steps.push_back(step->duration());
  }
  profile.launching = LaunchingOf(view);
  profile.quantities = QuantitiesOf(view, overview, profile.launching);
  profile.environment = EnvironmentOf(view);
  profile.flags = FlagsOf(view.run->manifest);
  return profile;
}

RunProfile Pooled(RunProfile own, const std::vector<RunProfile>& sample) {
  std::map<ProfileKey, ProfileRow> sums;
  std::array<Ps, kBalanceTerms> balance{};
  own.steps.clear();
  own.device_steps = 0;
  for (const RunProfile& profile : sample) {
    for (const auto& [key, row] : profile.rows) sums[key] += row;
    for (size_t t = 0; t < kBalanceTerms; ++t) balance[t] += profile.balance[t];
    own.steps.insert(own.steps.end(), profile.steps.begin(), profile.steps.end());
    own.device_steps += profile.device_steps;
  }
  const auto count = static_cast<int64_t>(std::max<size_t>(1, sample.size()));
  own.rows.clear();
  Shares rows(count);
  for (const auto& [key, sum] : sums)
    own.rows[key] = {rows.Next(sum.time), sum.executions / static_cast<double>(count)};
  own.step = rows.all();
  Shares terms(count);
  std::ranges::transform(balance, own.balance.begin(), [&](Ps sum) { return terms.Next(sum); });
  return own;
}

Result<std::vector<RunProfile>> ProfilesOf(const std::vector<const RunView*>& views,
                                           std::vector<std::string>& notes) {
  GAIT_TRY(std::vector<RunProfile> profiles, OfSamples<RunProfile>(views, ProfileOf, Pooled, notes));
  for (const RunProfile& profile : profiles) {
    if (profile.step == Ps()) {
      return Unreadable(profile.name + ": no device did anything in what is to be compared.",
                        "gait doctor says why.");
    }
  }
  return profiles;
}

}  // namespace gait::analyze
