#include "gait/analyze/question/overview/overview_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/question/overview/operation_rows.h"
#include "gait/analyze/question/overview/scope_rows.h"
#include "gait/analyze/question/overview/where_table.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kScopes = 8;
constexpr size_t kOperations = 5;
constexpr size_t kTextDevices = 8;
constexpr double kMuchIdle = 0.1;  // of the time: the answer speaks of it first

size_t LargestCause(const Overview& overview) {
  return static_cast<size_t>(std::ranges::max_element(overview.idle) - overview.idle.begin());
}

// Of which steps a step time is the median or the mean.
std::string OfSteps(const Overview& overview) {
  const StepStatistics& steps = *overview.steps;
  return fmt::format("of {}{}", steps.sorted.size(), steps.complete ? "" : ", none complete");
}

// The step is the median, what it is made of are means (docs/metrics/step_time.md): where the two are far
// apart, both are said.
class StepWords {
 public:
  explicit StepWords(const Overview& overview)
      : per_step_{overview.device_steps}, mean_(per_step_(overview.total.window)) {
    if (!overview.steps) return;
    apart_ = !overview.of_program && overview.device_steps > 0 && FarApart(mean_, overview.steps->median());
    statistic_ = (overview.of_program ? "mean " : "median ") + OfSteps(overview);
    if (apart_) statistic_ += fmt::format(", mean {}", TimeText(mean_));
  }
  const std::string& statistic() const { return statistic_; }
  // Of a sum over the windows.
  std::string Part(Ps sum) const {
    return TimeText(per_step_(sum)) + (per_step_.device_steps == 0 ? ""
                                       : apart_                    ? " of the mean"
                                                                   : " a step");
  }

 private:
  StepMean per_step_;
  Ps mean_;
  bool apart_ = false;
  std::string statistic_;
};

// ", 3.70 ms of it waiting for CPU 3": of communication of so long, where that is most of it.
std::string WaitingText(const RunView& view, StepMean per_step, Ps communication) {
  const CollectivesResult& collectives = AnalyzeCollectives(view);
  const Ps waited = std::min(collectives.waited(), communication);
  if (waited < communication / 2) return "";
  const std::string straggler = StragglerOf(view, collectives);
  return fmt::format(", {} of it waiting for {}", TimeText(per_step(waited)),
                     straggler.empty() ? "the device that comes last" : straggler);
}

std::string Answer(const RunView& view, const Overview& overview) {
  if (overview.devices.empty()) return "No device did anything in this capture.";
  if (overview.total.window == Ps()) return "The selected devices did nothing in the steps.";
  const StepMean per_step{overview.device_steps};
  const StepWords words(overview);
  const double idle = Ratio(overview.total.idle, overview.total.window);
  std::string text =
      overview.steps
          ? fmt::format("{} {} ({}), device busy {:.1f} %.",
                        overview.of_program ? TimeText(per_step(overview.total.window)) + " of"
                                            : TimeText(overview.steps->median()),
                        overview.a_step, words.statistic(), 100 * (1 - idle))
          : fmt::format("{}. {} covered on {}, busy {:.1f} %.",
                        overview.outside_steps ? "Not in steps" : "No steps", TimeText(overview.total.window),
                        Plural(overview.devices.size(), "device"), 100 * (1 - idle));
  const size_t cause = LargestCause(overview);
  const Ps communication = overview.total.exposed_communication;
  std::map<Category, Ps> sums = ComputeByCategory(overview);
  // The device is busy with them, but it is Python that works.
  if (const Ps callbacks = sums[Category::kHostCallback];
      Ratio(callbacks, overview.total.window) > kMuchIdle &&
      callbacks > std::max(overview.idle[cause], communication)) {
    return text + fmt::format(" {} go to callbacks into Python.", words.Part(callbacks));
  }
  if (idle > kMuchIdle && overview.idle[cause] >= communication) {
    return text + fmt::format(" It idles {} {}.", words.Part(overview.idle[cause]),
                              Phrase(static_cast<IdleCause>(cause)));
  }
  if (Ratio(communication, overview.total.window) > kMuchIdle) {
    return text + fmt::format(" {} go to communication that nothing hides{}.", words.Part(communication),
                              WaitingText(view, per_step, communication));
  }
  if (const Ps copies = overview.total.exposed_copies; copies > overview.total.compute) {
    return text + fmt::format(" {} go to copies that nothing hides.", words.Part(copies));
  }
  const auto largest = std::ranges::max_element(sums, {}, [](const auto& entry) { return entry.second; });
  if (largest == sums.end() || largest->second == Ps()) return text;
  return text + fmt::format(" {:.0f} % of its work is {}.",
                            100 * Ratio(largest->second, overview.operations->busy), Name(largest->first));
}

// --- overview: one quantity a row -------------------------------------------------------------------------

struct Quantity {
  std::string_view name;
  Cell value;
  std::string_view unit;
  std::string note;
  std::string brief;
};

struct Quantities {
  TableOf<Quantity> table{{.name = "overview", .headless = true}};

  Quantities() {
    table.Add("quantity", "what is measured", &Quantity::name);
    table.Add("value", "how much, in the row's unit", &Quantity::value);
    table.Hidden("unit", "of the value", &Quantity::unit);
    table.Add("note", {.elastic = true}, "what belongs to it", &Quantity::note);
    table.Hidden("brief", "the note below a title that says median, beside the rate against the peak",
                 &Quantity::brief);
  }

  // `brief` is the note where it is not given.
  void Add(std::string_view quantity, const Cell& value, std::string_view value_unit, std::string shown,
           std::string note, std::string brief = {}) {
    if (brief.empty()) brief = note;
    table.Row(
        {quantity, Cell(value).ShownAs(std::move(shown)), value_unit, std::move(note), std::move(brief)});
  }
  void Add(std::string_view quantity, Ps value, std::string note, std::string brief = {}) {
    Add(quantity, value, unit::kPs, TimeText(value), std::move(note), std::move(brief));
  }
};

void AddStep(const Overview& overview, Quantities& out) {
  if (overview.on_host) {
    const StepStatistics& steps = *overview.on_host;
    out.Add("step", steps.median(),
            fmt::format("on the host, median of {}; no device work belongs to a step", steps.sorted.size()));
    return;
  }
  if (!overview.steps) {
    out.Add("step", Unknown{kNoSteps}, unit::kPs, "–",
            overview.outside_steps   ? "the selected program ran in none"
            : overview.unknown_steps ? "annotated, but no device work belongs to one"
                                     : "no annotated steps, and no period in which programs run");
    return;
  }
  const StepStatistics& steps = *overview.steps;
  const Ps mean = overview.device_steps > 0 ? overview.total.window / overview.device_steps : steps.median();
  if (overview.of_program) {
    out.Add("step", mean,
            fmt::format("of the selected program, mean {}; whole steps {}", OfSteps(overview),
                        TimeText(Ps(static_cast<int64_t>(steps.mean())))));
  } else if (steps.sorted.size() == 1) {
    out.Add("step", steps.median(), "median " + OfSteps(overview), OfSteps(overview));
  } else {
    // All parts below are means over devices and steps: they sum to the mean.
    const std::string brief =
        fmt::format("{}; mean {}, p99 {}, σ {}", OfSteps(overview), TimeText(mean), TimeText(steps.at(0.99)),
                    TimeText(Ps(static_cast<int64_t>(steps.sigma()))));
    out.Add("step", steps.median(), "median " + brief, brief);
  }
  out.Add("loop", overview.series->name, unit::kNone, overview.series->name,
          (overview.series->inferred() ? "steps inferred; " : "") + overview.series->LoopText());
}

void AddProfiler(const Overview& overview, Quantities& out) {
  if (overview.uncaptured) {
    out.Add("uncaptured", *overview.uncaptured, "without the profiler; a single step does not compare");
  }
  if (!overview.profiler) return;
  const ProfilerCost& cost = *overview.profiler;
  out.Add("uncaptured", cost.uncaptured,
          cost.is_estimate()
              ? fmt::format("estimated: recording cost {} of a step", RangeText(cost.slower))
              : fmt::format("without the profiler; with it, the mean is {:.2f} times as long", cost.factor));
  out.Add("idle then", cost.idle_without_it,
          fmt::format("estimated from {}, less what it added", TimeText(cost.idle)));
}

void AddMemory(const Overview& overview, Quantities& out) {
  const Allocator* worst = WorstAllocator(overview.memory);
  const ProgramMemory* program = nullptr;
  for (const HostMemory& host : overview.memory) {
    if (program == nullptr) program = host.program_at_peak();
  }
  if (worst != nullptr) {
    const std::optional<int64_t> capacity = worst->limit ? worst->limit : worst->device_memory;
    out.Add("memory", worst->peak, unit::kBytes, BytesText(static_cast<uint64_t>(worst->peak)),
            fmt::format("peak on {}{}{}", worst->device,
                        capacity ? " of " + BytesText(static_cast<uint64_t>(*capacity)) : "",
                        worst->limit ? " that JAX may use" : ""));
  } else if (program != nullptr) {
    out.Add("memory", program->total(), unit::kBytes, BytesText(static_cast<uint64_t>(program->total())),
            fmt::format("needed by {}; no allocator events", program->program->name));
  } else {
    out.Add("memory", Unknown{"no allocator events and no buffer assignment"}, unit::kBytes, "–",
            "no allocator events and no buffer assignment in this capture");
  }
}

void AddWork(const Overview& overview, Quantities& out) {
  const StepWork& work = overview.work;
  if (work.flops <= 0) {
    out.Add("compute", Unknown{"no operation with a known cost"}, unit::kFlop, "–",
            "no operation with a known cost");
    return;
  }
  std::string note;
  if (work.flops_per_second) note = AmountText(*work.flops_per_second, unit::kFlopPerSecond);
  std::string brief = note;
  if (work.hfu && work.peak) {
    const std::string share = *work.hfu < 0.0005 ? "<0.1" : fmt::format("{:.1f}", 100 * *work.hfu);
    note += work.mixed_types ? fmt::format(", {} % of the peaks of its data types", share)
                             : fmt::format(", {} % of peak ({} {})", share, Name(work.type),
                                           AmountText(*work.peak, unit::kFlopPerSecond));
  } else {
    note += fmt::format("; {}", work.no_peak_because);
    brief = note;
  }
  out.Add("compute", work.flops, unit::kFlop, AmountText(work.flops, unit::kFlop), note, brief);
}

void AddTransfers(const Overview& overview, Quantities& out) {
  const TransferSum& all = overview.transfers->all;
  if (all.count == 0) return;
  const StepMean per_step{overview.device_steps};
  const int64_t bytes = overview.device_steps > 0 ? all.bytes / overview.device_steps : all.bytes;
  std::string note = fmt::format("{} in copies", TimeText(per_step(all.union_time)));
  if (all.staging_union > Ps()) note += fmt::format(", {} staging", TimeText(per_step(all.staging_union)));
  const std::string amount = BytesText(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
  if (all.without_bytes == 0) {
    out.Add("transfers", bytes, unit::kBytes, amount, std::move(note));
    return;
  }
  note += fmt::format("; {} of {} do not say how much", all.without_bytes, all.count);
  const bool none = all.without_bytes == all.count;
  out.Add("transfers", none ? Cell(Unknown{"the copies do not say how much"}) : Cell(bytes), unit::kBytes,
          none ? "–" : "≥ " + amount, std::move(note));
}

void AddCompiles(const Overview& overview, Quantities& out) {
  const CompileTotals most = MostOfAnyHost(overview.compiles);
  if (most.compiled == 0 && most.wall == Ps()) {
    out.Add("compile", Ps(), "nothing was compiled in this capture");
    return;
  }
  std::string note = Plural(most.compiled, "compilation");
  if (most.autotuning > Ps())
    note += fmt::format(", {:.0f} % of it autotuning", 100 * Ratio(most.autotuning, most.wall));
  out.Add("compile", most.wall, std::move(note));
}

// --- devices ----------------------------------------------------------------------------------------------

Table DevicesTable(const Overview& overview, bool one_host) {
  using Device = DeviceOverview;
  TableOf<Device> t(
      {.name = "devices", .hidden = overview.devices.size() < 2, .text_rows = kTextDevices, .key = "device"});
  const auto time = [&t](const char* name, Show show, std::string_view about, Ps Partition::* part) {
    t.Time(name, std::move(show), about,
           [part](const Device& d) { return StepMean{d.steps}(d.parts.*part); });
  };
  t.Add("host", HostShow(one_host), "the machine", [](const Device& d) { return d.host->host->name; });
  t.Add("device", "the device", [](const Device& d) { return d.device->name; });
  time("window", {.head = overview.device_steps > 0 ? "step" : "time"}, "time covered, per step",
       &Partition::window);
  time("compute", {}, "some computation ran", &Partition::compute);
  time("exposed_communication", {.head = "comm"}, "only communication ran",
       &Partition::exposed_communication);
  time("exposed_copies", {.head = "copies"}, "only copies ran", &Partition::exposed_copies);
  time("unknown", {.hidden = overview.total.unknown == Ps()}, "only kernels of no program ran",
       &Partition::unknown);
  time("idle", {}, "nothing ran", &Partition::idle);
  t.Percent("busy", "share of the time in which something ran",
            [](const Device& d) { return Percent(d.parts.busy(), d.parts.window); });
  return t.Of(overview.devices);
}

// How far the devices are from each other, in a sentence.
void NoteSpread(const Overview& overview, report::Document& document) {
  if (const auto& without = overview.without_steps; !without.empty()) {
    document.notes.push_back(fmt::format(
        "without {}{}, which worked for none of these steps", without[0],
        without.size() > 1 ? fmt::format(" and {}", Plural(without.size() - 1, "other device")) : ""));
  }
  if (overview.devices.size() < 2) return;
  // A device that waits in a collective is busy too, and longest where it has least to do.
  const auto compute = [](const DeviceOverview& d) { return d.parts.compute; };
  const auto [least, most] = std::ranges::minmax_element(overview.devices, {}, compute);
  const bool hosts = least->host != most->host;
  const auto name = [&](const DeviceOverview& d) {
    return hosts ? fmt::format("{} of {}", d.device->name, d.host->host->name) : d.device->name;
  };
  constexpr double kWorthSaying = 0.001;
  const double less = 1 - Ratio(compute(*least), compute(*most));
  if (compute(*most) == Ps() || less < kWorthSaying) return;
  document.notes.push_back(fmt::format("of {} devices {} computed longest, {} shortest ({:.1f} % less)",
                                       overview.devices.size(), name(*most), name(*least), 100 * less));
}

}  // namespace

report::Document OverviewDocument(const RunView& view, const Overview& overview,
                                  const std::optional<OverviewLine>& line) {
  report::Document document = NewDocument("overview", *view.run);
  document.answer = Answer(view, overview);
  Quantities quantities;
  AddStep(overview, quantities);
  AddProfiler(overview, quantities);
  if (line) quantities.Add(line->quantity, line->value, line->note);
  AddMemory(overview, quantities);
  AddWork(overview, quantities);
  AddTransfers(overview, quantities);
  AddCompiles(overview, quantities);
  document.tables =
      TablesOf(quantities.table.Done(), WhereTable(overview), ScopesTable(overview, kScopes),
               OperationsTable(overview, kOperations), DevicesTable(overview, view.hosts.size() == 1));
  document.main_table = "where";
  document.cut_table = "top_operations";
  NoteSpread(overview, document);
  if (overview.series != nullptr && !overview.series->note.empty())
    document.notes.push_back(overview.series->note);
  if (view.run->typed != "-") {
    document.next = {Command("doctor", *view.run), Command("ops", *view.run), Command("idle", *view.run)};
  }
  return document;
}

}  // namespace gait::analyze
