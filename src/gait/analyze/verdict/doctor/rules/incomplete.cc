#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/vocabulary/words.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// CUPTI records that a process keeps where no option says otherwise: the newest are dropped. Some are no
// events of GPUs.
constexpr uint64_t kActivityCap = uint64_t{2} << 20;
constexpr double kNear = 0.99;

uint64_t ActivityCap(const Trace& trace) {
  const auto& options = trace.environment().options;
  const auto given = options.find("gpu_max_activity_api_events");
  if (given == options.end()) return kActivityCap;
  uint64_t cap = 0;
  const std::string& text = given->second;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), cap);
  return read.ec == std::errc() && cap > 0 ? cap : std::numeric_limits<uint64_t>::max();  // -1: no limit
}

uint64_t GpuEvents(const Trace& trace) {
  uint64_t events = 0;
  for (const Track& track : trace.tracks()) {
    const bool gpu = trace.plane(track.info().plane).kind == PlaneKind::kGpu;
    if (gpu && track.info().kind == TrackKind::kStream) events += track.size();
  }
  return events;
}

Verdict Incomplete(const Patient& patient) {
  Finding finding;
  bool capped = false;
  bool lowered = false;
  for (const HostView& host : patient.view->hosts) {
    const std::string& name = host.host->name;
    for (const Loss& loss : host.trace().losses()) {
      if (loss.kind != LossKind::kTruncated && loss.kind != LossKind::kDropped &&
          loss.kind != LossKind::kCapped)
        continue;
      finding.evidence.push_back(
          {fmt::format("{}: {} ({})", loss.place, loss.reason, report::CountText(loss.count)), name});
    }
    for (const std::string& warning : host.trace().environment().warnings) {
      if (!HasOneOf(WordsOf(warning), std::array<std::string_view, 3>{"dropped", "drop", "truncated"}))
        continue;
      finding.evidence.push_back({fmt::format("the profiler said: {}", warning), name});
      capped = true;
    }
    const uint64_t events = GpuEvents(host.trace());
    const uint64_t cap = ActivityCap(host.trace());
    if (static_cast<double>(events) >= kNear * static_cast<double>(cap)) {
      finding.evidence.push_back({fmt::format("{} events of GPUs: the profiler's limit is {}",
                                              report::CountText(events), report::CountText(cap)),
                                  name});
      capped = true;
      lowered |= cap < kActivityCap;
    }
  }
  bool unfinished = false;
  bool damaged = !finding.evidence.empty();
  for (const Loss& loss : patient.view->run->losses) {
    unfinished |= loss.kind == LossKind::kUnfinished;
    damaged |= loss.kind != LossKind::kUnfinished;
    finding.evidence.push_back({loss.kind == LossKind::kUnfinished
                                    ? LossText(loss, report::CountText(loss.count))
                                    : fmt::format("{}: {}", loss.place, loss.reason)});
  }
  if (finding.evidence.empty()) return Verdict::Clean();
  const bool without_device = !patient.has_devices() && patient.is_cut_short();
  finding.severity = without_device ? Severity::kHigh : Severity::kWarning;
  finding.title = capped ? "The profiler's event limit was reached" : "The capture is incomplete";
  finding.cause =
      without_device
          ? "A file is cut short or damaged, and no device is in what is left of it: nothing can be judged."
      : capped ? "Events beyond the limit were dropped, the newest first: the end of the capture is missing."
               : "Parts of the files are missing or unreadable; numbers cover what is there.";
  finding.fix = lowered  ? "leave gpu_max_activity_api_events at its default of 2 Mi"
                : capped ? "capture fewer steps, without the Python tracer:\n"
                           "  options.python_tracer_level = 0"
                         : "copy the files again in binary mode, or capture again";
  if (unfinished && !damaged) {
    const bool beside = patient.overview.series != nullptr &&
                        std::ranges::any_of(patient.overview.series->steps, &Step::complete);
    finding.title = "The capture ended before its work did";
    finding.severity = beside ? Severity::kInfo : Severity::kHigh;
    finding.cause = beside ? "The last launches have no end in the capture; complete steps are not touched."
                           : "What was launched last has no end in the capture: device times are too short.";
    finding.fix =
        "wait for the results before the capture ends:\n"
        "  jax.block_until_ready(result)";
  }
  finding.see = {"info"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kIncompleteRule;
const Rule kIncompleteRule = {
    .name = "incomplete",
    .topic = Topic::kCapture,
    .summary = "truncated files, dropped events, launches without end",
    .metrics = "steps",
    .check = Incomplete,
    .explain =
        "Speaks when a file is cut short, events were dropped on the way, launches have no end in the "
        "capture, or the profiler's limit of GPU events (2 Mi a process, or the option "
        "gpu_max_activity_api_events) was reached.",
};

}  // namespace gait::analyze
