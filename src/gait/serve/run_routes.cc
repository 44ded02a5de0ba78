// Questions about a run as a whole: what the list says of it, its key figures, its loading, its files.
#include <algorithm>
#include <chrono>
#include <future>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/question/memory/heap_report.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/view/window_parts.h"
#include "gait/read/pprof/reader.h"
#include "gait/report/json.h"
#include "gait/report/json_writer.h"
#include "gait/runs/memory_profiles.h"
#include "gait/runs/names.h"
#include "gait/serve/ahead.h"
#include "gait/serve/routes.h"
#include "gait/serve/verb_reply.h"
#include "gait/verbs/question.h"

namespace gait::serve {
namespace {

constexpr size_t kMostSteps = 120;

// The durations of the counted steps of the first series; the mean of equal parts when there are many.
std::vector<double> StepTimes(const std::vector<const analyze::Step*>& steps) {
  const size_t parts = std::min(steps.size(), kMostSteps);
  std::vector<double> times;
  for (size_t p = 0; p < parts; ++p) {
    const size_t first = p * steps.size() / parts;
    const size_t last = (p + 1) * steps.size() / parts;
    double sum = 0;
    for (size_t i = first; i < last; ++i) sum += static_cast<double>(steps[i]->duration().value());
    times.push_back(sum / static_cast<double>(last - first));
  }
  return times;
}

// What the list says of the doctor's findings.
struct Verdict {
  std::optional<uint64_t> findings{};  // nullopt: nothing could be judged
  std::string headline{};              // the first that is worth a warning; empty: none
};

Verdict VerdictOf(const analyze::RunView& view) {
  const Result<analyze::Patient> patient = analyze::Examine(view);
  if (!patient) return {};
  const Result<analyze::Diagnosis> diagnosis = analyze::Diagnose(*patient);
  if (!diagnosis) return {};
  Verdict verdict{diagnosis->findings.size()};
  if (!diagnosis->findings.empty() && diagnosis->findings[0].severity >= analyze::Severity::kWarning) {
    verdict.headline = diagnosis->findings[0].title;
  }
  return verdict;
}

}  // namespace

std::string RunJson(const ListedRun& listed, RunState state) {
  const runs::Run& run = listed.run;
  report::JsonWriter json;
  json.Object()
      .Field("id", listed.id)
      .Field("version", listed.version)
      .Field("name", run.name)
      .Field("label", run.label)
      .Field("path", run.path)
      .Field("time_s", run.time_s)
      .Field("time_from", Name(run.time_from))
      .Key("hosts")
      .Array();
  for (const runs::HostFile& file : run.hosts) json.Value(file.host);
  json.EndArray()
      .Key("devices")
      .TextOrNull(listed.devices)
      .Field("bytes", run.bytes())
      .Key("beside")
      .Object();
  std::map<std::string_view, uint64_t> beside;
  for (const runs::BesideFile& file : run.beside) ++beside[Name(file.kind)];
  for (const auto& [kind, count] : beside) json.Field(kind, count);
  json.EndObject().Field("state", Name(state)).EndObject();
  std::string text = std::move(json).TakeLine();
  text.pop_back();
  return text;
}

Reply SummaryReply(OpenRun& run, const std::string& id) {
  // A figure at the edge of the page, or one of many in a list, for which somebody else may wait.
  const AheadTurn turn(std::chrono::seconds(1));
  const auto view = run.View({});
  if (!view) return ErrorReply(view.error());
  const Result<report::Document> overview = verbs::Answer(**view, {.verb = "overview"});
  if (!overview) return ErrorReply(overview.error());
  const analyze::HostView& host = (*view)->hosts.front();
  const analyze::StepSeries* series = host.series.empty() ? nullptr : &host.series.front();
  std::vector<const analyze::Step*> steps;
  if (series != nullptr) steps = series->Counted();
  const analyze::Partition parts = analyze::WindowParts(**view);
  uint64_t losses = 0;
  for (const Loss& loss : overview->losses) losses += loss.count;
  std::string model;
  if (!host.devices.empty()) {
    model = analyze::DeviceModelOrKind(host.trace(), host.trace().plane(host.devices.front().plane));
  }
  report::JsonWriter json;
  json.Object().Field("id", id).Field("answer", overview->answer).Field("context", overview->context);
  json.Field("steps", static_cast<uint64_t>(steps.size())).Key("step_name");
  json.TextOrNull(series != nullptr ? series->name : "");
  json.Field("inferred", series != nullptr && series->inferred()).Key("step_median_ps");
  const bool known = series != nullptr && (series->has_work() || host.devices.empty());
  if (!known || series->steps.empty()) {
    json.Null();
  } else {
    json.Value(analyze::StepStatistics(analyze::OnAllHosts(**view, *series)).median());
  }
  json.Key("step_ps").Array();
  for (const double time : StepTimes(steps)) json.Value(time);
  json.EndArray().Key("device_busy_percent");
  if (parts.window > Ps()) {
    json.Value(100.0 * static_cast<double>(parts.busy().value()) / static_cast<double>(parts.window.value()));
  } else {
    json.Null();
  }
  json.Field("devices", (*view)->device_count()).Key("device_model").TextOrNull(model);
  const Verdict verdict = VerdictOf(**view);
  json.Field("losses", losses).Field("findings", verdict.findings);
  json.Key("headline").TextOrNull(verdict.headline).EndObject();
  return JsonReply(std::move(json).TakeLine());
}

Reply FilesReply(const ListedRun& run) {
  report::JsonWriter json;
  json.Object().Key("files").Array();
  for (const runs::BesideFile& file : run.run.beside) {
    json.Object()
        .Field("name", runs::BaseName(file.path))
        .Field("kind", Name(file.kind))
        .Field("bytes", file.size)
        .EndObject();
  }
  json.EndArray().EndObject();
  Reply reply = JsonReply(std::move(json).TakeLine());
  reply.caching = Caching::kRevalidate;
  return reply;
}

Reply HeapReply(const ListedRun& run, const Parameters& parameters) {
  if (auto allowed = parameters.Allow(Joined({{"file"}, kRowNames})); !allowed) {
    return ErrorReply(allowed.error());
  }
  std::vector<std::string> paths;
  for (const runs::BesideFile& file : run.run.beside) {
    if (file.kind == runs::BesideKind::kMemoryProfile) paths.push_back(file.path);
  }
  std::ranges::sort(paths, runs::NaturallyBefore);
  const std::vector<std::string> wanted = parameters.All("file");
  if (!wanted.empty()) {
    // Only what the listing found: a name never becomes a path.
    std::vector<std::string> chosen;
    for (const std::string& name : wanted) {
      const auto found =
          std::ranges::find(paths, name, [](const std::string& p) { return runs::BaseName(p); });
      if (found == paths.end()) {
        return ErrorReply(kNotFound,
                          {ErrorKind::kUsage, fmt::format("the run has no memory profile '{}'.", name), ""});
      }
      chosen.push_back(*found);
    }
    paths = std::move(chosen);
  }
  if (paths.empty()) {
    return ErrorReply(kNotFound, {ErrorKind::kUsage, "no device memory profile lies beside this run.",
                                  "jax.profiler.save_device_memory_profile writes one (*.prof)."});
  }
  std::vector<HeapProfile> profiles;
  for (const std::string& path : paths) {
    Result<HeapProfile> profile = pprof::ReadFile(path);
    if (!profile) return ErrorReply(profile.error());
    profiles.push_back(std::move(*profile));
  }
  return DocumentReply(analyze::HeapDocument(profiles), parameters);
}

Reply LoadReply(RunStore& store, const std::shared_ptr<const ListedRun>& run, const Parameters& parameters) {
  if (auto allowed = parameters.Allow({"once"}); !allowed) return ErrorReply(allowed.error());
  const Result<bool> once = parameters.Flag("once");
  if (!once) return ErrorReply(once.error());
  const auto line = [run](const LoadProgress& progress) {
    report::JsonWriter json;
    json.Object().Field("state", Name(progress.state)).Field("fraction", progress.fraction);
    if (progress.state == RunState::kOpen) json.Field("ms", progress.milliseconds);
    if (progress.error) json.Key("error").Raw(ErrorJson(*progress.error));
    json.EndObject();
    return std::move(json).TakeLine();
  };
  Reply reply;
  reply.content_type = "application/x-ndjson";
  if (*once) {
    reply.body = std::make_shared<const std::string>(line(store.Progress(*run)));
    return reply;
  }
  reply.stream = [&store, run, line, gone = parameters.gone()](const WritePiece& write) {
    constexpr auto kBetween = std::chrono::milliseconds(50);
    const std::future<void> loading = std::async(std::launch::async, [&] { (void)store.Open(*run, gone); });
    bool listening = true;
    while (loading.wait_for(kBetween) != std::future_status::ready) {
      const LoadProgress progress = store.Progress(*run);
      if (listening && progress.state == RunState::kLoading) listening = write(line(progress));
    }
    if (listening) write(line(store.Progress(*run)));
  };
  return reply;
}

}  // namespace gait::serve
