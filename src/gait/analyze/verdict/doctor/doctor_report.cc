#include "gait/analyze/verdict/doctor/doctor_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/verdict/doctor/balance_report.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr const char* kNoCost = "what it costs cannot be measured";

std::string PageOf(std::string_view rule) { return fmt::format("docs/rules/{}.md", rule); }

Cell EvidenceCell(const std::vector<Evidence>& evidence) {
  std::string json = "[";
  std::string plain;
  for (const Evidence& row : evidence) {
    json += fmt::format("{}{{\"text\":{}", json.size() > 1 ? "," : "", report::JsonString(row.text));
    if (!row.host.empty()) json += fmt::format(",\"host\":{}", report::JsonString(row.host));
    if (!row.track.empty()) json += fmt::format(",\"track\":{}", report::JsonString(row.track));
    if (row.time)
      json += fmt::format(",\"begin\":{},\"end\":{}", row.time->begin.value(), row.time->end.value());
    json += "}";
    plain += (plain.empty() ? "" : "\n") + row.text;
  }
  return Cell::Json(json + "]", plain);
}

Table FindingsTable(const Patient& patient, const Diagnosis& diagnosis) {
  TableOf<Finding> t({.name = "findings", .cards = true, .key = "title"});
  t.Hidden("rule", "which rule found it; gait doctor --explain RULE", &Finding::rule);
  t.Add("severity", "high: 10 % of a step or more; warning: 3 %; low: 1 %; info: no cost",
        [](const Finding& f) { return Name(f.severity); });
  t.Add("cost_ms_per_step",
        "milliseconds of a mean step, an upper bound of what a fix saves; without steps of the capture, on "
        "each "
        "device",
        [&](const Finding& f) -> NumberCell {
          if (!f.cost) return Unknown{kNoCost};
          return NumberCell(f.cost->milliseconds())
              .ShownAs(patient.has_steps() ? RangeText(f.between) + "/step"
                                           : RangeText(f.between) + " " + patient.view->Portion());
        });
  t.Percent("share", "of the step", [](const Finding& f) -> NumberCell {
    if (!f.cost) return Unknown{kNoCost};
    return NumberCell(100 * f.share).ShownAs(ShareText(f.share));
  });
  t.Add("title", "what was found", &Finding::title);
  t.Add("cause", {.below = true}, "why, in one sentence", &Finding::cause);
  t.Add("fix", {.head = "fix", .below = true}, "what to change", &Finding::fix);
  t.Add("evidence", {.head = "evidence", .below = true}, "rows, with their places on the timeline",
        [](const Finding& f) { return EvidenceCell(f.evidence); });
  t.Add("docs", {.head = "more", .below = true}, "the rule's page", [](const Finding& f) {
    return TextCell(PageOf(f.rule)).ShownAs(fmt::format("gait doctor --explain {}", f.rule));
  });
  const auto end = [](Ps PsRange::* which) {
    return [which](const Finding& f) -> NumberCell {
      return f.cost ? NumberCell((f.between.*which).milliseconds()) : NumberCell(Unknown{kNoCost});
    };
  };
  t.Hidden("cost_low",
           "milliseconds: if recording cost as much as it ever does; the cost where that was measured",
           end(&PsRange::low));
  t.Hidden("cost_high", "milliseconds: if recording cost as little as it ever does", end(&PsRange::high));
  t.Hidden("cost", "the same in words: 0.9–2.1 ms a step; empty: none", [&](const Finding& f) {
    return f.cost ? RangeText(f.between) + " " + patient.view->Portion() : "";
  });
  t.Hidden("portion", "what the cost is of: a step, on each device, in all",
           [portion = patient.view->Portion()](const Finding&) { return portion; });
  return t.Of(diagnosis.findings);
}

// What belongs to a finding and has no place in its row.
Table DetailsTable(const Diagnosis& diagnosis, const LoadedRun& run) {
  TableOf<Finding> t({.name = "finding_details", .hidden = true});
  t.Add("rule", "of the finding; in the same order", &Finding::rule);
  t.Add("step_if_fixed", "the step with this finding and all before it fixed", [&](const Finding& f) {
    return diagnosis.step_with_fixed[static_cast<size_t>(&f - diagnosis.findings.data()) + 1];
  });
  t.Add("overlaps", "rules of findings that claim some of the same time",
        [](const Finding& f) { return ListCell({f.overlaps.begin(), f.overlaps.end()}); });
  t.Add("see", "a command that shows more", [&](const Finding& f) {
    const bool narrowed = !f.see.option.empty();
    return Command(f.see.verb, run, narrowed ? fmt::format("--{} {}", f.see.option, f.see.value) : "");
  });
  t.Add("see_verb", "its verb", [](const Finding& f) { return f.see.verb; });
  t.Add("see_option", "its option; empty: none", [](const Finding& f) { return f.see.option; });
  t.Add("see_value", "of that option", [](const Finding& f) { return f.see.value; });
  t.Add("explain", "when the rule speaks, and what its cost is",
        [](const Finding& f) { return FindRule(f.rule)->explain; });
  return t.Of(diagnosis.findings);
}

// The step as it is and with the findings fixed one after the other; what each takes away, and what stays.
Table FixesTable(const Diagnosis& diagnosis) {
  struct Fix {
    std::string_view rule;
    std::string title;
    Ps saved, left;
  };
  const std::vector<Ps>& steps = diagnosis.step_with_fixed;
  TableOf<Fix> t({.name = "fixes", .hidden = true});
  t.Add("rule", "of the finding; empty: what stays", &Fix::rule);
  t.Add("title", "of the finding", &Fix::title);
  t.Add("saved", "of a step, once all before it are fixed; all sum to the step", &Fix::saved);
  t.Percent("share", "of the step as it is",
            [&](const Fix& fix) { return 100 * ShareOf(fix.saved, steps[0]); });
  t.Add("step", "what is left then", &Fix::left);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const Ps saved = steps[i] - steps[i + 1];
    const Finding& finding = diagnosis.findings[i];
    if (saved > Ps()) t.Row({finding.rule, finding.title, saved, steps[i + 1]});
  }
  if (!steps.empty() && steps[0] > Ps()) t.Row({"", "the rest", steps.back(), steps.back()});
  return t.Done();
}

Table RulesTable(const Diagnosis& diagnosis, bool verbose) {
  TableOf<RuleOutcome> t({.name = "rules", .hidden = !verbose});
  t.Add("rule", "its name", [](const RuleOutcome& o) { return o.rule->name; });
  t.Add("result", "found, clean or unchecked", [](const RuleOutcome& o) {
    if (o.findings > 0) return "found";
    return o.unchecked.empty() ? "clean" : "unchecked";
  });
  t.Add("why", {.elastic = true}, "why it could not be checked", &RuleOutcome::unchecked);
  return t.Of(diagnosis.rules);
}

constexpr double kClearly = 0.9;

// The captured steps took less time than those that nobody watched: they are not the usual ones, and what is
// missing belongs to no finding.
bool WereFaster(const Patient& patient) {
  return patient.overview.profiler && patient.overview.profiler->factor < kClearly;
}

// Most of what a loop does from step to step is not in the single step that was captured.
bool IsPartOfStep(const Patient& patient) {
  return patient.overview.uncaptured &&
         ShareOf(patient.ledger.step(), *patient.overview.uncaptured) < kClearly;
}

std::string StepText(const Patient& patient) {
  const Ledger& ledger = patient.ledger;
  if (!patient.has_steps()) return patient.PerStep(ledger.step()) + ", no steps";
  if (WereFaster(patient)) {
    return fmt::format("{} {} as captured, {} uncaptured", TimeText(ledger.step()), patient.overview.a_step,
                       TimeText(patient.overview.profiler->uncaptured));
  }
  if (IsPartOfStep(patient)) {
    return fmt::format("{} in the single captured step, {} from step to step uncaptured",
                       TimeText(ledger.step()), TimeText(*patient.overview.uncaptured));
  }
  // Costs are of the mean step; other verbs put the median first.
  if (!ledger.corrected()) {
    const Ps median = patient.overview.steps ? patient.overview.steps->median() : ledger.step();
    return fmt::format("{} {}", TimeText(ledger.step()), patient.overview.a_step) +
           (!patient.overview.of_program && FarApart(ledger.step(), median)
                ? fmt::format(" (mean; median {})", TimeText(median))
                : "");
  }
  return fmt::format("{} {} without the profiler{} ({} captured)", TimeText(ledger.step()),
                     patient.overview.a_step, patient.profiler_is_estimated() ? ", as estimated" : "",
                     TimeText(ledger.captured_step()));
}

// The largest term that is not necessary, whatever the rules say; empty where little is lost.
std::string LargestLoss(const Balance& balance) {
  const BalanceTerm largest = balance.largest();
  if (balance.is_healthy() || balance.total == Ps()) return "";
  return fmt::format(", of which {} ({}) {} {}", TimeText(balance.of(largest).time / balance.steps),
                     ShareText(balance.share(largest)), largest == BalanceTerm::kCopies ? "are" : "is",
                     Describe(largest));
}

std::string Answer(const Patient& patient, const Diagnosis& diagnosis) {
  if (!patient.has_devices()) return "No device did anything in this capture: nothing can be judged.";
  if (patient.overview.total.window == Ps()) {
    return "What was selected did nothing inside the steps that the numbers cover: nothing can be judged.";
  }
  const std::string step = StepText(patient) + LargestLoss(diagnosis.balance);
  const size_t worth = diagnosis.worth_fixing();
  if (worth == 0) {
    const double busy = 100 * ShareOf(patient.overview.total.busy(), patient.overview.total.window);
    const auto matters = static_cast<size_t>(std::ranges::count_if(
        diagnosis.findings, [](const Finding& f) { return f.severity >= Severity::kWarning; }));
    if (matters > 0)
      return fmt::format("{}, device busy {:.1f} %; {} to look at.", step, busy, Plural(matters, "finding"));
    const BalanceTerm largest = diagnosis.balance.largest();
    const bool known = largest == BalanceTerm::kUnrated || largest == BalanceTerm::kAvoidable;
    const std::string_view found = diagnosis.balance.is_healthy() ? "Nothing that stands out"
                                   : known                        ? "No finding"
                                                                  : "No rule says why";
    const std::string rules = diagnosis.rules.size() < AllRules().size()
                                  ? fmt::format(" ({} of {} asked)", diagnosis.rules.size(),
                                                report::Plural(AllRules().size(), "rule"))
                                  : "";
    return fmt::format("{}, device busy {:.1f} %. {}{}.", step, busy, found, rules);
  }
  return fmt::format("{}; {} if the first {} fixed.", step, TimeText(diagnosis.step_with_fixed[worth]),
                     worth == 1 ? "finding is" : fmt::format("{} findings are", worth));
}

void AddNotes(const Patient& patient, const Diagnosis& diagnosis, bool verbose, report::Document& document) {
  if (WereFaster(patient)) {
    document.notes.push_back(fmt::format(
        "the captured steps took {:.2f} times as long as those without the profiler: costs are of "
        "the captured ones, and may be too low; capture more steps",
        patient.overview.profiler->factor));
  }
  if (IsPartOfStep(patient)) {
    document.notes.push_back(
        "what the loop does between two steps is not in a single captured one: costs may be too low; capture "
        "more steps");
  }
  if (patient.profiler_is_estimated()) {
    const ProfilerCost& profiler = *patient.overview.profiler;
    document.notes.push_back(
        fmt::format("the profiler is estimated to add {} to each step ({}): costs are without that time; "
                    "gait's own captures "
                    "measure it",
                    RangeText(profiler.slower), profiler.estimated_from));
  }
  std::vector<std::string_view> rules;
  std::vector<std::string> shared;
  for (const Finding& finding : diagnosis.findings) {
    rules.push_back(finding.rule);
    for (const std::string_view other : finding.overlaps) {
      // Each pair once.
      if (std::ranges::find(rules, other) == rules.end())
        shared.push_back(fmt::format("{} and {}", finding.rule, other));
    }
  }
  if (!shared.empty()) {
    document.notes.push_back(fmt::format("share time, so that together they cost less than their sum: {}",
                                         fmt::join(shared, ", ")));
  }
  const double unrated = diagnosis.balance.share(BalanceTerm::kUnrated);
  if (unrated > kMostUnrated) {
    const std::string& because = diagnosis.balance.unrated_because;
    document.notes.push_back(
        fmt::format("{} is not rated: {}", ShareText(unrated), because.substr(0, because.find(';'))));
  }
  size_t found = 0;
  size_t unchecked = 0;
  for (const RuleOutcome& outcome : diagnosis.rules) {
    found += outcome.findings > 0 ? 1 : 0;
    unchecked += !outcome.unchecked.empty() ? 1 : 0;
  }
  document.notes.push_back(fmt::format(
      "checked {}: {}, {} clean, {} could not be checked{}", Plural(diagnosis.rules.size(), "rule"),
      Plural(diagnosis.findings.size(), "finding"), diagnosis.rules.size() - found - unchecked, unchecked,
      unchecked > 0 && !verbose ? " (--verbose says why)" : ""));
}

}  // namespace

report::Document DoctorDocument(const Patient& patient, const Diagnosis& diagnosis, bool verbose) {
  const LoadedRun& run = *patient.view->run;
  report::Document document = NewDocument("doctor", run);
  document.answer = Answer(patient, diagnosis);
  document.main_table = "findings";
  if (patient.has_devices()) {
    document.tables.push_back(BalanceTable(patient, diagnosis.balance));
    document.tables.push_back(BalanceDevicesTable(patient, diagnosis.balance));
  }
  document.tables.push_back(FindingsTable(patient, diagnosis));
  document.tables.push_back(RatesTable(patient, diagnosis.balance.rates));
  document.tables.push_back(DetailsTable(diagnosis, run));
  document.tables.push_back(RulesTable(diagnosis, verbose));
  document.tables.push_back(FixesTable(diagnosis));
  AddNotes(patient, diagnosis, verbose, document);
  const Table& details = *report::FindTable(document, "finding_details");
  for (size_t i = 0; i < details.rows.size() && i < 2; ++i) {
    const std::string& command = details.rows[i][3].text();
    if (std::ranges::find(document.next, command) == document.next.end()) document.next.push_back(command);
  }
  if (document.next.empty()) document.next.push_back(Command("overview", run));
  return document;
}

report::Document RulesDocument() {
  report::Document document;
  document.verb = "doctor";
  document.read_events = false;
  document.answer = fmt::format("{} rules.", AllRules().size());
  TableOf<Rule> t({.name = "rules"});
  t.Add("rule", "its name", &Rule::name);
  t.Add("summary", {.head = "looks for"}, "what it looks for", &Rule::summary);
  document.tables.push_back(t.Of(AllRules()));
  document.next = {"gait doctor --explain input"};
  return document;
}

report::Document ExplainDocument(const Rule& rule) {
  report::Document document;
  document.verb = "doctor";
  document.read_events = false;
  document.answer = fmt::format("{}: {}.", rule.name, rule.summary);
  document.notes = {std::string(rule.explain), fmt::format("more: {}", PageOf(rule.name))};
  return document;
}

}  // namespace gait::analyze
