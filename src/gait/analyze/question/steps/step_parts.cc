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

// A capture of one device has no communication: a column of zeros says nothing as text.
void HideZeros(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].show.optional || table.columns[c].unit != unit::kPs) continue;
    table.columns[c].show.hidden |=
        std::ranges::all_of(table.rows, [&](const Row& row) { return row[c].number().value_or(0) == 0.0; });
  }
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

std::vector<Column> PartColumns() {
  const auto time = [](std::string name, std::string head, bool optional, bool hidden,
                       std::string_view about) {
    return Column{std::move(name),
                  Type::kInteger,
                  unit::kPs,
                  {.head = std::move(head), .hidden = hidden, .group = "time", .optional = optional},
                  about};
  };
  return {time("compute", "compute", false, false, "some computation ran on the device"),
          time("exposed_communication", "comm", true, false, "only communication between devices ran"),
          time("exposed_copies", "copies", true, false, "only copies ran"),
          time("unknown", "unknown", true, false, "only kernels ran that belong to no program"),
          time("idle", "idle", false, false, "nothing ran: the parts sum to the step"),
          time("hidden_communication", "", false, true, "communication while computation ran"),
          time("hidden_copies", "", false, true, "copies while computation or communication ran")};
}

void AppendParts(Row& row, const Partition& parts) {
  for (const auto part : kParts) row.push_back(parts.*part);
  for (const auto part : kHidden) row.push_back(parts.*part);
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

void AddStepColumns(Table& table) {
  table.columns.push_back(
      {"step_time", Type::kInteger, unit::kPs, {.head = "step", .group = "time"}, kAboutStep});
  table.columns.push_back({"host_time",
                           Type::kInteger,
                           unit::kPs,
                           {.head = "on the host", .group = "time"},
                           "how long the annotation lasted"});
  for (Column& column : PartColumns()) table.columns.push_back(std::move(column));
  table.columns.push_back(
      {"flags",
       Type::kText,
       unit::kNone,
       {.optional = true},
       "first, partial, no work, compiles (a program was compiled meanwhile), outlier, warm-up"});
}

void AppendStep(Row& row, const HostSteps& host, size_t series, size_t index) {
  const Step& step = host.series()[series].steps[index];
  const Partition mean = MeanOf(step, host.parts[series][index], host.of_program);
  row.push_back(!host.knows(step) ? Cell(Unknown{kNoWork})
                                  : Cell(host.of_program ? mean.window : step.duration()));
  row.emplace_back(step.host.length());
  if (step.has_work()) {
    AppendParts(row, mean);
  } else {
    row.resize(row.size() + std::size(kParts) + std::size(kHidden), Unknown{kNoWork});
  }
  row.emplace_back(Flags(step));
}

void FitStepColumns(Table& table) {
  HideZeros(table);
  // Flags say what is wrong with a step: where there are any, a narrow line leaves out small parts instead.
  table.columns.back().show.optional =
      std::ranges::all_of(table.rows, [](const Row& row) { return row.back().text().empty(); });
}

}  // namespace gait::analyze
