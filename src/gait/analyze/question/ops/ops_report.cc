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
  Cell PerStep(Ps sum) const { return analyze::PerStep(sum, device_steps); }
  double Share(Ps self) const { return Percent(self, busy); }
};

// A column and the cell of each row in it.
struct Field {
  Column column;
  Cell (*cell)(const OpGroup& group, const Context& context);
};

Cell TextOr(const std::string& text, const char* why) {
  return text.empty() ? Cell(Unknown{why}) : Cell(text);
}

Cell Rate(double amount, bool known, const OpGroup& group) {
  if (!known) return Unknown{group.work.unknown_because};
  if (group.time <= Ps()) return Unknown{"it takes no time"};
  return amount / group.time.seconds();
}

std::vector<Field> LayerFields() {
  const auto layer = [](const char* name, const char* head, std::string_view about) {
    const bool wide = std::string_view(head) != "each";
    return TimeColumn(name, {.head = head, .group = "layer", .wide = wide}, about);
  };
  return {{{"layers",
            Type::kInteger,
            unit::kNone,
            {},
            "how many scopes, alike but for a number, the row stands for"},
           [](const OpGroup& g, const Context&) { return Cell(g.layers); }},
          {layer("layer_mean", "each", "self time of one layer in a step: the mean over the layers"),
           [](const OpGroup& g, const Context& c) {
             return c.PerStep(Ps(g.self.value() / static_cast<int64_t>(std::max<uint64_t>(g.layers, 1))));
           }},
          {layer("layer_min", "min", "self time in a step of the layer that takes least"),
           [](const OpGroup& g, const Context& c) { return c.PerStep(g.layer_min); }},
          {layer("layer_max", "max", "self time in a step of the layer that takes most"),
           [](const OpGroup& g, const Context& c) { return c.PerStep(g.layer_max); }},
          {{"layer_spread",
            Type::kNumber,
            unit::kPercent,
            {.head = "spread"},
            "(max - min) / mean: how far the layers differ"},
           [](const OpGroup& g, const Context&) {
             if (g.layers < 2) return Cell(Unknown{"there is only one"});
             if (g.self <= Ps()) return Cell(Unknown{"they take no time"});
             const double mean = static_cast<double>(g.self.value()) / static_cast<double>(g.layers);
             return Cell(100 * static_cast<double>((g.layer_max - g.layer_min).value()) / mean);
           }},
          {TextColumn("slowest_layer", {.head = "slowest", .wide = true}, "the layer that takes most"),
           [](const OpGroup& g, const Context&) {
             return g.layers < 2 ? Cell(Unknown{"there is only one"}) : Cell(g.slowest_layer);
           }}};
}

std::vector<Field> WorkFields(const Context& context) {
  const bool op = context.by == GroupBy::kOp;
  const bool crowded = context.by == GroupBy::kLayer || context.by == GroupBy::kShape;
  return {
      {{"executions",
        Type::kInteger,
        unit::kNone,
        {.head = context.by == GroupBy::kOp ? "runs" : "op runs", .hidden = crowded, .optional = true},
        "how often its operations ran; one made of several kernels ran once"},
       [](const OpGroup& g, const Context&) { return Cell(g.executions); }},
      {{"bound",
        Type::kText,
        unit::kNone,
        {.head = "bound by", .hidden = crowded, .optional = true},
        "what limits its ideal time: the peak of arithmetic (compute) or of memory; from shapes and peaks"},
       [](const OpGroup& g, const Context&) {
         return g.work.bound() == Bound::kUnknown ? Cell(Unknown{g.work.unjudged_because})
                                                  : Cell(Name(g.work.bound()));
       }},
      {TextColumn("category", {.hidden = !op, .optional = true}, "what it does: matmul, elementwise, ..."),
       [](const OpGroup& g, const Context&) { return TextOr(g.category, "of several categories"); }},
      {{"flops_per_second",
        Type::kNumber,
        unit::kFlopPerSecond,
        {.head = "compute", .hidden = crowded, .optional = true},
        "floating-point operations (static, from the shapes) per second of its time (measured)"},
       [](const OpGroup& g, const Context&) { return Rate(g.work.flops, g.work.flops_known, g); }},
      {{"bytes_per_second",
        Type::kNumber,
        unit::kBytesPerSecond,
        {.head = "memory", .hidden = crowded, .optional = true},
        "bytes read and written (static, from the shapes) per second of its time (measured)"},
       [](const OpGroup& g, const Context&) { return Rate(g.work.bytes, g.work.bytes_known, g); }},
      {{"flops",
        Type::kNumber,
        unit::kFlop,
        {.wide = true},
        "floating-point operations of all executions, from the shapes"},
       [](const OpGroup& g, const Context&) {
         return g.work.flops_known ? Cell(g.work.flops) : Cell(Unknown{g.work.unknown_because});
       }},
      {{"bytes",
        Type::kNumber,
        unit::kBytes,
        {.wide = true},
        "bytes read and written by all executions, from the shapes"},
       [](const OpGroup& g, const Context&) {
         return g.work.bytes_known ? Cell(g.work.bytes) : Cell(Unknown{g.work.unknown_because});
       }},
      {{"unknown_cost",
        Type::kNumber,
        unit::kPercent,
        {.hidden = true},
        "share of its self time whose flops or bytes are not known and missing in the sums"},
       [](const OpGroup& g, const Context&) {
         return g.self > Ps() ? Cell(100 * static_cast<double>(g.work.unknown_self.value()) /
                                     static_cast<double>(g.self.value()))
                              : Cell(0.0);
       }}};
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
std::vector<Field> NameFields(const Context& context, const Variety& has) {
  const bool op = context.by == GroupBy::kOp;
  const bool layer = context.by == GroupBy::kLayer;
  // Of a tree people see the last element, indented; --name matches the whole path.
  const report::Show name{.head = std::string(op ? "operation" : Name(context.by)),
                          .elastic = context.long_names,
                          .keep_end = context.by == GroupBy::kSource};
  report::Show flat_name = name;
  report::Show tree_name = name;
  flat_name.hidden = context.tree();
  tree_name.hidden = !context.tree();
  return {{TextColumn("name", flat_name, "what the row is about"),
           [](const OpGroup& g, const Context&) { return Cell(g.name); }},
          {TextColumn("path", tree_name, "the name with everything above it"),
           [](const OpGroup& g, const Context&) { return Cell(g.path).ShownAs(g.name); }},
          {{"depth", Type::kInteger, unit::kNone, {.hidden = true}, "how many rows stand above it"},
           [](const OpGroup& g, const Context&) { return Cell(int64_t{g.depth}); }},
          {TextColumn("scope", {.hidden = !op, .elastic = true, .keep_end = true},
                      "where in the model it is: the function, the pass and the named scopes around it"),
           [](const OpGroup& g, const Context&) { return TextOr(g.scope, "in no scope or in several"); }},
          {TextColumn("program",
                      {.hidden = !has.several_programs || !(layer || op), .elastic = true, .optional = true},
                      "the compiled program it belongs to"),
           [](const OpGroup& g, const Context&) { return TextOr(g.program, "of no program or of several"); }},
          {TextColumn("from", {.hidden = !has.host_scopes || !context.tree()},
                      "whose scope it is: the host's (annotations around the launch) or the program's own"),
           [](const OpGroup& g, const Context& c) {
             if (!c.tree()) return Cell(Unknown{"it is no scope"});
             return Cell(g.of_host ? "host" : "program");
           }},
          {ProgramIdColumn(),
           [](const OpGroup& g, const Context&) {
             return g.program_id ? Cell(*g.program_id) : Cell(Unknown{"of no program or of several"});
           }},
          {TextColumn("pass", {.hidden = !layer || !has.several_passes},
                      "forward, backward, rematerialised or other"),
           [](const OpGroup& g, const Context&) {
             return g.pass ? Cell(Name(*g.pass)) : Cell(Unknown{"of no pass or of several"});
           }}};
}

// How much of the time is its own.
std::vector<Field> SelfTimeFields(bool steps) {
  return {
      {TimeColumn("per_step", {.head = "a step", .hidden = !steps, .group = "time"},
                  "self time in a step, the mean over steps and devices"),
       [](const OpGroup& g, const Context& c) { return c.PerStep(g.self); }},
      {TimeColumn("self", {.hidden = steps, .group = "time"},
                  "device time that is its own: each instant of busy time belongs to one operation"),
       [](const OpGroup& g, const Context&) { return Cell(g.self); }},
      {{"share", Type::kNumber, unit::kPercent, {.head = "of busy"}, "self time over the devices' busy time"},
       [](const OpGroup& g, const Context& c) { return Cell(c.Share(g.self)); }}};
}

// What else there is to know of a row.
std::vector<Field> DetailFields() {
  return {{TimeColumn("time", {.hidden = true},
                      "length of the union of its events, also where others overlap it"),
           [](const OpGroup& g, const Context&) { return Cell(g.time); }},
          {TimeColumn("own", {.hidden = true}, "self time without the rows below it"),
           [](const OpGroup& g, const Context&) { return Cell(g.own); }},
          {TimeColumn("mean", {.wide = true}, "time of one execution"),
           [](const OpGroup& g, const Context&) {
             return g.executions > 0 ? Cell(Ps(g.time.value() / static_cast<int64_t>(g.executions)))
                                     : Cell(Unknown{"it did not begin inside the steps"});
           }},
          {{"events",
            Type::kInteger,
            unit::kNone,
            {.hidden = true},
            "kernels, copies and operations on the device"},
           [](const OpGroup& g, const Context&) { return Cell(g.events); }},
          {{"operations", Type::kInteger, unit::kNone, {.hidden = true}, "different instructions in the row"},
           [](const OpGroup& g, const Context&) { return Cell(g.operations); }},
          {TextColumn("source", {.elastic = true, .keep_end = true, .wide = true}, "the line that made it"),
           [](const OpGroup& g, const Context&) { return TextOr(g.source, "no source line or several"); }},
          {TextColumn("caller", {.elastic = true, .keep_end = true, .wide = true},
                      "the line and function of Python that launched it, where the Python tracer recorded"),
           [](const OpGroup& g, const Context&) {
             return TextOr(g.caller, "of several callers, or not recorded");
           }},
          {TextColumn("unattributed", {.hidden = true},
                      "the row by scope, source line or program of what belongs to no instruction"),
           [](const OpGroup& g, const Context&) { return TextOr(g.unattributed, "of an instruction"); }}};
}

std::vector<Field> Fields(const Context& context, const Variety& has) {
  std::vector<Field> fields = NameFields(context, has);
  const auto add = [&](std::vector<Field> more) {
    for (Field& field : more) fields.push_back(std::move(field));
  };
  add(SelfTimeFields(context.device_steps > 0));
  if (context.by == GroupBy::kLayer) add(LayerFields());
  add(WorkFields(context));
  add(DetailFields());
  return fields;
}

Table OpsTable(const std::vector<OpGroup>& groups, const Context& context) {
  const std::vector<Field> fields = Fields(context, Variety(groups));
  Table table;
  table.name = "ops";
  table.key = context.tree() ? "path" : "name";
  if (context.tree()) {
    table.depth = "depth";
    table.weight = "self";
  }
  table.text_rows = context.tree() ? kTextTreeRows : kTextRows;
  table.if_empty = "no device events: the capture holds no work of a device in this part of the run";
  for (const Field& field : fields) table.columns.push_back(field.column);
  for (const OpGroup& group : groups) {
    Row row;
    for (const Field& field : fields) row.push_back(field.cell(group, context));
    table.rows.push_back(std::move(row));
  }
  return table;
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
