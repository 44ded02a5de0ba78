#include "gait/analyze/question/steps/step_parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

constexpr std::string_view kAboutStep =
    "from the finish of the step before to its own, a mean over the devices";

std::string Flags(const Step& step) {
  std::string flags;
  const auto add = [&](bool set, std::string_view word) {
    if (set) flags += fmt::format("{}{}", flags.empty() ? "" : ", ", word);
  };
  add(step.begin_unknown(), "first");
  add(step.partial(), "partial");
  add(step.no_work(), "no work");
  add(step.compiles, "compiles");
  add(step.outlier, "outlier");
  return flags;
}

constexpr Ps Partition::* kParts[] = {&Partition::compute, &Partition::exposed_communication,
                                      &Partition::exposed_copies, &Partition::unknown, &Partition::idle};
constexpr Ps Partition::* kHidden[] = {&Partition::hidden_communication, &Partition::hidden_copies};

// Means over the devices that take part. Integer division may lose a picosecond per part; the table of
// devices is exact.
Partition MeanOf(const Step& step, const std::vector<Partition>& parts, bool of_program) {
  Partition mean;
  int64_t devices = 0;
  for (size_t d = 0; d < parts.size(); ++d) {
    const Partition& p = parts[d];
    if (of_program ? p.window == Ps() : !step.takes_part(d)) continue;
    ++devices;
    mean.window += p.window;
    for (const auto part : kParts) mean.*part += p.*part;
    for (const auto part : kHidden) mean.*part += p.*part;
  }
  if (devices == 0) return mean;
  for (const auto part : kParts) mean.*part = mean.*part / devices;
  for (const auto part : kHidden) mean.*part = mean.*part / devices;
  mean.window = mean.window / devices;
  return mean;
}

}  // namespace

void HideZeros(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].show.optional || table.columns[c].unit != unit::kPs) continue;
    table.columns[c].show.hidden |=
        std::ranges::all_of(table.rows, [&](const Row& row) { return row[c].number().value_or(0) == 0.0; });
  }
}

TableOf<std::optional<Partition>> PartColumns() {
  using Parts = std::optional<Partition>;
  TableOf<Parts> t({});
  const auto part = [&](const char* name, Show show, std::string_view about, Ps Partition::* member) {
    t.Time(name, std::move(show), about, [member](const Parts& parts) -> TimeCell {
      return parts ? TimeCell((*parts).*member) : Unknown{kNoWork};
    });
  };
  using P = Partition;
  part("compute", {}, "some computation ran on the device", &P::compute);
  part("exposed_communication", {.head = "comm", .optional = true}, "only communication between devices ran",
       &P::exposed_communication);
  part("exposed_copies", {.head = "copies", .optional = true}, "only copies ran", &P::exposed_copies);
  part("unknown", {.optional = true}, "only kernels ran that belong to no program", &P::unknown);
  part("idle", {}, "nothing ran: the parts sum to the step", &P::idle);
  part("hidden_communication", {.hidden = true}, "communication while computation ran",
       &P::hidden_communication);
  part("hidden_copies", {.hidden = true}, "copies while computation or communication ran", &P::hidden_copies);
  return t;
}

// With a selected program only its time counts: the part of its turns inside the step.
HostSteps StepsOfHost(const HostView& view, bool of_program) {
  HostSteps result;
  result.view = &view;
  result.of_program = of_program;
  for (const StepSeries& series : view.series) {
    auto& steps = result.parts.emplace_back();
    for (const Step& step : series.steps) {
      auto& parts = steps.emplace_back();
      for (size_t d = 0; d < view.times.size(); ++d) {
        if (!of_program) {
          parts.push_back(view.times[d].Split(step.time[d]));
          continue;
        }
        Partition& sum = parts.emplace_back();
        for (const Interval piece : Clip(view.turns[d], step.time[d])) sum += view.times[d].Split(piece);
      }
    }
  }
  return result;
}

void CountedTime::Add(const HostSteps& host, size_t series) {
  const std::vector<Step>& steps = host.series()[series].steps;
  const bool any_complete = std::ranges::any_of(steps, &Step::complete);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (any_complete && !steps[i].complete()) continue;
    device_steps += steps[i].devices();
    for (const Partition& parts : host.parts[series][i]) {
      window += parts.window;
      idle += parts.idle;
    }
  }
}

StepTimes TimesOf(const HostSteps& host, size_t series, size_t index) {
  const Step& step = host.series()[series].steps[index];
  const Partition mean = MeanOf(step, host.parts[series][index], host.of_program);
  StepTimes times{{}, step.host.length(), {}, Flags(step), step.complete()};
  if (host.knows(step)) times.time = host.of_program ? mean.window : step.duration();
  if (step.has_work()) times.parts = mean;
  return times;
}

TableOf<StepTimes> StepColumns(bool flags) {
  TableOf<StepTimes> t({});
  t.Time("step_time", {.head = "step"}, kAboutStep, Known(&StepTimes::time, kNoWork));
  t.Time("host_time", {.head = "on the host"}, "how long the annotation lasted", &StepTimes::on_host);
  t.Include(PartColumns(), &StepTimes::parts);
  // Flags say what is wrong with a step: where there are any, a narrow line leaves out small parts instead.
  t.Add("flags", {.optional = !flags},
        "first, partial, no work, compiles (a program was compiled meanwhile), outlier, warm-up",
        &StepTimes::flags);
  t.Hidden("complete", "1: statistics count it",
           [](const StepTimes& times) { return int64_t{times.counts}; });
  return t;
}

}  // namespace gait::analyze
