#include "gait/analyze/verdict/diff/diff_report.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/verdict/diff/diff_sentences.h"
#include "gait/analyze/verdict/diff/environment_table.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 12;
constexpr size_t kTextScopes = 8;
constexpr const char* kOtherPortions = "one run has steps, the other has none";

// A difference of two times of the runs; unknown where they are not of the same thing.
TimeCell Delta(const RunDiff& diff, Ps delta) {
  if (!diff.comparable()) return Unknown{kOtherPortions};
  return delta;
}

// --- what changed -----------------------------------------------------------------------------------------

// The row of a part that changed most, in words.
std::string LargestOf(const RunDiff& diff, StepPart part, const std::string& group) {
  for (const DiffRow& row : diff.rows) {
    if (row.key.part != part || row.change == Change::kSame || (!group.empty() && row.key.category != group))
      continue;
    const std::string where = row.key.scope.empty() ? row.key.operation : row.key.scope;
    return where.empty() ? std::string(Name(row.change)) : fmt::format("{} {}", where, Name(row.change));
  }
  return {};
}

// What a row is counted under within its part. Operations of a program that copy (a product that clears its
// workspace) are no copies by their category.
std::string GroupOf(const ProfileKey& key) {
  if (key.part == StepPart::kIdle) return key.operation;
  const bool of_program = key.part == StepPart::kCopies && !key.program.empty();
  return of_program ? fmt::format("inside {}", key.category) : key.category;
}

// The verb that shows more of a part.
std::string_view VerbOf(StepPart part) {
  constexpr std::array<std::string_view, kStepParts> kVerbs = {"ops", "collectives", "transfers", "kernels",
                                                               "idle"};
  return kVerbs[static_cast<size_t>(part)];
}

// The times of the two runs and their difference.
template <typename R>
void AddTimes(TableOf<R>& t, const RunDiff& diff, std::string_view about_delta,
              std::string_view about_a = "of a step of the first run",
              std::string_view about_b = "of a step of the second run") {
  t.Time("a", about_a, [](const R& row) { return row.a; });
  t.Time("b", about_b, [](const R& row) { return row.b; });
  t.Time("delta", {.head = "change"}, about_delta,
         [&diff](const R& row) { return Delta(diff, row.b - row.a); });
}

// A row of the table: a part of the step, or what it holds.
struct Part {
  std::string name;
  int64_t depth;
  Ps a, b;
  std::string note;
  std::string_view verb;
  std::string option{}, value{};
};

// What such a row is counted under, without its times. Copies have no page for one category.
Part InsidePart(const ProfileKey& key) {
  Part part{GroupOf(key), 1, Ps(), Ps(), "", key.part == StepPart::kIdle ? "idle" : "ops"};
  if (key.part == StepPart::kCopies) {
    part.verb = VerbOf(key.part);
  } else {
    part.option = key.part == StepPart::kIdle ? "cause" : "category";
    part.value = key.category;
  }
  return part;
}

Table WhatChangedTable(const RunDiff& diff) {
  TableOf<Part> t({.name = "what_changed", .depth = "depth"});
  t.Add("part", {.head = "what changed"}, "what the device did", &Part::name);
  t.Hidden("depth", "0: these sum to the step; 1: what they hold", &Part::depth);
  AddTimes(t, diff, "b - a; those at depth 0 sum to that of the step, exactly");
  t.Add("note", {.elastic = true}, "the largest change in it", &Part::note);
  t.Hidden("verb", "that shows more of it", &Part::verb);
  t.Hidden("option", "of that verb, which narrows the verb to it; empty: none", &Part::option);
  t.Hidden("value", "of that option", &Part::value);
  for (size_t p = 0; p < kStepParts; ++p) {
    const auto part = static_cast<StepPart>(p);
    const Ps a = diff.a->PartTime(part);
    const Ps b = diff.b->PartTime(part);
    const bool always = part == StepPart::kCompute || part == StepPart::kIdle;
    if (a == Ps() && b == Ps() && !always) continue;
    const Ps change = b > a ? b - a : a - b;
    const bool noise = diff.noise() && change <= *diff.noise();
    t.Row({std::string(Name(part)), 0, a, b,
           change == Ps() ? ""
           : noise        ? "below the step's noise"
                          : LargestOf(diff, part, ""),
           VerbOf(part)});
    std::map<std::string, Part> groups;
    for (const DiffRow& row : diff.rows) {
      if (row.key.part != part) continue;
      Part& group = groups.try_emplace(GroupOf(row.key), InsidePart(row.key)).first->second;
      group.a += row.a;
      group.b += row.b;
    }
    std::vector<Part> sorted;
    for (auto& [name, group] : groups) sorted.push_back(std::move(group));
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const Part& group) { return std::max(group.a, group.b); });
    for (const Part& group : sorted) {
      if (sorted.size() > 1 || part == StepPart::kIdle) t.Row(group);
    }
  }
  t.Row({"step", 0, diff.a->step, diff.b->step, "", "steps"});
  return t.Done();
}

// Where the step went, as gait doctor judges it (docs/metrics/balance.md).
Table BalanceTable(const RunDiff& diff) {
  struct Term {
    BalanceTerm term;
    Ps a, b;
  };
  TableOf<Term> t({.name = "balance"});
  t.Add("term", {.head = "balance"}, "a part of the step; they sum to it",
        [](const Term& row) { return Name(row.term); });
  AddTimes(t, diff, "b - a", "of a step of the first run, without the profiler's part where that is known",
           "of the second");
  t.Hidden("about", "what it is", [](const Term& row) { return Describe(row.term); });
  t.Hidden("verb", "that shows more of it", [](const Term& row) { return VerbOf(row.term); });
  for (size_t i = 0; i < kBalanceTerms; ++i) {
    const Term row{static_cast<BalanceTerm>(i), diff.a->balance[i], diff.b->balance[i]};
    if (row.a > Ps() || row.b > Ps()) t.Row(row);
  }
  return t.Done();
}

// The program of a row: its name, and what each run calls it.
template <typename R, typename Get>
void AddPrograms(TableOf<R>& t, const RunDiff& diff, Get program) {
  t.Hidden("program", "its name", program);
  for (const auto& [name, run] : {std::pair("program_a", &Partners::a), {"program_b", &Partners::b}}) {
    t.Hidden(name, "as that run calls it",
             [&diff, program, run](const R& row) { return diff.ProgramIn(run, std::invoke(program, row)); });
  }
}

// --- rows -------------------------------------------------------------------------------------------------

Table ScopesTable(const RunDiff& diff) {
  struct Scope {
    std::string name, program;
    Ps a, b;
    Ps change() const { return a < b ? b - a : a - b; }
  };
  std::map<std::pair<std::string, std::string>, Scope> scopes;
  for (const DiffRow& row : diff.rows) {
    if (row.key.part == StepPart::kIdle) continue;
    Scope& scope = scopes[{row.key.program, row.key.scope}];
    scope.program = row.key.program;
    scope.name = !row.key.scope.empty()  ? row.key.scope
                 : scope.program.empty() ? "(no program)"
                                         : scope.program;
    scope.a += row.a;
    scope.b += row.b;
  }
  TableOf<Scope> t({.name = "scopes", .text_rows = kTextScopes});
  t.Add("scope", {.head = "by scope", .elastic = true, .keep_end = true}, "where the program names it",
        &Scope::name);
  AddPrograms(t, diff, &Scope::program);
  AddTimes(t, diff, "b - a; all rows sum to the change of the busy time");
  std::vector<Scope> sorted;
  for (auto& [key, scope] : scopes) sorted.push_back(std::move(scope));
  std::ranges::stable_sort(sorted, std::greater(), &Scope::change);
  return t.Of(sorted);
}

Table OperationsTable(const RunDiff& diff) {
  const auto changed = static_cast<size_t>(std::ranges::count_if(diff.rows, [](const DiffRow& row) {
    return row.change != Change::kSame && row.key.part != StepPart::kIdle;
  }));
  TableOf<DiffRow> t({.name = "operations",
                      .hidden = changed == 0,
                      .text_rows = std::min(kTextRows, changed),
                      .key = "operation"});
  t.Add("change", {.head = "operations"}, "added, removed, more or less often, slower, faster, same",
        [](const DiffRow& row) { return Name(row.change); });
  t.Add("operation", {.elastic = true}, "the primitive, or the kernel's name",
        [](const DiffRow& row) { return row.key.operation; });
  t.Add("category", {.optional = true}, "what it does", [](const DiffRow& row) { return row.key.category; });
  t.Add("scope", {.elastic = true, .keep_end = true}, "where the program names it",
        [](const DiffRow& row) { return row.key.scope; });
  AddPrograms(t, diff, [](const DiffRow& row) -> std::string_view { return row.key.program; });
  AddTimes(t, diff, "b - a", "self time in a step of the first run", "and of the second");
  t.Hidden("a_executions", "how often it ran in a step of the first run", &DiffRow::a_executions);
  t.Hidden("b_executions", "and of the second", &DiffRow::b_executions);
  for (const DiffRow& row : diff.rows) {
    if (row.key.part != StepPart::kIdle) t.Row(row);
  }
  return t.Done();
}

std::string AmountOf(const Quantity& quantity, double value) {
  if (quantity.unit == unit::kPs) return TimeText(Ps(static_cast<int64_t>(value)));
  if (quantity.unit.empty()) return fmt::format("{:.4g}", value);
  return report::AmountText(value, quantity.unit);
}

Table QuantitiesTable(const RunDiff& diff) {
  struct Pair {
    const Quantity& a;
    const Quantity& b;
  };
  const auto cell = [](const Quantity& q) -> NumberCell {
    if (!q.value) return Unknown{"the capture does not say"};
    return NumberCell(*q.value).ShownAs(AmountOf(q, *q.value));
  };
  TableOf<Pair> t({.name = "quantities"});
  t.Add("quantity", {.head = "also"}, "what is measured; bytes, counts and calls in a step",
        [](const Pair& pair) { return pair.a.name; });
  t.Add("a", "of the first run, in the row's unit", [=](const Pair& pair) { return cell(pair.a); });
  t.Add("b", "of the second", [=](const Pair& pair) { return cell(pair.b); });
  t.Hidden("delta", "b - a", [](const Pair& pair) -> NumberCell {
    if (!pair.a.value || !pair.b.value) return Unknown{};
    return *pair.b.value - *pair.a.value;
  });
  t.Hidden("unit", "of the values", [](const Pair& pair) { return pair.a.unit; });
  t.Hidden("verb", "that shows more of it", [](const Pair& pair) { return pair.a.verb; });
  for (size_t i = 0; i < diff.a->quantities.size(); ++i) {
    const Pair pair{diff.a->quantities[i], diff.b->quantities[i]};
    if (pair.a.value.value_or(0) != 0 || pair.b.value.value_or(0) != 0) t.Row(pair);
  }
  return t.Done();
}

// A run against the first one; of the first one itself the difference is null.
struct Variant {
  const RunProfile* run = nullptr;
  const RunDiff* diff = nullptr;
  std::string shown;
};

template <typename R>
void AddRunName(TableOf<R>& t) {
  t.Add("run", {.elastic = true, .keep_end = true}, "as typed",
        [](const R& row) { return TextCell(row.run->name).ShownAs(row.shown); });
}

Table VerdictTable(Table table, const std::vector<Variant>& variants) {
  using V = Variant;
  TableOf<V> t(std::move(table));
  AddRunName(t);
  t.Time("step", "mean step; the whole window where there are no steps",
         [](const V& v) { return v.run->step; });
  t.Time("delta", {.head = "change"}, "against the first run",
         [](const V& v) { return v.diff == nullptr ? TimeCell(Ps()) : Delta(*v.diff, v.diff->delta()); });
  t.Add("ratio", "of the steps", [](const V& v) -> NumberCell {
    if (v.diff == nullptr) return 1.0;
    if (!v.diff->comparable()) return Unknown{kOtherPortions};
    return v.diff->ratio();
  });
  const auto of_interval = [](auto get) {
    return [get](const V& v) -> TimeCell {
      if (v.diff == nullptr) return Unknown{};
      if (!v.diff->interval) return Unknown{v.diff->WhyUnknown()};
      return get(*v.diff);
    };
  };
  t.Hidden("low", "of the interval of the change (95 %)",
           of_interval([](const RunDiff& diff) { return diff.interval->begin; }));
  t.Hidden("high", "the same", of_interval([](const RunDiff& diff) { return diff.interval->end; }));
  t.Time("noise", {.head = "noise ±"}, "half the interval", [](const V& v) -> TimeCell {
    if (v.diff == nullptr) return Unknown{};
    return OrUnknown(v.diff->noise(), v.diff->WhyUnknown());
  });
  const auto shift = [](auto get) {
    return [get](const V& v) -> TimeCell {
      if (v.diff == nullptr || !v.diff->shift)
        return Unknown{"fewer than six steps, or none to compare with"};
      return get(*v.diff->shift);
    };
  };
  t.Hidden("shift", "by how much most steps are longer", shift([](const Shift& s) { return s.time; }));
  t.Hidden("shift_low", "of its interval (99 %)", shift([](const Shift& s) { return s.interval.begin; }));
  t.Hidden("shift_high", "the same", shift([](const Shift& s) { return s.interval.end; }));
  t.Hidden("of_most_steps",
           "1: verdict and ratio are about most steps, as the means do not differ beyond noise",
           [](const V& v) { return int64_t{v.diff != nullptr && v.diff->of_most_steps}; });
  t.Hidden("of_steps", "1: the times are of a step; 0: of all that was captured",
           [](const V& v) { return int64_t{v.run->has_steps}; });
  t.Add("verdict", "faster, slower, no difference beyond noise",
        [](const V& v) { return v.diff == nullptr ? std::string_view() : Name(v.diff->verdict); });
  return t.Of(variants);
}

Table PartsTable(const std::vector<Variant>& variants) {
  TableOf<Variant> t({.name = "variant_parts"});
  AddRunName(t);
  for (size_t p = 0; p < kStepParts; ++p) {
    const auto part = static_cast<StepPart>(p);
    std::string name(Name(part));
    std::ranges::replace(name, ' ', '_');
    constexpr std::array<const char*, kStepParts> kHeads = {"compute", "comm.", "copies", "unknown", "idle"};
    t.Time(name, {.head = kHeads[p]}, "of a step; all sum to it",
           [part](const Variant& v) { return v.run->PartTime(part); });
  }
  t.Add("memory_peak", unit::kBytes, {.head = "memory"}, "of the device",
        [](const Variant& v) { return OrUnknown(v.run->quantities[0].value, "no allocator events"); });
  return t.Of(variants);
}

report::Document NewComparison(const std::vector<const LoadedRun*>& runs) {
  report::Document document = NewDocument("diff", *runs[0]);
  for (size_t i = 1; i < runs.size(); ++i) {
    const report::Document other = NewDocument("diff", *runs[i]);
    document.sources.push_back(other.sources[0]);
    document.context += "\n" + other.context;
    document.losses.insert(document.losses.end(), other.losses.begin(), other.losses.end());
    document.warnings.insert(document.warnings.end(), other.warnings.begin(), other.warnings.end());
  }
  document.context = fmt::format("{}", document.context);
  return document;
}

}  // namespace

report::Document DiffDocument(const LoadedRun& a, const LoadedRun& b, const RunDiff& diff) {
  report::Document document = NewComparison({&a, &b});
  document.context = fmt::format("{}  against  {}", a.typed, b.typed);
  document.answer = diff.Unlike() + Answer(diff);
  if (const std::string graphs = GraphSentence(diff); !graphs.empty()) document.notes.push_back(graphs);
  Table operations = OperationsTable(diff);
  Table scopes = ScopesTable(diff);
  Table changed = WhatChangedTable(diff);
  Table balance = BalanceTable(diff);
  if (!diff.comparable()) {
    for (Table* table : {&changed, &balance, &scopes, &operations}) table->hidden = true;
  } else if (operations.hidden) {
    scopes.hidden = true;
    document.notes.push_back("no operation changed by 2 % of its time and 0.1 % of the step");
  }
  document.tables =
      TablesOf(std::move(changed), std::move(balance), std::move(scopes), std::move(operations),
               QuantitiesTable(diff), EnvironmentTable(diff),
               VerdictTable({.name = "verdict", .hidden = true}, {{diff.b, &diff, diff.b->name}}));
  document.main_table = "operations";
  document.next = {Command("doctor", b)};
  return document;
}

report::Document VariantsDocument(const std::vector<const LoadedRun*>& runs,
                                  const std::vector<RunDiff>& diffs) {
  report::Document document = NewComparison(runs);
  document.context = fmt::format("{} runs against {}", diffs.size(), runs[0]->typed);
  const RunProfile& first = *diffs[0].a;
  const RunProfile* best = &first;
  for (const RunDiff& diff : diffs) {
    if (diff.b->step < best->step && diff.verdict == DiffVerdict::kFaster) best = diff.b;
  }
  document.answer = best == &first
                        ? fmt::format("None is known to be faster than {}: {}.", first.name, StepText(first))
                        : fmt::format("{} is the fastest: {}, against {} of {}.", best->name, StepText(*best),
                                      TimeText(first.step), first.name);
  std::vector<Variant> variants = {{&first, nullptr, {}}};
  for (const RunDiff& diff : diffs) variants.push_back({diff.b, &diff, {}});
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.run->name);
  names = TellingNames(names);
  for (size_t i = 0; i < names.size(); ++i) variants[i].shown = names[i];
  document.tables = TablesOf(VerdictTable({.name = "variants"}, variants), PartsTable(variants));
  document.next = {fmt::format("gait diff {} {}", runs[0]->typed, runs[1]->typed)};
  return document;
}

}  // namespace gait::analyze
