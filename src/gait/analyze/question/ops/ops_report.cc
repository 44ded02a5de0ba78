#include "gait/analyze/question/ops/ops_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 20;
constexpr size_t kTextTreeRows = 40;

struct Context {
  GroupBy by;
  Ps busy;
  int64_t device_steps;
  bool long_names;  // some do not fit beside the numbers
  Ps others;        // of the busy time: what other programs did beside a selected one

  bool tree() const { return by == GroupBy::kScope || by == GroupBy::kLayer; }
  TimeCell PerStep(Ps sum) const { return analyze::PerStep(sum, device_steps); }
  double Share(Ps self) const { return Percent(self, busy); }
};

NumberCell Rate(double amount, bool known, const OpGroup& group) {
  if (!known) return Unknown{group.work.unknown_because};
  if (group.time <= Ps()) return Unknown{"it takes no time"};
  return amount / group.time.seconds();
}

void AddLayers(TableOf<OpGroup>& t, const Context& context) {
  using G = OpGroup;
  t.Add("layers", "how many scopes, alike but for a number, the row stands for", &G::layers);
  t.Add("layer_mean", {.head = "each", .group = "layer"},
        "self time of one layer in a step: the mean over the layers", [&](const G& g) {
          return context.PerStep(Ps(g.self.value() / static_cast<int64_t>(std::max<uint64_t>(g.layers, 1))));
        });
  t.Add("layer_min", {.head = "min", .group = "layer", .wide = true},
        "self time in a step of the layer that takes least",
        [&](const G& g) { return context.PerStep(g.layer_min); });
  t.Add("layer_max", {.head = "max", .group = "layer", .wide = true},
        "self time in a step of the layer that takes most",
        [&](const G& g) { return context.PerStep(g.layer_max); });
  t.Percent("layer_spread", {.head = "spread"}, "(max - min) / mean: how far the layers differ",
            [](const G& g) -> NumberCell {
              if (g.layers < 2) return Unknown{"there is only one"};
              if (g.self <= Ps()) return Unknown{"they take no time"};
              const double mean = static_cast<double>(g.self.value()) / static_cast<double>(g.layers);
              return 100 * static_cast<double>((g.layer_max - g.layer_min).value()) / mean;
            });
  t.Add("slowest_layer", {.head = "slowest", .wide = true}, "the layer that takes most",
        [](const G& g) -> TextCell {
          if (g.layers < 2) return Unknown{"there is only one"};
          return g.slowest_layer;
        });
}

void AddWork(TableOf<OpGroup>& t, const Context& context) {
  using G = OpGroup;
  const bool op = context.by == GroupBy::kOp;
  const bool crowded = context.by == GroupBy::kLayer || context.by == GroupBy::kShape;
  t.Add("executions", {.head = op ? "runs" : "op runs", .hidden = crowded, .optional = true},
        "how often its operations ran; one made of several kernels ran once", &G::executions);
  t.Add("bound", {.head = "bound by", .hidden = crowded, .optional = true},
        "what limits its ideal time: the peak of arithmetic (compute) or of memory; from shapes and peaks",
        [](const G& g) -> TextCell {
          if (g.work.bound() == Bound::kUnknown) return Unknown{g.work.unjudged_because};
          return Name(g.work.bound());
        });
  t.Add("category", {.hidden = !op, .optional = true}, "what it does: matmul, elementwise, ...",
        Known(&G::category, "of several categories"));
  t.Add("flops_per_second", unit::kFlopPerSecond, {.head = "compute", .hidden = crowded, .optional = true},
        "floating-point operations (static, from the shapes) per second of its time (measured)",
        [](const G& g) { return Rate(g.work.flops, g.work.flops_known, g); });
  t.Add("bytes_per_second", unit::kBytesPerSecond, {.head = "memory", .hidden = crowded, .optional = true},
        "bytes read and written (static, from the shapes) per second of its time (measured)",
        [](const G& g) { return Rate(g.work.bytes, g.work.bytes_known, g); });
  const auto known = [](double value, bool is_known, const G& g) -> NumberCell {
    if (!is_known) return Unknown{g.work.unknown_because};
    return value;
  };
  t.Add("flops", unit::kFlop, {.wide = true}, "floating-point operations of all executions, from the shapes",
        [=](const G& g) { return known(g.work.flops, g.work.flops_known, g); });
  t.Add("bytes", unit::kBytes, {.wide = true}, "bytes read and written by all executions, from the shapes",
        [=](const G& g) { return known(g.work.bytes, g.work.bytes_known, g); });
  t.Hidden("unknown_cost", unit::kPercent,
           "share of its self time whose flops or bytes are not known and missing in the sums",
           [](const G& g) {
             return g.self > Ps() ? 100 * static_cast<double>(g.work.unknown_self.value()) /
                                        static_cast<double>(g.self.value())
                                  : 0.0;
           });
}

// What there is in some groups to tell.
struct Variety {
  bool several_programs = false;
  bool several_passes = false;
  bool host_scopes = false;

  explicit Variety(const std::vector<OpGroup>& groups) {
    std::set<std::string> programs;
    std::set<std::optional<Pass>> passes;
    for (const OpGroup& group : groups) {
      if (!group.program.empty()) programs.insert(group.program);
      if (group.pass) passes.insert(group.pass);
      host_scopes |= group.of_host;
    }
    several_programs = programs.size() > 1;
    several_passes = passes.size() > 1;
  }
};

// What a row is about.
void AddNames(TableOf<OpGroup>& t, const Context& context, const Variety& has) {
  using G = OpGroup;
  const bool op = context.by == GroupBy::kOp;
  const bool layer = context.by == GroupBy::kLayer;
  // Of a tree people see the last element, indented; --name matches the whole path.
  const auto name = [&](bool hidden) {
    return Show{.head = std::string(op ? "operation" : Name(context.by)),
                .hidden = hidden,
                .elastic = context.long_names,
                .keep_end = context.by == GroupBy::kSource};
  };
  t.Add("name", name(context.tree()), "what the row is about", &G::name);
  t.Add("path", name(!context.tree()), "the name with everything above it",
        [](const G& g) { return TextCell(g.path).ShownAs(g.name); });
  t.Hidden("depth", "how many rows stand above it", &G::depth);
  t.Add("scope", {.hidden = !op, .elastic = true, .keep_end = true},
        "where in the model it is: the function, the pass and the named scopes around it",
        Known(&G::scope, "in no scope or in several"));
  t.Add("program", {.hidden = !has.several_programs || !(layer || op), .elastic = true, .optional = true},
        "the compiled program it belongs to", Known(&G::program, "of no program or of several"));
  t.Add("from", {.hidden = !has.host_scopes || !context.tree()},
        "whose scope it is: the host's (annotations around the launch) or the program's own",
        [&](const G& g) -> TextCell {
          if (!context.tree()) return Unknown{"it is no scope"};
          return g.of_host ? "host" : "program";
        });
  AddProgramId(t, Known(&G::program_id, "of no program or of several"));
  t.Add("pass", {.hidden = !layer || !has.several_passes}, "forward, backward, rematerialised or other",
        [](const G& g) -> TextCell {
          if (!g.pass) return Unknown{"of no pass or of several"};
          return Name(*g.pass);
        });
}

// How much of the time is its own.
void AddSelfTimes(TableOf<OpGroup>& t, const Context& context) {
  const bool steps = context.device_steps > 0;
  t.Time("per_step", {.head = "a step", .hidden = !steps},
         "self time in a step, the mean over steps and devices",
         [&](const OpGroup& g) { return context.PerStep(g.self); });
  t.Time("self", {.hidden = steps},
         "device time that is its own: each instant of busy time belongs to one operation", &OpGroup::self);
  t.Percent("share", {.head = "of busy"}, "self time over the devices' busy time",
            [&](const OpGroup& g) { return context.Share(g.self); });
}

// What else there is to know of a row.
void AddDetails(TableOf<OpGroup>& t) {
  using G = OpGroup;
  t.Hidden("time", "length of the union of its events, also where others overlap it", &G::time);
  t.Hidden("own", "self time without the rows below it", &G::own);
  t.Add("mean", {.wide = true}, "time of one execution", [](const G& g) -> TimeCell {
    if (g.executions == 0) return Unknown{"it did not begin inside the steps"};
    return Ps(g.time.value() / static_cast<int64_t>(g.executions));
  });
  t.Hidden("events", "kernels, copies and operations on the device", &G::events);
  t.Hidden("operations", "different instructions in the row", &G::operations);
  t.Add("source", {.elastic = true, .keep_end = true, .wide = true}, "the line that made it",
        Known(&G::source, "no source line or several"));
  t.Add("caller", {.elastic = true, .keep_end = true, .wide = true},
        "the line and function of Python that launched it, where the Python tracer recorded",
        Known(&G::caller, "of several callers, or not recorded"));
  t.Hidden("unattributed", "the row by scope, source line or program of what belongs to no instruction",
           Known(&G::unattributed, "of an instruction"));
}

Table OpsTable(const std::vector<OpGroup>& groups, const Context& context) {
  const bool tree = context.tree();
  TableOf<OpGroup> t(
      {.name = "ops",
       .if_empty = "no device events: the capture holds no work of a device in this part of the run",
       .text_rows = tree ? kTextTreeRows : kTextRows,
       .weight = tree ? "self" : "",
       .key = tree ? "path" : "name",
       .depth = tree ? "depth" : ""});
  AddNames(t, context, Variety(groups));
  AddSelfTimes(t, context);
  if (context.by == GroupBy::kLayer) AddLayers(t, context);
  AddWork(t, context);
  AddDetails(t);
  return t.Of(groups);
}

std::string TimeOf(Ps self, const Context& context) {
  return report::TimeText(context.device_steps > 0 ? Ps(self.value() / context.device_steps) : self);
}

// "layer_* (12 of them): 360 µs forward, 490 µs backward each"
std::string LayersAnswer(const std::vector<OpGroup>& groups, const Context& context) {
  const auto first = std::ranges::find_if(groups, [](const OpGroup& g) { return g.layers > 1; });
  if (first == groups.end()) return {};
  std::string each;
  for (const OpGroup& group : groups) {
    if (group.path != first->path || group.program != first->program || group.layers < 2) continue;
    const Ps mean(group.self.value() / static_cast<int64_t>(group.layers));
    const double spread = group.self > Ps()
                              ? 100 * static_cast<double>((group.layer_max - group.layer_min).value()) /
                                    static_cast<double>(mean.value())
                              : 0;
    constexpr double kOneIsApart = 10;
    each += fmt::format("{}{} {} (spread {:.0f} %{})", each.empty() ? "" : ", ", TimeOf(mean, context),
                        group.pass ? Name(*group.pass) : "", spread,
                        spread < kOneIsApart ? "" : fmt::format(", {} takes most", group.slowest_layer));
  }
  return fmt::format("{} × {}: {} each{}.", first->layers, first->path, each,
                     context.device_steps > 0 ? " in a step" : "");
}

// "; the 5 largest take 62.3 %" of rows side by side.
std::string LargestAnswer(std::vector<const OpGroup*> rows, const Context& context) {
  constexpr size_t kFirst = 5;
  std::erase_if(rows, [](const OpGroup* g) { return g->category == Name(Category::kOtherPrograms); });
  Ps sum;
  for (size_t i = 0; i < std::min(kFirst, rows.size()); ++i) sum += rows[i]->self;
  std::string text =
      fmt::format(" in {}", report::Plural(rows.size(), context.by == GroupBy::kOp ? "operation" : "shape"));
  if (context.others > Ps())
    text += fmt::format(", {} of it other programs", TimeOf(context.others, context));
  if (rows.size() > kFirst) text += fmt::format("; the {} largest take {:.1f} %", kFirst, context.Share(sum));
  return text + ".";
}

// The rows that tell most: those of the top, or of a tree with one root what is below it.
std::vector<const OpGroup*> RowsToTell(const std::vector<OpGroup>& groups,
                                       const std::vector<const OpGroup*>& roots, const Context& context) {
  constexpr double kNearlyAll = 95;  // percent
  if (context.by != GroupBy::kScope || context.Share(roots[0]->self) <= kNearlyAll) return roots;
  std::vector<const OpGroup*> below;
  for (const OpGroup& group : groups) {
    if (group.depth == 1 && group.path.starts_with(roots[0]->path + "/")) below.push_back(&group);
  }
  return below.empty() ? roots : below;
}

// ": forward 30.1 %, backward 60.3 % and others."
std::string SharesAnswer(std::vector<const OpGroup*> told, const Context& context) {
  constexpr size_t kFirst = 3;
  constexpr double kWorthTelling = 0.05;  // percent
  const OpGroup* first = told[0];
  std::erase_if(told, [&](const OpGroup* g) { return g != first && context.Share(g->self) < kWorthTelling; });
  std::string parts;
  for (size_t i = 0; i < std::min(kFirst, told.size()); ++i) {
    const bool by_pass = context.by == GroupBy::kLayer && told[i]->pass && told[i]->pass != Pass::kOther;
    parts +=
        fmt::format("{}{}{} {:.1f} %", i == 0 ? "" : ", ", told[i]->name,
                    by_pass ? fmt::format(" {}", Name(*told[i]->pass)) : "", context.Share(told[i]->self));
  }
  return fmt::format(": {}{}.", parts, told.size() > kFirst ? " and others" : "");
}

std::string Answer(const std::vector<OpGroup>& groups, const Context& context, const RunView& view) {
  if (groups.empty()) return "No device work in this part of the run.";
  if (context.by == GroupBy::kLayer) {
    const std::string layers = LayersAnswer(groups, context);
    if (!layers.empty()) return layers;
  }
  std::vector<const OpGroup*> roots;
  for (const OpGroup& group : groups) {
    if (group.depth == 0) roots.push_back(&group);
  }
  const std::string total = fmt::format("{} of device time {}", TimeOf(context.busy, context),
                                        context.device_steps > 0 ? "a step" : "in " + view.Coverage());
  const bool flat = context.by == GroupBy::kOp || context.by == GroupBy::kShape;
  return total + (flat ? LargestAnswer(std::move(roots), context)
                       : SharesAnswer(RowsToTell(groups, roots, context), context));
}

void AddNotes(const std::vector<OpGroup>& groups, const Context& context, const Peaks& peaks,
              report::Document& document) {
  Ps unknown;
  std::string why;
  for (const OpGroup& group : groups) {
    if (group.depth != 0) continue;
    unknown += group.work.unknown_self;
    if (why.empty()) why = group.work.unknown_because;
  }
  constexpr double kWorthSaying = 0.05;  // percent
  if (context.Share(unknown) > kWorthSaying) {
    document.notes.push_back(fmt::format("FLOPs and bytes of {:.1f} % of the time are not known: {}",
                                         context.Share(unknown), why));
  }
  Ps of_host;
  for (const OpGroup& group : groups) {
    if (group.depth == 0 && group.of_host) of_host += group.self;
  }
  if (of_host > Ps()) {
    document.notes.push_back(
        fmt::format("{:.1f} % of the time was launched inside scopes of the host; rows below these are the "
                    "programs' own scopes",
                    context.Share(of_host)));
  }
  if (!peaks.bytes_per_second && !peaks.from.empty()) {
    document.notes.push_back(
        fmt::format("bound by: peaks {}; give them with --peak-tflops and --peak-gbps", peaks.from));
    document.links.push_back({"with --peak-tflops and --peak-gbps", "roofline"});
  }
}

}  // namespace

report::Document OpsDocument(const RunView& view, GroupBy by, const PeakOverride& given) {
  report::Document document = NewDocument("ops", *view.run);
  const bool tree = by == GroupBy::kScope || by == GroupBy::kLayer;
  const Operations& operations = tree ? FindOperationsByHostScope(view) : FindOperations(view);
  const Peaks peaks = PeaksOfRun(view, given);
  const std::vector<OpGroup> groups = GroupOperations(operations, Roofs(operations, peaks), by);
  constexpr size_t kLongName = 36;
  const bool long_names = std::ranges::any_of(
      groups, [](const OpGroup& g) { return g.name.size() + 2 * static_cast<size_t>(g.depth) > kLongName; });
  const Context context{by, operations.busy, operations.device_steps,
                        by == GroupBy::kOp || by == GroupBy::kLayer || long_names,
                        TimeOfOtherPrograms(operations)};
  document.answer = Answer(groups, context, view);
  document.tables.push_back(OpsTable(groups, context));
  document.main_table = "ops";
  AddNotes(groups, context, peaks, document);
  if (view.run->typed != "-") {
    const bool by_layer = by == GroupBy::kScope;
    document.next = {Command("ops", *view.run, by_layer ? "--by layer" : "--by scope"),
                     Command("roofline", *view.run)};
  }
  return document;
}

}  // namespace gait::analyze
