#include "gait/analyze/question/compile/compile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "gait/analyze/question/compile/compile.h"
#include "gait/analyze/question/compile/compile_words.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 20;
constexpr std::string_view kAboutHost = "the host that compiled";
constexpr size_t kTextChanges = 3;

constexpr std::string_view kPhaseAbout[kCompilePhases] = {
    "Python runs the function and leaves a jaxpr: from the call to the begin of lowering",
    "jaxpr to StableHLO",
    "the persistent compilation cache: its key, the look-up, reading an executable",
    "XLA's passes over the HLO",
    "XLA compiles candidates for its kernels and tries them",
    "HLO to machine code: scheduling, emission, LLVM, assembling",
    "the program goes onto the device",
    "the rest of the compiler's call"};

std::string_view Shown(CompileStage stage) {
  static constexpr std::array<std::string_view, kCompileStages> kNames = {"Python to jaxpr",
                                                                          "jaxpr to StableHLO",
                                                                          "key, look-up, reading",
                                                                          "HLO passes",
                                                                          "scheduling",
                                                                          "emission of LLVM IR",
                                                                          "LLVM",
                                                                          "PTX to machine code",
                                                                          "loading",
                                                                          "trying and waiting",
                                                                          "rest of the compiler's call"};
  return kNames[static_cast<size_t>(stage)];
}

std::string Shown(CompilePhase phase) {
  std::string text(Name(phase));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string Why(const Compilation& compilation) {
  if (!compilation.asked()) {
    const auto largest = std::ranges::max_element(compilation.phases) - compilation.phases.begin();
    return fmt::format("the runtime's own work, mostly {}", Shown(static_cast<CompilePhase>(largest)));
  }
  const CompileReason& reason = compilation.reason;
  switch (reason.cause) {
    case CompileCause::kFirst:
      return "first time in this capture";
    case CompileCause::kUnknown:
      return reason.program ? "unknown: no HLO of the one before" : "unknown: its HLO is not in the capture";
    case CompileCause::kSame:
      return "the same program again";
    case CompileCause::kOther:
      return "another program of the same name";
    default:
      break;
  }
  std::string text;
  for (size_t i = 0; i < std::min(reason.changes.size(), kTextChanges); ++i) {
    const CompileChange& change = reason.changes[i];
    text += fmt::format("{}{}", i == 0 ? "" : ", ", change.what);
    // The texts of shardings are too long for a row.
    const bool changed = change.before.empty() || reason.cause == CompileCause::kSharding;
    text += changed ? " changed" : fmt::format(": {} → {}", change.before, change.after);
  }
  if (reason.changes.size() > kTextChanges)
    text += fmt::format(" and {} more", reason.changes.size() - kTextChanges);
  return text;
}

constexpr const char* kNobody = "outside any call";

Cell FunctionCell(const Compilation& c) {
  if (!c.asked()) return kNobody;
  return c.function.empty() ? Cell(Unknown{"no event names it"}) : Cell(c.function);
}

Cell CacheCell(const Compilation& c) {
  switch (c.cache) {
    case CacheResult::kHit:
      return "hit";
    case CacheResult::kMiss:
      return "miss";
    case CacheResult::kLikelyHit:
      return "likely hit";
    case CacheResult::kUnknown:
      break;
  }
  return Unknown{"no event tells what the persistent cache said; the Python tracer would show it"};
}

std::vector<Column> PhaseColumns() {
  std::vector<Column> columns;
  for (size_t p = 0; p < kCompilePhases; ++p) {
    const auto phase = static_cast<CompilePhase>(p);
    const bool shown = phase == CompilePhase::kAutotuning;
    columns.push_back({std::string(Name(phase)),
                       Type::kInteger,
                       unit::kPs,
                       {.head = shown ? "tuning" : "", .hidden = !shown, .group = "time", .optional = true},
                       kPhaseAbout[p]});
  }
  return columns;
}

// As text: no column of zeros, and what the cache said only where that is worth a word.
void HideWhatSaysNothing(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    Column& column = table.columns[c];
    if (column.name == "autotuning" || column.name == "from_cache") {
      column.show.hidden |=
          std::ranges::all_of(table.rows, [&](const Row& row) { return row[c].number() == 0.0; });
    }
    if (column.name == "cache_result") {
      column.show.hidden |= std::ranges::none_of(
          table.rows, [&](const Row& row) { return row[c].has_text() && row[c].text().ends_with("hit"); });
    }
  }
}

std::vector<Column> CompileColumns(std::span<const HostCompiles> hosts) {
  std::vector<Column> columns = {
      HostColumn(hosts.size() == 1, kAboutHost),
      {"function", Type::kText, unit::kNone, {.elastic = true}, "the jitted function"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "name of the HLO module"},
      ProgramIdColumn("its id"),
      {"nth", Type::kInteger, unit::kNone, {.hidden = true}, "how often the function was compiled by then"},
      {"step",
       Type::kInteger,
       unit::kNone,
       {.identifier = true, .optional = true},
       "the step that it held up: that the host was in when the call began, else the next"},
      {"begin", Type::kInteger, unit::kPs, {.hidden = true}, "when the call began"},
      {"time",
       Type::kInteger,
       unit::kPs,
       {.head = "time", .group = "time"},
       "its share of the time during which something was compiled"},
      {"elapsed",
       Type::kInteger,
       unit::kPs,
       {.hidden = true},
       "how long its threads were at work, whatever else was compiled at that time"}};
  for (Column& column : PhaseColumns()) columns.push_back(std::move(column));
  const std::vector<Column> more = {
      {"cache_result",
       Type::kText,
       unit::kNone,
       {.head = "cache", .optional = true},
       "what the persistent compilation cache said; likely hit: lowered, not compiled, run"},
      {"thread", Type::kText, unit::kNone, {.hidden = true}, "the thread that asked"},
      {"event",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "the event that it begins with, as the timeline has it"},
      {"cause",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "first, shape, type, parameters, result, sharding, constant, same, other or unknown"},
      {"compared_with",
       Type::kInteger,
       unit::kNone,
       {.hidden = true, .identifier = true},
       "id of the program that the cause compares with"},
      {"why",
       Type::kText,
       unit::kNone,
       {.elastic = true},
       "what differs from the last program of this function that takes the same, else from the last"}};
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

Row CompileRow(const HostCompiles& host, const Compilation& c) {
  const Trace& trace = host.view->trace();
  const auto id = [](const std::optional<uint64_t>& value, const char* why) {
    return value ? Cell(*value) : Cell(Unknown{why});
  };
  Row row = {host.view->host->name,
             FunctionCell(c),
             c.module.empty() ? Cell(Unknown{"no event names it"}) : Cell(c.module),
             id(c.reason.program, "its HLO is not in the capture"),
             c.nth,
             c.step
                 ? Cell(*c.step)
                 : Cell(Unknown{"it came before the first step, after the last or in one of another kind"}),
             c.span.begin,
             c.wall,
             c.elapsed};
  for (const Ps phase : c.phases) row.emplace_back(phase);
  row.push_back(CacheCell(c));
  row.push_back(c.thread.valid() ? Cell(TrackName(trace, trace.track(c.thread)))
                                 : Cell(Unknown{"no call was seen"}));
  row.push_back(c.thread.valid() ? Cell(trace.name({c.thread, c.event})) : Cell(Unknown{"no call was seen"}));
  row.emplace_back(Name(c.reason.cause));
  row.push_back(id(c.reason.compared_with, "nothing to compare with"));
  row.emplace_back(Why(c));
  return row;
}

Table CompilesTable(std::span<const HostCompiles> hosts) {
  Table table;
  table.name = "compiles";
  table.key = "function";
  table.text_rows = kTextRows;
  table.columns = CompileColumns(hosts);
  for (const HostCompiles& host : hosts) {
    for (const Compilation& c : host.compilations) table.rows.push_back(CompileRow(host, c));
  }
  HideWhatSaysNothing(table);
  return table;
}

std::string Causes(const std::map<CompileCause, uint64_t>& causes) {
  std::string text;
  for (const auto& [cause, count] : causes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, Name(cause));
  }
  return text;
}

Table FunctionsTable(std::span<const HostCompiles> hosts) {
  struct Sum {
    uint64_t compiles = 0, from_cache = 0;
    Ps wall, autotuning;
    std::set<int64_t> steps;
    std::map<CompileCause, uint64_t> causes;
    std::string function;
  };
  Table table;
  table.name = "compile_functions";
  table.key = "function";
  table.text_rows = kTextRows;
  table.columns = {
      HostColumn(hosts.size() == 1, kAboutHost),
      {"function", Type::kText, unit::kNone, {.elastic = true}, "the jitted function"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "name of the HLO module"},
      {"compiles", Type::kInteger, unit::kNone, {}, "how often it was compiled"},
      {"from_cache",
       Type::kInteger,
       unit::kNone,
       {.head = "from cache", .optional = true},
       "how often it was lowered and then read from a cache"},
      {"steps", Type::kInteger, unit::kNone, {}, "how many steps that held up"},
      {"time", Type::kInteger, unit::kPs, {.head = "time", .group = "time"}, "what it took in all"},
      {"autotuning", Type::kInteger, unit::kPs, {.group = "time"}, "of that, autotuning"},
      {"share", Type::kNumber, unit::kPercent, {.head = "of all"}, "share of all time of compiling"},
      {"causes", Type::kText, unit::kNone, {.elastic = true, .optional = true}, "why, and how often each"}};
  for (const HostCompiles& host : hosts) {
    std::map<std::string, Sum> sums;
    for (const Compilation& c : host.compilations) {
      Sum& sum = sums[c.module];
      sum.compiles += c.compiled ? 1 : 0;
      sum.from_cache += c.from_cache() && !c.compiled ? 1 : 0;
      sum.wall += c.wall;
      sum.autotuning += c.phase(CompilePhase::kAutotuning);
      if (c.step) sum.steps.insert(*c.step);
      if (c.asked()) ++sum.causes[c.reason.cause];
      sum.function = c.asked() ? c.function : kNobody;
    }
    std::vector<std::pair<std::string, Sum>> order(sums.begin(), sums.end());
    std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& s) { return s.second.wall; });
    for (const auto& [module, sum] : order) {
      table.rows.push_back(
          {host.view->host->name,
           sum.function.empty() ? Cell(Unknown{"no event names it"}) : Cell(sum.function),
           module.empty() ? Cell(Unknown{"no event names it"}) : Cell(module), sum.compiles, sum.from_cache,
           static_cast<uint64_t>(sum.steps.size()), sum.wall, sum.autotuning, Percent(sum.wall, host.wall()),
           sum.causes.empty() ? Cell(Unknown{"no call asked for it"}) : Cell(Causes(sum.causes))});
    }
  }
  HideWhatSaysNothing(table);
  return table;
}

Table PhasesTable(std::span<const HostCompiles> hosts) {
  Table table;
  table.name = "compile_phases";
  table.key = "phase";
  table.depth = "depth";
  table.columns = {
      HostColumn(hosts.size() == 1, kAboutHost),
      {"phase", Type::kText, unit::kNone, {}, "what the caller waited for"},
      {"stage", Type::kText, unit::kNone, {.hidden = true}, "what the threads did in it"},
      {"depth", Type::kInteger, unit::kNone, {.hidden = true}, "0: a phase; 1: a stage of it"},
      {"time",
       Type::kInteger,
       unit::kPs,
       {.group = "time"},
       "share of the time of compiling; phases sum to it, stages to their phase"},
      {"share", Type::kNumber, unit::kPercent, {.head = "of all"}, "share of all time of compiling"},
      {"thread_time",
       Type::kInteger,
       unit::kPs,
       {.head = "of all threads", .group = "time"},
       "summed over the threads that worked"},
      {"parallel", Type::kNumber, unit::kNone, {.head = "threads"}, "how many threads worked at a time"}};
  for (const HostCompiles& host : hosts) {
    for (size_t p = 0; p < kCompilePhases; ++p) {
      const auto phase = static_cast<CompilePhase>(p);
      StageTime whole;
      std::vector<Row> parts;
      const auto row = [&](Cell text, Cell stage, int64_t depth, StageTime time) {
        return Row{host.view->host->name,
                   std::move(text),
                   std::move(stage),
                   depth,
                   time.wall,
                   Percent(time.wall, host.wall()),
                   time.thread_time,
                   time.wall > Ps() ? Cell(static_cast<double>(time.thread_time.value()) /
                                           static_cast<double>(time.wall.value()))
                                    : Cell(Unknown{"takes no time"})};
      };
      for (size_t s = 0; s < kCompileStages; ++s) {
        const StageTime time = host.shares.stages[p][s];
        whole.wall += time.wall;
        whole.thread_time += time.thread_time;
        const auto stage = static_cast<CompileStage>(s);
        if (time.thread_time > Ps())
          parts.push_back(row(Cell(Shown(stage)), std::string(Name(stage)), 1, time));
      }
      if (parts.empty()) continue;
      table.rows.push_back(row(Shown(phase), "", 0, whole));
      if (parts.size() < 2) continue;
      std::ranges::stable_sort(parts, std::ranges::greater(), [](const Row& r) { return *r[4].number(); });
      for (Row& part : parts) table.rows.push_back(std::move(part));
    }
  }
  return table;
}

Table TotalsTable(std::span<const HostCompiles> hosts) {
  Table table;
  table.name = "compile_totals";
  table.hidden = true;
  table.columns = {
      HostColumn(false, kAboutHost),
      {"compiles", Type::kInteger, unit::kNone, {}, "how many programs were compiled"},
      {"from_cache", Type::kInteger, unit::kNone, {}, "how many were read from a cache instead"},
      {"time", Type::kInteger, unit::kPs, {}, "the time during which something was compiled"},
      {"window",
       Type::kInteger,
       unit::kPs,
       {},
       "from the first step to the end of the last; else the capture"},
      {"time_in_window", Type::kInteger, unit::kPs, {}, "the part of the time inside the window"},
      {"idle_meanwhile",
       Type::kInteger,
       unit::kPs,
       {},
       "the part of the time during which a device did nothing, mean over devices"},
      {"steps", Type::kInteger, unit::kNone, {}, "steps of the window"},
      {"steps_hit", Type::kInteger, unit::kNone, {}, "steps that a compilation held up"}};
  for (const HostCompiles& host : hosts) {
    table.rows.push_back({host.view->host->name, host.compiled(), host.from_cache(), host.wall(),
                          host.window.length(), host.in_window, host.idle_meanwhile, host.steps,
                          host.steps_hit});
  }
  return table;
}

}  // namespace

Result<report::Document> CompileDocument(const RunView& view) {
  GAIT_TRY(const std::span<const HostCompiles> hosts, FindCompilations(view));
  report::Document document = NewDocument("compile", *view.run);
  document.answer = CompileAnswer(hosts, view.selection.has_steps());
  document.tables =
      TablesOf(CompilesTable(hosts), FunctionsTable(hosts), PhasesTable(hosts), TotalsTable(hosts));
  document.main_table = "compiles";
  document.notes = CompileNotes(hosts);
  if (view.run->typed != "-") document.next = {Command("steps", *view.run), Command("host", *view.run)};
  return document;
}

}  // namespace gait::analyze
