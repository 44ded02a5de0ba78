#include "gait/analyze/verdict/diff/diff_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

using report::Cell;
using report::Column;
using report::Row;
using report::Table;
using report::TimeText;
using report::Type;
using report::Unknown;
namespace unit = report::unit;

constexpr size_t kTextRows = 12;
constexpr size_t kTextScopes = 8;
constexpr const char* kOtherPortions = "one run has steps, the other has none";

std::string Signed(Ps time) { return (time < Ps() ? "−" : "+") + TimeText(time < Ps() ? -time : time); }

Column TimeColumn(std::string name, std::string_view about) {
  return {std::move(name), Type::kInteger, unit::kPs, {.group = "time"}, about};
}
Column DeltaColumn(std::string_view about) {
  return {"delta", Type::kInteger, unit::kPs, {.head = "change", .group = "time"}, about};
}

// "19.3 ms a step".
std::string StepText(const RunProfile& run) { return fmt::format("{} {}", TimeText(run.step), run.portion); }

// A difference of two times of the runs; unknown where they are not of the same thing.
Cell Delta(const RunDiff& diff, Ps delta) {
  return diff.comparable() ? Cell(delta) : Cell(Unknown{kOtherPortions});
}

std::string Sentence(const RunDiff& diff) {
  if (!diff.comparable()) {
    return fmt::format("Cannot be compared: {}. {}: {}; {}: {}.", diff.WhyUnknown(), diff.a->name,
                       StepText(*diff.a), diff.b->name, StepText(*diff.b));
  }
  const std::string steps =
      fmt::format("{} → {} ({}{})", TimeText(diff.a->step), StepText(*diff.b),
                  diff.delta() == Ps() ? "0" : Signed(diff.delta()),
                  diff.noise() ? fmt::format(", noise ±{}", TimeText(*diff.noise())) : "");
  const double ratio = diff.ratio();
  switch (diff.verdict) {
    case DiffVerdict::kSlower:
      return ratio >= 1.1 ? fmt::format("{:.2f} times slower: {}.", ratio, steps)
                          : fmt::format("{:.1f} % slower: {}.", 100 * (ratio - 1), steps);
    case DiffVerdict::kFaster:
      return ratio > 0 && ratio <= 0.9 ? fmt::format("{:.2f} times faster: {}.", 1 / ratio, steps)
                                       : fmt::format("{:.1f} % faster: {}.", 100 * (1 - ratio), steps);
    case DiffVerdict::kSame:
      return fmt::format("No difference beyond noise: {}.", steps);
    case DiffVerdict::kUnknown:
      break;
  }
  return fmt::format("{}; whether that is noise is not known: {}.", steps, diff.WhyUnknown());
}

// What graphs changed: how often the host had to launch, and what of it reached the step.
std::string GraphSentence(const RunDiff& diff) {
  if (!diff.comparable() || !diff.a->launching || !diff.b->launching) return {};
  const Launching& a = *diff.a->launching;
  const Launching& b = *diff.b->launching;
  const bool gained = a.graphs == 0 && b.graphs > 0;
  if (!gained && !(a.graphs > 0 && b.graphs == 0)) return {};
  const Launching& with = gained ? b : a;
  const Launching& without = gained ? a : b;
  const std::string step = diff.verdict == DiffVerdict::kSame ? "the step stays as long as it was"
                           : diff.verdict == DiffVerdict::kUnknown
                               ? "what that does to the step is not known"
                               : "the step changes by " + Signed(diff.delta());
  return fmt::format(
      "the {} run launches its work with CUDA graphs, the {} does not: {:.4g} instead of {:.4g} launch calls "
      "{}, {} "
      "instead of {} of the host's time; {}",
      gained ? "second" : "first", gained ? "first" : "second", with.calls, without.calls, diff.b->portion,
      TimeText(with.time), TimeText(without.time), step);
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

Table WhatChangedTable(const RunDiff& diff) {
  Table table;
  table.name = "what_changed";
  table.depth = "depth";
  table.columns = {
      {"part", Type::kText, unit::kNone, {.head = "what changed"}, "what the device did"},
      {"depth", Type::kInteger, unit::kNone, {.hidden = true}, "0: these sum to the step; 1: what they hold"},
      TimeColumn("a", "of a step of the first run"),
      TimeColumn("b", "of a step of the second run"),
      DeltaColumn("b - a; those at depth 0 sum to that of the step, exactly"),
      {"note", Type::kText, unit::kNone, {.elastic = true}, "the largest change in it"}};
  const auto add = [&](std::string name, int64_t depth, Ps a, Ps b, std::string note) {
    table.rows.push_back({std::move(name), depth, a, b, Delta(diff, b - a), std::move(note)});
  };
  for (size_t p = 0; p < kStepParts; ++p) {
    const auto part = static_cast<StepPart>(p);
    const Ps a = diff.a->PartTime(part);
    const Ps b = diff.b->PartTime(part);
    const bool always = part == StepPart::kCompute || part == StepPart::kIdle;
    if (a == Ps() && b == Ps() && !always) continue;
    const Ps change = b > a ? b - a : a - b;
    const bool noise = diff.noise() && change <= *diff.noise();
    add(std::string(Name(part)), 0, a, b,
        change == Ps() ? ""
        : noise        ? "below the step's noise"
                       : LargestOf(diff, part, ""));
    std::map<std::string, std::pair<Ps, Ps>> groups;
    for (const DiffRow& row : diff.rows) {
      if (row.key.part != part) continue;
      auto& [first, second] = groups[GroupOf(row.key)];
      first += row.a;
      second += row.b;
    }
    std::vector<std::pair<std::string, std::pair<Ps, Ps>>> sorted(groups.begin(), groups.end());
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const auto& g) { return std::max(g.second.first, g.second.second); });
    for (const auto& [name, times] : sorted) {
      if (sorted.size() == 1 && part != StepPart::kIdle) continue;
      add(name, 1, times.first, times.second, "");
    }
  }
  add("step", 0, diff.a->step, diff.b->step, "");
  return table;
}

// --- rows -------------------------------------------------------------------------------------------------

Table ScopesTable(const RunDiff& diff) {
  struct Sum {
    Ps a, b;
  };
  std::map<std::pair<std::string, std::string>, Sum> scopes;
  for (const DiffRow& row : diff.rows) {
    if (row.key.part == StepPart::kIdle) continue;
    Sum& sum = scopes[{row.key.program, row.key.scope}];
    sum.a += row.a;
    sum.b += row.b;
  }
  Table table;
  table.name = "scopes";
  table.text_rows = kTextScopes;
  table.columns = {{"scope",
                    Type::kText,
                    unit::kNone,
                    {.head = "by scope", .elastic = true, .keep_end = true},
                    "where the program names it"},
                   {"program", Type::kText, unit::kNone, {.hidden = true}, "its name"},
                   TimeColumn("a", "of a step of the first run"),
                   TimeColumn("b", "of a step of the second run"),
                   DeltaColumn("b - a; all rows sum to the change of the busy time")};
  std::vector<std::pair<std::pair<std::string, std::string>, Sum>> sorted(scopes.begin(), scopes.end());
  const auto size = [](Ps t) { return t < Ps() ? -t : t; };
  std::ranges::stable_sort(sorted, std::greater(),
                           [&](const auto& s) { return size(s.second.b - s.second.a); });
  for (const auto& [key, sum] : sorted) {
    const std::string name =
        key.second.empty() ? (key.first.empty() ? "(no program)" : key.first) : key.second;
    table.rows.push_back({name, key.first, sum.a, sum.b, Delta(diff, sum.b - sum.a)});
  }
  return table;
}

Table OperationsTable(const RunDiff& diff) {
  Table table;
  table.name = "operations";
  const auto changed = static_cast<size_t>(std::ranges::count_if(diff.rows, [](const DiffRow& row) {
    return row.change != Change::kSame && row.key.part != StepPart::kIdle;
  }));
  table.hidden = changed == 0;
  table.text_rows = std::min(kTextRows, changed);
  table.key = "operation";
  table.columns = {
      {"change",
       Type::kText,
       unit::kNone,
       {.head = "operations"},
       "added, removed, more or less often, slower, faster, same"},
      {"operation", Type::kText, unit::kNone, {.elastic = true}, "the primitive, or the kernel's name"},
      {"category", Type::kText, unit::kNone, {.optional = true}, "what it does"},
      {"scope", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "where the program names it"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "its name"},
      TimeColumn("a", "self time in a step of the first run"),
      TimeColumn("b", "and of the second"),
      {"delta", Type::kInteger, unit::kPs, {.head = "change", .group = "time"}, "b - a"},
      {"a_executions",
       Type::kNumber,
       unit::kNone,
       {.hidden = true},
       "how often it ran in a step of the first run"},
      {"b_executions", Type::kNumber, unit::kNone, {.hidden = true}, "and of the second"}};
  for (const DiffRow& row : diff.rows) {
    if (row.key.part == StepPart::kIdle) continue;
    table.rows.push_back({Name(row.change), row.key.operation, row.key.category, row.key.scope,
                          row.key.program, row.a, row.b, Delta(diff, row.delta()), row.a_executions,
                          row.b_executions});
  }
  return table;
}

std::string AmountOf(const Quantity& quantity, double value) {
  if (quantity.unit == unit::kPs) return TimeText(Ps(static_cast<int64_t>(value)));
  if (quantity.unit.empty()) return fmt::format("{:.4g}", value);
  return report::AmountText(value, quantity.unit);
}

Table QuantitiesTable(const RunDiff& diff) {
  Table table;
  table.name = "quantities";
  table.columns = {{"quantity",
                    Type::kText,
                    unit::kNone,
                    {.head = "also"},
                    "what is measured; bytes, counts and calls in a step"},
                   {"a", Type::kNumber, unit::kNone, {}, "of the first run, in the row's unit"},
                   {"b", Type::kNumber, unit::kNone, {}, "of the second"},
                   {"delta", Type::kNumber, unit::kNone, {.hidden = true}, "b - a"},
                   {"unit", Type::kText, unit::kNone, {.hidden = true}, "of the values"}};
  for (size_t i = 0; i < diff.a->quantities.size(); ++i) {
    const Quantity& a = diff.a->quantities[i];
    const Quantity& b = diff.b->quantities[i];
    if (a.value.value_or(0) == 0 && b.value.value_or(0) == 0) continue;
    const auto cell = [&](const Quantity& q) {
      return q.value ? Cell(*q.value).ShownAs(AmountOf(q, *q.value))
                     : Cell(Unknown{"the capture does not say"});
    };
    table.rows.push_back(
        {a.name, cell(a), cell(b), a.value && b.value ? Cell(*b.value - *a.value) : Cell(Unknown{}), a.unit});
  }
  return table;
}

using NamedValues = std::map<std::string, std::string>;

// What one side lacks shows as `missing`.
void AddDifferences(const NamedValues& a, const NamedValues& b, const Cell& missing, Table& table) {
  std::set<std::string> names;
  for (const NamedValues* side : {&a, &b}) {
    for (const auto& [name, value] : *side) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto cell = [&](const NamedValues& side) {
      const auto found = side.find(name);
      return found == side.end() ? missing : Cell(found->second);
    };
    const bool both = a.contains(name) && b.contains(name);
    if (!both || a.at(name) != b.at(name)) table.rows.push_back({name, cell(a), cell(b)});
  }
}

Table EnvironmentTable(const RunDiff& diff) {
  const bool flags = diff.a->flags && diff.b->flags;
  Table table;
  table.name = "environment";
  table.if_empty = flags ? "same versions, options, flags and devices"
                         : "same versions, options and devices; flags could not be compared";
  table.columns = {
      {"what", Type::kText, unit::kNone, {.head = "environment"}, "what differs between the runs"},
      {"a", Type::kText, unit::kNone, {.elastic = true}, "of the first run"},
      {"b", Type::kText, unit::kNone, {.elastic = true}, "of the second"}};
  AddDifferences(diff.a->environment, diff.b->environment, Unknown{"the capture does not name it"}, table);
  if (flags) AddDifferences(*diff.a->flags, *diff.b->flags, "not set", table);
  return table;
}

std::vector<Column> VerdictColumns() {
  return {{"run", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "as typed"},
          TimeColumn("step", "mean step; the whole window where there are no steps"),
          {"delta", Type::kInteger, unit::kPs, {.head = "change", .group = "time"}, "against the first run"},
          {"ratio", Type::kNumber, unit::kNone, {}, "of the steps"},
          {"low", Type::kInteger, unit::kPs, {.hidden = true}, "of the interval of the change (95 %)"},
          {"high", Type::kInteger, unit::kPs, {.hidden = true}, "the same"},
          {"noise", Type::kInteger, unit::kPs, {.head = "noise ±", .group = "time"}, "half the interval"},
          {"verdict", Type::kText, unit::kNone, {}, "faster, slower, no difference beyond noise"}};
}

Row VerdictRow(const RunDiff& diff, const std::string& shown) {
  const Cell unknown = Unknown{diff.WhyUnknown()};
  return {Cell(diff.b->name).ShownAs(shown),
          diff.b->step,
          Delta(diff, diff.delta()),
          diff.comparable() ? Cell(diff.ratio()) : Cell(Unknown{kOtherPortions}),
          diff.interval ? Cell(diff.interval->begin) : unknown,
          diff.interval ? Cell(diff.interval->end) : unknown,
          diff.noise() ? Cell(*diff.noise()) : unknown,
          Name(diff.verdict)};
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
  document.answer = Sentence(diff);
  document.tables.push_back(WhatChangedTable(diff));
  document.tables.push_back(ScopesTable(diff));
  document.tables.push_back(OperationsTable(diff));
  document.tables.push_back(QuantitiesTable(diff));
  document.tables.push_back(EnvironmentTable(diff));
  Table verdict;
  verdict.name = "verdict";
  verdict.hidden = true;
  verdict.columns = VerdictColumns();
  verdict.rows.push_back(VerdictRow(diff, diff.b->name));
  document.tables.push_back(std::move(verdict));
  document.main_table = "operations";
  if (const std::string graphs = GraphSentence(diff); !graphs.empty()) document.notes.push_back(graphs);
  if (!diff.comparable()) {
    for (size_t i = 0; i < 3; ++i) document.tables[i].hidden = true;
  } else if (document.tables[2].hidden) {
    document.tables[1].hidden = true;
    document.notes.push_back("no operation changed by 2 % of its time and 0.1 % of the step");
  }
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
  Table variants;
  variants.name = "variants";
  variants.columns = VerdictColumns();
  std::vector<std::string> names = {first.name};
  for (const RunDiff& diff : diffs) names.push_back(diff.b->name);
  names = TellingNames(names);
  variants.rows.push_back(
      {Cell(first.name).ShownAs(names[0]), first.step, Ps(), 1.0, Unknown{}, Unknown{}, Unknown{}, ""});
  for (size_t i = 0; i < diffs.size(); ++i) variants.rows.push_back(VerdictRow(diffs[i], names[i + 1]));
  document.tables.push_back(std::move(variants));
  Table parts;
  parts.name = "variant_parts";
  parts.columns = {{"run", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "as typed"}};
  for (size_t p = 0; p < kStepParts; ++p) {
    std::string name(Name(static_cast<StepPart>(p)));
    constexpr std::array<const char*, kStepParts> kHeads = {"compute", "comm.", "copies", "unknown", "idle"};
    const std::string head = kHeads[p];
    std::ranges::replace(name, ' ', '_');
    parts.columns.push_back(
        {name, Type::kInteger, unit::kPs, {.head = head, .group = "time"}, "of a step; all sum to it"});
  }
  parts.columns.push_back({"memory_peak", Type::kNumber, unit::kBytes, {.head = "memory"}, "of the device"});
  for (size_t i = 0; i <= diffs.size(); ++i) {
    const RunProfile& run = i == 0 ? first : *diffs[i - 1].b;
    Row row = {Cell(run.name).ShownAs(names[i])};
    for (size_t p = 0; p < kStepParts; ++p) row.emplace_back(run.PartTime(static_cast<StepPart>(p)));
    row.push_back(run.quantities[0].value ? Cell(*run.quantities[0].value)
                                          : Cell(Unknown{"no allocator events"}));
    parts.rows.push_back(std::move(row));
  }
  document.tables.push_back(std::move(parts));
  document.next = {fmt::format("gait diff {} {}", runs[0]->typed, runs[1]->typed)};
  return document;
}

}  // namespace gait::analyze
