#include "gait/analyze/verdict/check/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/verdict/check/evidence.h"
#include "gait/report/numbers.h"
#include "gait/report/unicode.h"

namespace gait::analyze {
namespace {

std::string_view UnitName(MetricUnit of) {
  switch (of) {
    case MetricUnit::kTime:
      return unit::kPs;
    case MetricUnit::kPercent:
      return unit::kPercent;
    case MetricUnit::kBytes:
      return unit::kBytes;
    case MetricUnit::kCount:
      break;
  }
  return unit::kNone;
}

NumberCell ValueCell(std::optional<double> value, MetricUnit of, const std::string& why) {
  if (!value) return Unknown{why};
  return NumberCell(*value).ShownAs(MetricText(of, *value));
}

std::string XmlText(std::string_view text) {
  std::string out;
  for (const char c : report::ValidUtf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n') out += c;
    }
  }
  return out;
}

// GitHub's own escapes.
std::string Annotation(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else {
      out += c;
    }
  }
  return out;
}

// The row that takes most of what the step takes more: "idle, host busy with input: +31.0 ms a step".
std::string LargestGrowth(const RunDiff& diff) {
  if (diff.rows.empty()) return {};
  const DiffRow& most = *std::ranges::max_element(diff.rows, {}, &DiffRow::delta);
  if (most.delta() <= Ps()) return {};
  return fmt::format("{}, {}: +{} {}", Name(most.key.part),
                     most.key.scope.empty() ? most.key.operation : most.key.scope,
                     report::TimeText(most.delta()), diff.b->portion);
}

}  // namespace

Result<std::vector<CheckRow>> CheckLimits(const std::vector<Limit>& limits,
                                          const std::vector<Metric>& metrics) {
  std::vector<CheckRow> rows;
  for (const Limit& limit : limits) {
    const auto metric = std::ranges::find(metrics, limit.metric, &Metric::name);
    if (metric == metrics.end()) {
      return UsageError(fmt::format("there is no metric '{}'.", limit.metric),
                        "gait check RUN --list shows the metrics.");
    }
    if (limit.plain && metric->unit == MetricUnit::kPercent && (limit.value < 0 || limit.value >= 1)) {
      return UsageError(fmt::format("'{}': {:g} may mean {:g} % or {:g} %.", limit.text, limit.value,
                                    limit.value, 100 * limit.value),
                        fmt::format("Write {} {} {:g}%", limit.metric, Name(limit.comparison), limit.value));
    }
    if (!Fits(limit, *metric)) {
      return UsageError(fmt::format("'{}': {} is no {}.", limit.text, limit.metric,
                                    limit.unit == MetricUnit::kTime      ? "time"
                                    : limit.unit == MetricUnit::kPercent ? "share"
                                                                         : "number of bytes"),
                        "gait check RUN --list shows the metrics and their units.");
    }
    CheckRow row{limit.text, limit.metric, metric->value, metric->unit};
    row.judged = metric->value.has_value();
    row.held = row.judged && Holds(limit, *metric);
    if (!row.judged) {
      row.reason = fmt::format("{} is not known: {}", limit.metric, metric->unknown_because);
    } else if (!row.held) {
      row.reason = fmt::format("{} is {}", limit.metric, MetricText(metric->unit, *metric->value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

CheckRow CheckBaseline(const RunDiff& diff, double share) {
  CheckRow row{fmt::format("not slower than {} by {:g} %", diff.a->name, 100 * share), "step_time",
               static_cast<double>(diff.b->step.value()), MetricUnit::kTime};
  row.reason = WhyNotHeld(diff, share);
  row.held = row.reason.empty();
  row.judged = diff.verdict != DiffVerdict::kUnknown;
  if (!row.held && row.judged) row.evidence = LargestGrowth(diff);
  return row;
}

void AddEvidence(const Patient& patient, const Diagnosis& diagnosis, std::vector<CheckRow>& rows) {
  for (CheckRow& row : rows) {
    // What cannot be judged has no cause but the one that its reason gives.
    if (!row.held && row.judged && row.evidence.empty()) {
      row.evidence = EvidenceFor(row.metric, patient, diagnosis);
    }
  }
}

report::Document CheckDocument(const Patient& patient, const std::vector<CheckRow>& rows,
                               const std::vector<Metric>& metrics, bool list) {
  const LoadedRun& run = *patient.view->run;
  report::Document document = NewDocument("check", run);
  const auto broken = static_cast<size_t>(std::ranges::count(rows, false, &CheckRow::held));
  document.answer = rows.empty() ? fmt::format("{}.", report::Plural(metrics.size(), "metric"))
                    : broken == 0
                        ? fmt::format("Passed: {}.", report::Plural(rows.size(), "limit"))
                        : fmt::format("Failed: {} of {}.", broken, report::Plural(rows.size(), "limit"));
  TableOf<CheckRow> checks({.name = "checks"});
  checks.Add("limit", "as given", &CheckRow::limit);
  checks.Add("value", "of the run, in the row's unit",
             [](const CheckRow& row) { return ValueCell(row.value, row.unit, row.reason); });
  checks.Add("result", "passed or failed",
             [](const CheckRow& row) { return row.held ? "passed" : "failed"; });
  checks.Add("reason", {.below = true}, "why it failed", &CheckRow::reason);
  checks.Add("evidence", {.below = true}, "what is behind it", &CheckRow::evidence);
  checks.Hidden("metric", "what was measured", &CheckRow::metric);
  checks.Hidden("unit", "of the value", [](const CheckRow& row) { return UnitName(row.unit); });
  document.tables.push_back(checks.Of(rows));
  TableOf<Metric> all({.name = "metrics", .hidden = !list});
  all.Add("metric", "its name", &Metric::name);
  all.Add("value", "in the row's unit",
          [](const Metric& metric) { return ValueCell(metric.value, metric.unit, metric.unknown_because); });
  all.Hidden("unit", "of the value", [](const Metric& metric) { return UnitName(metric.unit); });
  all.Add("about", {.elastic = true}, "what it is", &Metric::about);
  document.tables.push_back(all.Of(metrics));
  for (const CheckRow& row : rows) {
    const std::string command = Command(VerbFor(row.metric), run);
    if (row.held || std::ranges::find(document.next, command) != document.next.end()) continue;
    document.next.push_back(command);
  }
  if (document.next.empty()) document.next = {Command("doctor", run)};
  return document;
}

std::string JUnitText(const std::vector<CheckRow>& rows, std::string_view run) {
  const auto broken = std::ranges::count(rows, false, &CheckRow::held);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"gait check\" tests=\"{}\" "
      "failures=\"{}\">\n",
      rows.size(), broken);
  for (const CheckRow& row : rows) {
    out += fmt::format("<testcase classname=\"{}\" name=\"{}\"", XmlText(run), XmlText(row.limit));
    out += row.held ? "/>\n"
                    : fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", XmlText(row.reason),
                                  XmlText(row.evidence));
  }
  return out + "</testsuite>\n</testsuites>\n";
}

std::string GithubText(const std::vector<CheckRow>& rows, std::string_view run) {
  std::string out;
  for (const CheckRow& row : rows) {
    if (!row.held)
      out += fmt::format("::error title=gait check::{}\n",
                         Annotation(fmt::format("{}: {} ({}){}", run, row.limit, row.reason,
                                                row.evidence.empty() ? "" : "\n" + row.evidence)));
  }
  return out;
}

}  // namespace gait::analyze
