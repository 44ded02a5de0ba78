#include "gait/analyze/question/roofline/roofline_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gait/analyze/operations/operation_groups.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 20;
constexpr double kPsPerSecond = 1e12;

Cell OrUnknown(const std::optional<double>& value, const std::string& why, double scale = 1) {
  return value ? Cell(*value * scale) : Cell(Unknown{why});
}

// Columns that operations and programs share.
std::vector<report::Column> WorkColumns(bool steps) {
  const auto time = [](const char* name, const char* head, bool hidden, std::string_view about) {
    return report::Column{
        name, Type::kInteger, unit::kPs, {.head = head, .hidden = hidden, .group = "time"}, about};
  };
  return {
      time("wasted_per_step", "wasted", !steps, "time in a step beyond the ideal: self x (1 - efficiency)"),
      time("wasted", "", steps, "time beyond the ideal: self x (1 - efficiency)"),
      time("per_step", "a step", !steps, "self time in a step, the mean over steps and devices"),
      time("self", "", steps, "device time that is its own (measured)"),
      {"efficiency",
       Type::kNumber,
       unit::kPercent,
       {.head = "efficiency"},
       "achieved over attainable; above 100 % operands came from a cache, not from memory"},
      {"bound",
       Type::kText,
       unit::kNone,
       {.head = "bound by"},
       "what limits the ideal time: the peak of arithmetic (compute) or of memory"},
      {"flops_per_second",
       Type::kNumber,
       unit::kFlopPerSecond,
       {.head = "achieved", .group = "flops", .optional = true},
       "floating-point operations (static) per second of its time (measured)"},
      {"attainable",
       Type::kNumber,
       unit::kFlopPerSecond,
       {.group = "flops", .optional = true},
       "the most at its intensity: min(peak, intensity x bandwidth)"},
      {"intensity",
       Type::kNumber,
       unit::kNone,
       {.head = "FLOP/B", .optional = true},
       "floating-point operations per byte read or written, both from the shapes"},
      {"bytes_per_second",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.head = "memory", .optional = true},
       "bytes read and written (static) per second of its time (measured)"},
      {"flops", Type::kNumber, unit::kFlop, {.hidden = true}, "of all executions, from the shapes"},
      {"bytes",
       Type::kNumber,
       unit::kBytes,
       {.hidden = true},
       "read and written by all executions, from the shapes"},
      {"time", Type::kInteger, unit::kPs, {.hidden = true}, "length of the union of its events (measured)"},
      {"executions", Type::kInteger, unit::kNone, {.hidden = true}, "how often its operations ran"}};
}

void AppendWork(Row& row, const Work& work, std::optional<double> attainable, const std::string& why, Ps self,
                Ps time, uint64_t executions, int64_t device_steps) {
  const bool judged = work.ideal_seconds > 0;
  // What is said of a program holds for the part of it that has a roof.
  constexpr double kNearlyAll = 0.9;
  const double share = Ratio(work.judged_self, self);
  const bool nearly_all = share >= kNearlyAll;
  const std::string most =
      judged && !nearly_all ? fmt::format("only {:.0f} % of its time have a roof", 100 * share) : why;
  const auto rate = [&](double amount, bool known) {
    return known && time > Ps() ? Cell(amount / time.seconds()) : Cell(Unknown{why});
  };
  row.push_back(judged ? PerStep(work.wasted, device_steps) : Cell(Unknown{why}));
  row.push_back(judged ? Cell(work.wasted) : Cell(Unknown{why}));
  row.push_back(PerStep(self, device_steps));
  row.emplace_back(self);
  row.push_back(OrUnknown(nearly_all ? work.efficiency() : std::nullopt, most, 100));
  row.push_back(judged && nearly_all ? Cell(Name(work.bound())) : Cell(Unknown{most}));
  row.push_back(rate(work.flops, work.flops_known));
  row.push_back(OrUnknown(attainable, why));
  row.push_back(OrUnknown(work.intensity(), why));
  row.push_back(rate(work.bytes, work.bytes_known));
  row.push_back(work.flops_known ? Cell(work.flops) : Cell(Unknown{why}));
  row.push_back(work.bytes_known ? Cell(work.bytes) : Cell(Unknown{why}));
  row.emplace_back(time);
  row.emplace_back(executions);
}

Table OperationsTable(const Operations& operations, const std::vector<OpRoof>& roofs) {
  Table table;
  table.name = "roofline";
  table.key = "name";
  table.text_rows = kTextRows;
  table.if_empty = "no device events: the capture holds no work of a device in this part of the run";
  table.columns = {
      {"name", Type::kText, unit::kNone, {.head = "operation", .elastic = true}, "the HLO instruction"},
      {"scope", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "where in the model it is"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "the compiled program"},
      ProgramIdColumn(),
      {"category", Type::kText, unit::kNone, {.hidden = true}, "what it does"}};
  for (report::Column& column : WorkColumns(operations.device_steps > 0)) {
    table.columns.push_back(std::move(column));
  }
  table.columns.push_back({"data_type",
                           Type::kText,
                           unit::kNone,
                           {.head = "type", .optional = true},
                           "what its products multiply; f32 vector: no matrix product"});
  table.columns.push_back(
      {"peak", Type::kNumber, unit::kFlopPerSecond, {.hidden = true}, "of the device in that data type"});
  std::vector<size_t> order;
  for (size_t i = 0; i < roofs.size(); ++i) {
    if (operations.totals[i].what.category == Category::kOtherPrograms) continue;
    if (operations.totals[i].self > Ps() || operations.totals[i].events > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Work& x = roofs[a].work;
    const Work& y = roofs[b].work;
    if (x.wasted != y.wasted) return x.wasted > y.wasted;
    return operations.totals[a].self > operations.totals[b].self;
  });
  for (const size_t i : order) {
    const OpTotal& total = operations.totals[i];
    const Operation& what = total.what;
    Row row = {what.name,
               what.has_scope() ? Cell(what.scope.Text()) : Cell(Unknown{"it belongs to no program"}),
               what.attributed() ? Cell(what.program->name) : Cell(Unknown{"it belongs to no program"}),
               what.attributed() ? Cell(what.program->id) : Cell(Unknown{"it belongs to no program"}),
               Name(what.category)};
    AppendWork(row, roofs[i].work, roofs[i].attainable, roofs[i].work.unjudged_because, total.self,
               total.time, total.executions, operations.device_steps);
    row.push_back(what.attributed() ? Cell(Name(roofs[i].type))
                                    : Cell(Unknown{roofs[i].work.unjudged_because}));
    row.push_back(OrUnknown(roofs[i].peak, "the device's peak is not known"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table ProgramsTable(const Operations& operations, const std::vector<OpRoof>& roofs) {
  Table table;
  table.name = "programs";
  table.key = "name";
  table.text_rows = kTextRows;
  table.columns = {
      {"name", Type::kText, unit::kNone, {.head = "program", .elastic = true}, "the compiled program"}};
  for (report::Column& column : WorkColumns(operations.device_steps > 0)) {
    if (column.name != "attainable") table.columns.push_back(std::move(column));
  }
  for (const OpGroup& group : GroupOperations(operations, roofs, GroupBy::kProgram)) {
    if (group.category == Name(Category::kOtherPrograms)) continue;
    Row row = {group.name};
    AppendWork(row, group.work, std::nullopt, group.work.unjudged_because, group.self, group.time,
               group.executions, operations.device_steps);
    row.erase(row.begin() + 1 + 7);  // several data types have no common roof
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepTable(const StepWork& step) {
  Table table;
  table.name = "step";
  table.columns = {
      {"step_time",
       Type::kInteger,
       unit::kPs,
       {.head = "step", .optional = true},
       "mean period of a step (measured)"},
      {"flops", Type::kNumber, unit::kFlop, {}, "of a step on all devices, from the shapes (static)"},
      {"flops_per_second", Type::kNumber, unit::kFlopPerSecond, {.head = "achieved"}, "flops over step time"},
      {"data_type", Type::kText, unit::kNone, {.head = "type"}, "in which most products are computed"},
      {"peak", Type::kNumber, unit::kFlopPerSecond, {}, "of all devices in that data type"},
      {"hfu",
       Type::kNumber,
       unit::kPercent,
       {.head = "HFU"},
       "hardware utilisation: achieved over peak, all flops"},
      {"mfu",
       Type::kNumber,
       unit::kPercent,
       {.head = "MFU"},
       "model utilisation: without rematerialised flops"},
      {"devices", Type::kInteger, unit::kNone, {.optional = true}, "that the numbers are of"},
      {"model_flops",
       Type::kNumber,
       unit::kFlop,
       {.head = "model", .optional = true},
       "flops of a step without rematerialised work"},
      {"unknown_cost",
       Type::kNumber,
       unit::kPercent,
       {.head = "unknown", .optional = true},
       "share of the time whose flops are not known and missing here"}};
  table.if_empty = "no step: no device work in this part of the run";
  if (step.devices == 0) return table;
  const std::string& why = step.no_peak_because;
  table.rows.push_back(
      {step.seconds ? Cell(Ps(std::llround(*step.seconds * kPsPerSecond))) : Cell(Unknown{kNoSteps}),
       step.flops_known ? Cell(step.flops) : Cell(Unknown{step.unknown_because}),
       OrUnknown(step.flops_per_second, step.unknown_because),
       step.mixed_types ? Cell("mixed") : Cell(Name(step.type)),
       step.mixed_types ? Cell(Unknown{"its operations have several data types, each with its own peak"})
                        : OrUnknown(step.peak, why),
       OrUnknown(step.hfu, why, 100), OrUnknown(step.mfu, why, 100), step.devices,
       step.flops_known ? Cell(step.model_flops) : Cell(Unknown{step.unknown_because}),
       100 * step.unknown_share});
  return table;
}

Table PeaksTable(const Peaks& peaks) {
  Table table;
  table.name = "peaks";
  table.hidden = true;
  table.columns = {{"device", Type::kText, unit::kNone, {}, "the model"},
                   {"what", Type::kText, unit::kNone, {}, "data type of products, or memory"},
                   {"flops_per_second",
                    Type::kNumber,
                    unit::kFlopPerSecond,
                    {.head = "compute", .scale = "TFLOP/s", .decimals = 1},
                    "of one device, dense"},
                   {"bytes_per_second",
                    Type::kNumber,
                    unit::kBytesPerSecond,
                    {.head = "memory"},
                    "of one device's memory"},
                   {"from", Type::kText, unit::kNone, {.hidden = true}, "where the number comes from"}};
  for (size_t i = 0; i < kMathTypes; ++i) {
    const auto type = static_cast<MathType>(i);
    if (!peaks.of(type)) continue;
    table.rows.push_back({peaks.device, Name(type), *peaks.of(type), Unknown{"not a memory"}, peaks.from});
  }
  table.rows.push_back({peaks.device, "memory", Unknown{"not arithmetic"},
                        OrUnknown(peaks.bytes_per_second, "bandwidth " + peaks.from), peaks.from});
  return table;
}

std::string Answer(const Operations& operations, const std::vector<OpRoof>& roofs, const StepWork& step,
                   const Peaks& peaks) {
  if (operations.totals.empty()) return "No device work in this part of the run.";
  if (operations.busy == Ps()) return "The selected devices did nothing in the steps.";
  if (!step.flops_known)
    return fmt::format("The FLOPs of this work are not known: {}.", step.unknown_because);
  const std::string flops = fmt::format(
      "{}{}, {}", report::AmountText(step.flops, unit::kFlop), step.seconds ? " a step" : " in all",
      report::AmountText(step.flops_per_second.value_or(0), unit::kFlopPerSecond));
  if (!step.peak || !step.hfu) {
    const std::string all = step.devices > 1 ? fmt::format(" on all {} devices", step.devices) : "";
    return fmt::format("{}{}; {}.", flops, all, step.no_peak_because);
  }
  const bool same = step.mfu == step.hfu;
  // Of several types each flop is held against the peak of its own: one peak would say something else.
  const std::string peak =
      step.mixed_types ? fmt::format("peaks of its data types on {} × {}", step.devices, peaks.device)
                       : fmt::format("peak of {} × {} ({}: {})", step.devices, peaks.device, Name(step.type),
                                     report::AmountText(*step.peak, unit::kFlopPerSecond));
  std::string text = fmt::format("{}: {:.3g} % of the {}", flops, 100 * *step.hfu, peak);
  if (!same) text += fmt::format(", {:.3g} % without rematerialised work", 100 * *step.mfu);
  Ps wasted;
  for (const OpRoof& roof : roofs) wasted += roof.work.wasted;
  const int64_t parts = std::max<int64_t>(operations.device_steps, 1);
  const Ps own = operations.busy - TimeOfOtherPrograms(operations);
  if (wasted > Ps()) {
    text += fmt::format("; {} of {} of device time{} are beyond the ideal",
                        report::TimeText(Ps(wasted.value() / parts)),
                        report::TimeText(Ps(own.value() / parts)), step.seconds ? " a step" : "");
  }
  return text + ".";
}

void AddNotes(const StepWork& step, const Peaks& peaks, const std::vector<OpRoof>& roofs,
              report::Document& document) {
  document.notes.emplace_back("FLOPs and bytes are static, from the shapes; times are measured");
  if (peaks.bytes_per_second) {
    document.notes.push_back(fmt::format("peaks: {}, memory {}", peaks.from,
                                         report::AmountText(*peaks.bytes_per_second, unit::kBytesPerSecond)));
  } else {
    document.notes.push_back(
        fmt::format("peaks {}; give them with --peak-tflops and --peak-gbps", peaks.from));
  }
  constexpr double kAgree = 0.05;
  if (peaks.bytes_per_second && peaks.captured_bytes_per_second &&
      std::abs(*peaks.captured_bytes_per_second / *peaks.bytes_per_second - 1) > kAgree) {
    document.notes.push_back(
        fmt::format("the capture itself gives a memory bandwidth of {}",
                    report::AmountText(*peaks.captured_bytes_per_second, unit::kBytesPerSecond)));
  }
  if (std::ranges::any_of(roofs, [](const OpRoof& r) { return r.type == MathType::kTf32; })) {
    const bool some = std::ranges::any_of(roofs, [](const OpRoof& r) { return r.type == MathType::kF32; });
    document.notes.push_back(
        fmt::format("products of f32 {}are taken to run as tf32, the default of XLA on this device",
                    some ? "that do not say their precision " : ""));
  }
  constexpr double kWorthSaying = 0.0005;
  if (step.unknown_share > kWorthSaying) {
    document.notes.push_back(
        fmt::format("FLOPs of operations that take {:.1f} % of the time are not known: "
                    "MFU and HFU are too low by what they compute",
                    100 * step.unknown_share));
  }
}

}  // namespace

report::Document RooflineDocument(const RunView& view, const PeakOverride& given) {
  report::Document document = NewDocument("roofline", *view.run);
  const Operations& operations = FindOperations(view);
  const Peaks peaks = PeaksOfRun(view, given);
  const std::vector<OpRoof> roofs = Roofs(operations, peaks);
  const StepWork step = FindStepWork(view, operations, roofs, peaks);
  document.answer = Answer(operations, roofs, step, peaks);
  document.tables = TablesOf(OperationsTable(operations, roofs), ProgramsTable(operations, roofs),
                             StepTable(step), PeaksTable(peaks));
  document.main_table = "roofline";
  if (step.devices > 0) AddNotes(step, peaks, roofs, document);
  if (view.run->typed != "-") {
    document.next = {Command("ops", *view.run, "--by category"), Command("kernels", *view.run)};
  }
  return document;
}

}  // namespace gait::analyze
