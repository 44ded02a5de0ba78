#include "gait/cli/capture_report.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/time/durations.h"
#include "gait/report/json.h"
#include "gait/report/json_writer.h"
#include "gait/report/numbers.h"
#include "gait/report/table_of.h"
#include "gait/runs/names.h"
#include "gait/write/manifest.h"

namespace gait::cli {
namespace {

using capture::remote::Target;
using capture::remote::TracerOptions;
using report::JsonString;
using report::Unknown;
namespace unit = report::unit;

// The host that was read from a target's file; null when there is none.
const analyze::HostView* HostOf(const CapturedRun& captured, const Target& target) {
  const std::string_view name = runs::BaseName(target.path);
  const auto& hosts = captured.view.hosts;
  const auto found =
      std::ranges::find(hosts, name, [](const auto& host) { return runs::BaseName(host.host->path); });
  return found == hosts.end() ? nullptr : &*found;
}

int64_t StepCount(const analyze::HostView& host) {
  return host.series.empty() ? 0 : static_cast<int64_t>(host.series.front().steps.size());
}

report::Table ProgramsTable(const CapturedRun& captured) {
  struct Program {
    const Target& target;
    const TakenHost& taken;
    const analyze::HostView* host;  // null: there is no capture of it

    std::string WhyNone() const { return taken.error ? taken.error->what : "given up."; }
  };
  using P = Program;
  const auto if_captured = [](auto get) {
    return [get](const P& p) {
      using T = decltype(get(p));
      return p.host == nullptr ? report::CellOf<T>(Unknown{p.WhyNone()}) : report::CellOf<T>(get(p));
    };
  };
  report::TableOf<P> t({.name = "programs"});
  t.Add("program", "address of the profiler server", [](const P& p) { return p.target.address.Text(); });
  t.Add("file", {.elastic = true}, "its capture, in the folder of the run",
        if_captured([](const P& p) { return std::string(runs::BaseName(p.target.path)); }));
  t.Add("bytes", unit::kBytes, {.head = "size"}, "size of the file",
        if_captured([](const P& p) { return p.taken.bytes; }));
  t.Add("events", "events in it, read back from it",
        if_captured([](const P& p) { return uint64_t{p.host->trace().event_count()}; }));
  t.Add("devices", "devices that did anything",
        if_captured([](const P& p) { return uint64_t{p.host->devices.size()}; }));
  t.Add("steps", "steps of its main kind, cut ones too",
        if_captured([](const P& p) { return StepCount(*p.host); }));
  t.Hidden("error", "why there is no capture of it", [](const P& p) -> report::TextCell {
    if (p.host != nullptr) return Unknown{"there is one"};
    return p.WhyNone();
  });
  for (size_t i = 0; i < captured.task.targets.size(); ++i) {
    const Target& target = captured.task.targets[i];
    t.Row({target, captured.taken.hosts[i], HostOf(captured, target)});
  }
  return t.Done();
}

std::string OptionsJson(const TracerOptions& tracers) {
  std::string json =
      fmt::format("{{\"host_tracer_level\":{},\"device_tracer_level\":{},\"python_tracer_level\":{}",
                  tracers.host, tracers.device, tracers.python ? 1 : 0);
  for (const auto& option : tracers.advanced) {
    json += fmt::format(",{}:", JsonString(option.key));
    if (const auto* text = std::get_if<std::string>(&option.value)) {
      json += JsonString(*text);
    } else {
      json += option.Text().substr(option.key.size() + 1);
    }
  }
  return json + "}";
}

// The numbers of the steps that were recorded whole, of the first host's main kind.
std::string StepsJson(const analyze::RunView& view) {
  std::vector<int64_t> steps;
  if (!view.hosts.empty() && !view.hosts[0].series.empty()) {
    for (const analyze::Step& step : view.hosts[0].series[0].steps) {
      if (step.complete()) steps.push_back(step.number);
    }
  }
  return fmt::format("[{}]", fmt::join(steps, ","));
}

// As the captures name them: jax_version, cuda_version.
std::string VersionsJson(const analyze::RunView& view) {
  std::map<std::string, std::string> versions;
  for (const analyze::HostView& host : view.hosts)
    versions.merge(std::map(host.trace().environment().versions));
  std::vector<std::string> quoted{fmt::format("\"gait\":{}", JsonString(GAIT_VERSION))};
  for (const auto& [name, version] : versions)
    quoted.push_back(fmt::format("{}:{}", JsonString(name), JsonString(version)));
  return fmt::format("{{{}}}", fmt::join(quoted, ","));
}

// What went wrong with hosts while others were captured.
std::vector<std::string> Warnings(const Taken& taken) {
  std::vector<std::string> warnings;
  for (const TakenHost& host : taken.hosts) {
    if (host.error) warnings.push_back(host.error->what);
  }
  return warnings;
}

std::string Answer(const CapturedRun& captured, uint64_t events) {
  const auto [complete, period] = StepsOf(captured.view);
  const size_t programs = captured.taken.captured();
  std::string text = fmt::format(
      "Captured {} of {}: ", report::TimeText(Nanoseconds(captured.taken.end_ns - captured.taken.begin_ns)),
      programs == 1 ? "a program" : report::Plural(programs, "program"));
  if (complete > 0) {
    text += fmt::format("{}{}, ", report::Plural(static_cast<uint64_t>(complete), "whole step"),
                        programs > 1 ? " of each" : "");
  }
  return text + report::Plural(events, "event") + ".";
}

}  // namespace

capture::remote::SeenSteps StepsOf(const analyze::RunView& view) {
  capture::remote::SeenSteps fewest{std::numeric_limits<int64_t>::max(), {}};
  for (const analyze::HostView& host : view.hosts) {
    std::vector<Ps> durations;
    if (!host.series.empty()) {
      for (const analyze::Step& step : host.series.front().steps) {
        const bool known = step.has_work() || host.devices.empty();
        if (step.complete() && known) durations.push_back(step.duration());
      }
    }
    fewest.complete = std::min(fewest.complete, static_cast<int64_t>(durations.size()));
    if (durations.empty()) continue;
    fewest.period = std::max(fewest.period.value_or(Ps()), analyze::StatisticsOf(durations).p50);
  }
  return fewest;
}

std::string ManifestText(const CapturedRun& captured) {
  report::JsonWriter json;
  json.Object().Field("begin_unix_ns", captured.taken.begin_ns);
  json.Field("end_unix_ns", captured.taken.end_ns).Field("trigger", "remote");
  json.Field("interrupted", captured.taken.interrupted).Key("steps").Raw(StepsJson(captured.view));
  json.Key("options").Raw(OptionsJson(captured.task.tracers));
  json.Key("versions").Raw(VersionsJson(captured.view)).Key("warnings").Array();
  for (const std::string& warning : Warnings(captured.taken)) json.Value(warning);
  json.EndArray().EndObject();
  write::Manifest manifest{
      GAIT_VERSION, std::move(json).Take(), R"({"before":null,"after":null})", {}, {}, {}};
  for (size_t i = 0; i < captured.task.targets.size(); ++i) {
    const Target& target = captured.task.targets[i];
    const analyze::HostView* host = HostOf(captured, target);
    if (host == nullptr) continue;
    manifest.files.push_back({std::string(runs::BaseName(target.path)), captured.taken.hosts[i].bytes,
                              host->trace().event_count(), target.address.Text()});
  }
  for (const analyze::HostView& host : captured.view.hosts) {
    for (const analyze::Device& device : host.devices)
      manifest.devices.emplace_back(device.name, device.events(host.trace()));
  }
  manifest.losses = analyze::NewDocument("capture", *captured.view.run).losses;
  return write::ManifestText(manifest);
}

Result<report::Document> CaptureDocument(const CapturedRun& captured) {
  const analyze::LoadedRun& run = *captured.view.run;
  report::Document document = analyze::NewDocument("capture", run);
  uint64_t events = 0;
  for (const analyze::HostView& host : captured.view.hosts) events += host.trace().event_count();
  document.answer = Answer(captured, events);
  document.tables.push_back(ProgramsTable(captured));
  for (std::string& warning : Warnings(captured.taken)) document.warnings.push_back(std::move(warning));
  if (captured.taken.interrupted) document.notes.emplace_back("ended early, by an interrupt");
  if (captured.view.device_count() > 0) {
    GAIT_TRY(const analyze::Overview overview, analyze::MakeOverview(captured.view));
    document.notes.push_back(analyze::OverviewDocument(captured.view, overview).answer);
  } else {
    document.notes.emplace_back("no device did anything while it was recorded");
  }
  document.next = {analyze::Command("overview", run), analyze::Command("doctor", run)};
  return document;
}

}  // namespace gait::cli
