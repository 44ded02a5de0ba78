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
constexpr std::string_view kAboutCompilingHost = "the host that compiled";
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

constexpr const char* kNoName = "no event names it";

TextCell FunctionOf(const Compilation& c) {
  return c.asked() ? OrUnknown(c.function, kNoName) : TextCell(kNobody);
}

TextCell CacheResultOf(const Compilation& c) {
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

// What the compilation was of.
void AddSubject(TableOf<Compilation>& t) {
  using C = Compilation;
  t.Add("function", {.elastic = true}, "the jitted function", FunctionOf);
  t.Hidden("program", "name of the HLO module", Known(&C::module, kNoName));
  AddProgramId(
      t, [](const C& c) { return OrUnknown(c.reason.program, "its HLO is not in the capture"); }, "its id");
  t.Hidden("nth", "how often the function was compiled by then", &C::nth);
  t.Add("step", {.identifier = true, .optional = true},
        "the step that it held up: that the host was in when the call began, else the next",
        Known(&C::step, "it came before the first step, after the last or in one of another kind"));
}

Table CompilesTable(std::span<const HostCompiles> hosts) {
  using C = Compilation;
  const HostCompiles* host = nullptr;  // of the row
  TableOf<C> t({.name = "compiles", .text_rows = kTextRows, .key = "function"});
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; }, kAboutCompilingHost);
  AddSubject(t);
  t.Hidden("begin", "when the call began", [](const C& c) { return c.span.begin; });
  t.Time("time", "its share of the time during which something was compiled", &C::wall);
  t.Hidden("elapsed", "how long its threads were at work, whatever else was compiled at that time",
           &C::elapsed);
  for (size_t p = 0; p < kCompilePhases; ++p) {
    const auto phase = static_cast<CompilePhase>(p);
    const bool shown = phase == CompilePhase::kAutotuning;
    t.Add(std::string(Name(phase)),
          {.head = shown ? "tuning" : "", .hidden = !shown, .group = "time", .optional = true},
          kPhaseAbout[p], [p](const C& c) { return c.phases[p]; });
  }
  t.Add("cache_result", {.head = "cache", .optional = true},
        "what the persistent compilation cache said; likely hit: lowered, not compiled, run", CacheResultOf);
  t.Hidden("thread", "the thread that asked", [&](const C& c) -> TextCell {
    if (!c.thread.valid()) return Unknown{"no call was seen"};
    return TrackName(host->view->trace(), host->view->trace().track(c.thread));
  });
  t.Hidden("event", "the event that it begins with, as the timeline has it", [&](const C& c) -> TextCell {
    if (!c.thread.valid()) return Unknown{"no call was seen"};
    return host->view->trace().name({c.thread, c.event});
  });
  t.Hidden("cause", "first, shape, type, parameters, result, sharding, constant, same, other or unknown",
           [](const C& c) { return Name(c.reason.cause); });
  t.Add("compared_with", {.hidden = true, .identifier = true},
        "id of the program that the cause compares with",
        [](const C& c) { return OrUnknown(c.reason.compared_with, "nothing to compare with"); });
  t.Add("why", {.elastic = true},
        "what differs from the last program of this function that takes the same, else from the last", Why);
  for (const HostCompiles& h : hosts) {
    host = &h;
    t.Rows(h.compilations);
  }
  Table table = t.Done();
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

// The compilations of a function on a host.
struct FunctionCompiles {
  const HostCompiles* host = nullptr;
  std::string module, function;
  uint64_t compiles = 0, from_cache = 0;
  Ps wall, autotuning;
  std::set<int64_t> steps;
  std::map<CompileCause, uint64_t> causes;

  void Add(const Compilation& c) {
    module = c.module;
    function = c.asked() ? c.function : kNobody;
    compiles += c.compiled ? 1 : 0;
    from_cache += c.from_cache() && !c.compiled ? 1 : 0;
    wall += c.wall;
    autotuning += c.phase(CompilePhase::kAutotuning);
    if (c.step) steps.insert(*c.step);
    if (c.asked()) ++causes[c.reason.cause];
  }
};

Table FunctionsTable(std::span<const HostCompiles> hosts) {
  using Sum = FunctionCompiles;
  TableOf<Sum> t({.name = "compile_functions", .text_rows = kTextRows, .key = "function"});
  t.Add("host", HostShow(hosts.size() == 1), kAboutCompilingHost,
        [](const Sum& sum) { return sum.host->view->host->name; });
  t.Add("function", {.elastic = true}, "the jitted function", Known(&Sum::function, kNoName));
  t.Hidden("program", "name of the HLO module", Known(&Sum::module, kNoName));
  t.Add("compiles", "how often it was compiled", &Sum::compiles);
  t.Add("from_cache", {.head = "from cache", .optional = true},
        "how often it was lowered and then read from a cache", &Sum::from_cache);
  t.Add("steps", "how many steps that held up", [](const Sum& sum) { return sum.steps.size(); });
  t.Time("time", "what it took in all", &Sum::wall);
  t.Time("autotuning", "of that, autotuning", &Sum::autotuning);
  t.Percent("share", {.head = "of all"}, "share of all time of compiling",
            [](const Sum& sum) { return Percent(sum.wall, sum.host->wall()); });
  t.Add("causes", {.elastic = true, .optional = true}, "why, and how often each",
        [](const Sum& sum) { return OrUnknown(Causes(sum.causes), "no call asked for it"); });
  for (const HostCompiles& host : hosts) {
    std::map<std::string, Sum> sums;
    for (const Compilation& c : host.compilations) {
      Sum& sum = sums[c.module];
      sum.host = &host;
      sum.Add(c);
    }
    std::vector<Sum> order;
    for (auto& [module, sum] : sums) order.push_back(std::move(sum));
    std::ranges::stable_sort(order, std::ranges::greater(), &Sum::wall);
    t.Rows(order);
  }
  Table table = t.Done();
  HideWhatSaysNothing(table);
  return table;
}

Table PhasesTable(std::span<const HostCompiles> hosts) {
  struct Part {
    std::string phase{}, stage{};
    int64_t depth = 0;
    StageTime time{};
  };
  const HostCompiles* host = nullptr;  // of the row
  TableOf<Part> t({.name = "compile_phases", .key = "phase", .depth = "depth"});
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; }, kAboutCompilingHost);
  t.Add("phase", "what the caller waited for", &Part::phase);
  t.Hidden("stage", "what the threads did in it", &Part::stage);
  t.Hidden("depth", "0: a phase; 1: a stage of it", &Part::depth);
  t.Time("time", "share of the time of compiling; phases sum to it, stages to their phase",
         [](const Part& part) { return part.time.wall; });
  t.Percent("share", {.head = "of all"}, "share of all time of compiling",
            [&](const Part& part) { return Percent(part.time.wall, host->wall()); });
  t.Time("thread_time", {.head = "of all threads"}, "summed over the threads that worked",
         [](const Part& part) { return part.time.thread_time; });
  t.Add("parallel", {.head = "threads"}, "how many threads worked at a time",
        [](const Part& part) -> NumberCell {
          if (part.time.wall <= Ps()) return Unknown{"takes no time"};
          return static_cast<double>(part.time.thread_time.value()) /
                 static_cast<double>(part.time.wall.value());
        });
  for (const HostCompiles& h : hosts) {
    host = &h;
    for (size_t p = 0; p < kCompilePhases; ++p) {
      Part whole{.phase = Shown(static_cast<CompilePhase>(p))};
      std::vector<Part> parts;
      for (size_t s = 0; s < kCompileStages; ++s) {
        const StageTime time = h.shares.stages[p][s];
        whole.time.wall += time.wall;
        whole.time.thread_time += time.thread_time;
        const auto stage = static_cast<CompileStage>(s);
        if (time.thread_time > Ps())
          parts.push_back({std::string(Shown(stage)), std::string(Name(stage)), 1, time});
      }
      if (parts.empty()) continue;
      t.Row(whole);
      if (parts.size() < 2) continue;
      std::ranges::stable_sort(parts, std::ranges::greater(),
                               [](const Part& part) { return part.time.wall; });
      t.Rows(parts);
    }
  }
  return t.Done();
}

Table TotalsTable(std::span<const HostCompiles> hosts) {
  using Host = HostCompiles;
  TableOf<Host> t({.name = "compile_totals", .hidden = true});
  t.Add("host", HostShow(false), kAboutCompilingHost, [](const Host& host) { return host.view->host->name; });
  t.Add("compiles", "how many programs were compiled", &Host::compiled);
  t.Add("from_cache", "how many were read from a cache instead", &Host::from_cache);
  t.Add("time", "the time during which something was compiled", &Host::wall);
  t.Add("window", "from the first step to the end of the last; else the capture",
        [](const Host& host) { return host.window.length(); });
  t.Add("time_in_window", "the part of the time inside the window", &Host::in_window);
  t.Add("idle_meanwhile", "the part of the time during which a device did nothing, mean over devices",
        &Host::idle_meanwhile);
  t.Add("steps", "steps of the window", &Host::steps);
  t.Add("steps_hit", "steps that a compilation held up", &Host::steps_hit);
  return t.Of(hosts);
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
