#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/cut_short.h"
#include "gait/analyze/words.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr uint64_t kActivityCap = uint64_t{2} << 20;  // CUPTI records a process keeps: the newest are dropped
constexpr double kNear = 0.999;

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
    if (static_cast<double>(events) >= kNear * static_cast<double>(kActivityCap)) {
      finding.evidence.push_back(
          {fmt::format("{} events of GPUs: the profiler's limit", report::CountText(events)), name});
      capped = true;
    }
  }
  for (const Loss& loss : patient.view->run->losses) {
    finding.evidence.push_back({fmt::format("{}: {}", loss.place, loss.reason)});
  }
  if (finding.evidence.empty()) return Verdict::Clean();
  const bool without_device = !patient.has_devices() && IsCutShort(patient);
  finding.severity = without_device ? Severity::kHigh : Severity::kWarning;
  finding.title = capped ? "The profiler's event limit was reached" : "The capture is incomplete";
  finding.cause =
      without_device ? "A file is cut short, and no device is in what is left of it: nothing can be judged."
      : capped ? "Events beyond the limit were dropped, the newest first: the end of the capture is missing."
               : "Parts of the files are missing or unreadable; numbers cover what is there.";
  finding.fix = capped ? "capture fewer steps, without the Python tracer:\n"
                         "  options.python_tracer_level = 0"
                       : "copy the files again in binary mode, or capture again";
  finding.see = "info";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kIncompleteRule;
const Rule kIncompleteRule = {"incomplete", "truncated files, dropped events, the event limit", Incomplete,
                              "Speaks when a file is cut short, events were dropped on the way, or the "
                              "profiler's limit of GPU events (2 Mi\n"
                              "a process) was reached."};

}  // namespace gait::analyze
