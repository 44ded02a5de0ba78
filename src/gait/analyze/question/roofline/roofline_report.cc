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

NumberCell InPercent(const std::optional<double>& share, const std::string& why) {
  if (!share) return Unknown{why};
  return 100 * *share;
}

// What an operation or a program did.
struct Done {
  const Work& work;
  std::optional<double> attainable;
  Ps self, time;
  uint64_t executions = 0;

  bool judged() const { return work.ideal_seconds > 0; }
  // What is said of a program holds for the part of it that has a roof.
  double judged_share() const { return Ratio(work.judged_self, self); }
  bool nearly_all() const { return judged_share() >= 0.9; }
  std::string WhyUnjudged() const {
    if (!judged() || nearly_all()) return work.unjudged_because;
    return fmt::format("only {:.0f} % of its time have a roof", 100 * judged_share());
  }
  NumberCell Known(double amount, bool known) const {
    if (!known) return Unknown{work.unjudged_because};
    return amount;
  }
  NumberCell Rate(double amount, bool known) const {
    return Known(amount / time.seconds(), known && time > Ps());
  }
};

// How long it took, and how much longer than it had to.
void AddTimes(TableOf<Done>& t, int64_t steps) {
  const auto wasted = [](const Done& d, TimeCell time) -> TimeCell {
    return d.judged() ? std::move(time) : Unknown{d.work.unjudged_because};
  };
  t.Time("wasted_per_step", {.head = "wasted", .hidden = steps == 0},
         "time in a step beyond the ideal: self x (1 - efficiency)",
         [=](const Done& d) { return wasted(d, PerStep(d.work.wasted, steps)); });
  t.Time("wasted", {.hidden = steps > 0}, "time beyond the ideal: self x (1 - efficiency)",
         [=](const Done& d) { return wasted(d, d.work.wasted); });
  t.Time("per_step", {.head = "a step", .hidden = steps == 0},
         "self time in a step, the mean over steps and devices",
         [=](const Done& d) { return PerStep(d.self, steps); });
  t.Time("self", {.hidden = steps > 0}, "device time that is its own (measured)", &Done::self);
}

// Columns that operations and programs share. Several data types, as in a program, have no common roof.
TableOf<Done> WorkColumns(int64_t steps, bool one_type) {
  TableOf<Done> t({});
  AddTimes(t, steps);
  t.Percent("efficiency", "achieved over attainable; above 100 % operands came from a cache, not from memory",
            [](const Done& d) {
              return InPercent(d.nearly_all() ? d.work.efficiency() : std::nullopt, d.WhyUnjudged());
            });
  t.Add("bound", {.head = "bound by"},
        "what limits the ideal time: the peak of arithmetic (compute) or of memory",
        [](const Done& d) -> TextCell {
          if (!d.judged() || !d.nearly_all()) return Unknown{d.WhyUnjudged()};
          return Name(d.work.bound());
        });
  t.Add("flops_per_second", unit::kFlopPerSecond, {.head = "achieved", .group = "flops", .optional = true},
        "floating-point operations (static) per second of its time (measured)",
        [](const Done& d) { return d.Rate(d.work.flops, d.work.flops_known); });
  if (one_type) {
    t.Add("attainable", unit::kFlopPerSecond, {.group = "flops", .optional = true},
          "the most at its intensity: min(peak, intensity x bandwidth)",
          [](const Done& d) { return OrUnknown(d.attainable, d.work.unjudged_because); });
  }
  t.Add("intensity", {.head = "FLOP/B", .optional = true},
        "floating-point operations per byte read or written, both from the shapes",
        [](const Done& d) { return OrUnknown(d.work.intensity(), d.work.unjudged_because); });
  t.Add("bytes_per_second", unit::kBytesPerSecond, {.head = "memory", .optional = true},
        "bytes read and written (static) per second of its time (measured)",
        [](const Done& d) { return d.Rate(d.work.bytes, d.work.bytes_known); });
  t.Hidden("flops", unit::kFlop, "of all executions, from the shapes",
           [](const Done& d) { return d.Known(d.work.flops, d.work.flops_known); });
  t.Hidden("bytes", unit::kBytes, "read and written by all executions, from the shapes",
           [](const Done& d) { return d.Known(d.work.bytes, d.work.bytes_known); });
  t.Hidden("time", "length of the union of its events (measured)", &Done::time);
  t.Hidden("executions", "how often its operations ran", &Done::executions);
  return t;
}

Table OperationsTable(const Operations& operations, const std::vector<OpRoof>& roofs) {
  struct Op {
    const OpTotal& total;
    const OpRoof& roof;
    const Operation& what() const { return total.what; }
  };
  constexpr const char* kOfNone = "it belongs to no program";
  TableOf<Op> t(
      {.name = "roofline",
       .if_empty = "no device events: the capture holds no work of a device in this part of the run",
       .text_rows = kTextRows,
       .key = "name"});
  t.Add("name", {.head = "operation", .elastic = true}, "the HLO instruction",
        [](const Op& op) { return op.what().name; });
  t.Add("scope", {.elastic = true, .keep_end = true}, "where in the model it is",
        [](const Op& op) -> TextCell {
          if (!op.what().has_scope()) return Unknown{kOfNone};
          return op.what().scope.Text();
        });
  t.Hidden("program", "the compiled program", [](const Op& op) -> TextCell {
    if (!op.what().attributed()) return Unknown{kOfNone};
    return op.what().program->name;
  });
  AddProgramId(t, [](const Op& op) -> CellOf<uint64_t> {
    if (!op.what().attributed()) return Unknown{kOfNone};
    return op.what().program->id;
  });
  t.Hidden("category", "what it does", [](const Op& op) { return Name(op.what().category); });
  t.Include(WorkColumns(operations.device_steps, true), [](const Op& op) {
    return Done{op.roof.work, op.roof.attainable, op.total.self, op.total.time, op.total.executions};
  });
  t.Add("data_type", {.head = "type", .optional = true},
        "what its products multiply; f32 vector: no matrix product", [](const Op& op) -> TextCell {
          if (!op.what().attributed()) return Unknown{op.roof.work.unjudged_because};
          return Name(op.roof.type);
        });
  t.Hidden("peak", unit::kFlopPerSecond, "of the device in that data type",
           [](const Op& op) { return OrUnknown(op.roof.peak, "the device's peak is not known"); });
  std::vector<size_t> order;
  for (size_t i = 0; i < roofs.size(); ++i) {
    if (operations.totals[i].what.category == Category::kOtherPrograms) continue;
    if (operations.totals[i].self > Ps() || operations.totals[i].events > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) {
    return std::pair(roofs[i].work.wasted, operations.totals[i].self);
  });
  for (const size_t i : order) t.Row({operations.totals[i], roofs[i]});
  return t.Done();
}

Table ProgramsTable(const Operations& operations, const std::vector<OpRoof>& roofs) {
  TableOf<OpGroup> t({.name = "programs", .text_rows = kTextRows, .key = "name"});
  t.Add("name", {.head = "program", .elastic = true}, "the compiled program", &OpGroup::name);
  AddProgramId(t, Known(&OpGroup::program_id, "of no program"));
  t.Include(WorkColumns(operations.device_steps, false), [](const OpGroup& group) {
    return Done{group.work, std::nullopt, group.self, group.time, group.executions};
  });
  for (const OpGroup& group : GroupOperations(operations, roofs, GroupBy::kProgram)) {
    if (group.category != Name(Category::kOtherPrograms)) t.Row(group);
  }
  return t.Done();
}

Table StepTable(const StepWork& step) {
  TableOf<StepWork> t({.name = "step", .if_empty = "no step: no device work in this part of the run"});
  const auto flops = [](double StepWork::* member) {
    return [member](const StepWork& s) -> NumberCell {
      if (!s.flops_known) return Unknown{s.unknown_because};
      return s.*member;
    };
  };
  t.Add("step_time", {.head = "step", .optional = true}, "mean period of a step (measured)",
        [](const StepWork& s) -> TimeCell {
          if (!s.seconds) return Unknown{kNoSteps};
          return Ps(std::llround(*s.seconds * kPsPerSecond));
        });
  t.Add("flops", unit::kFlop, {}, "of a step on all devices, from the shapes (static)",
        flops(&StepWork::flops));
  t.Add("flops_per_second", unit::kFlopPerSecond, {.head = "achieved"}, "flops over step time",
        [](const StepWork& s) { return OrUnknown(s.flops_per_second, s.unknown_because); });
  t.Add("data_type", {.head = "type"}, "in which most products are computed",
        [](const StepWork& s) { return s.mixed_types ? TextCell("mixed") : TextCell(Name(s.type)); });
  t.Add("peak", unit::kFlopPerSecond, {}, "of all devices in that data type",
        [](const StepWork& s) -> NumberCell {
          if (s.mixed_types) return Unknown{"its operations have several data types, each with its own peak"};
          return OrUnknown(s.peak, s.no_peak_because);
        });
  t.Percent("hfu", {.head = "HFU"}, "hardware utilisation: achieved over peak, all flops",
            [](const StepWork& s) { return InPercent(s.hfu, s.no_peak_because); });
  t.Percent("mfu", {.head = "MFU"}, "model utilisation: without rematerialised flops",
            [](const StepWork& s) { return InPercent(s.mfu, s.no_peak_because); });
  t.Add("devices", {.optional = true}, "that the numbers are of", &StepWork::devices);
  t.Add("model_flops", unit::kFlop, {.head = "model", .optional = true},
        "flops of a step without rematerialised work", flops(&StepWork::model_flops));
  t.Percent("unknown_cost", {.head = "unknown", .optional = true},
            "share of the time whose flops are not known and missing here",
            [](const StepWork& s) { return 100 * s.unknown_share; });
  if (step.devices > 0) t.Row(step);
  return t.Done();
}

Table PeaksTable(const Peaks& peaks) {
  struct Peak {
    std::string_view what;
    NumberCell flops, bytes;
  };
  TableOf<Peak> t({.name = "peaks", .hidden = true});
  t.Add("device", "the model", [&](const Peak&) { return peaks.device; });
  t.Add("what", "data type of products, or memory", &Peak::what);
  t.Add("flops_per_second", unit::kFlopPerSecond, {.head = "compute", .scale = "TFLOP/s", .decimals = 1},
        "of one device, dense", &Peak::flops);
  t.Add("bytes_per_second", unit::kBytesPerSecond, {.head = "memory"}, "of one device's memory",
        &Peak::bytes);
  t.Hidden("from", "where the number comes from", [&](const Peak&) { return peaks.from; });
  for (size_t i = 0; i < kMathTypes; ++i) {
    const auto type = static_cast<MathType>(i);
    if (peaks.of(type)) t.Row({Name(type), *peaks.of(type), Unknown{"not a memory"}});
  }
  t.Row({"memory", Unknown{"not arithmetic"}, OrUnknown(peaks.bytes_per_second, "bandwidth " + peaks.from)});
  return t.Done();
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
    document.links.push_back({"with --peak-tflops and --peak-gbps", "roofline"});
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
