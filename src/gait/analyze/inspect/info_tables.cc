#include "gait/analyze/inspect/info_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "gait/analyze/host/unknown_events.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextHosts = 32;
constexpr size_t kTextDevices = 16;
constexpr size_t kTextSteps = 12;
constexpr size_t kTextPrograms = 12;
constexpr size_t kTextCapture = 40;
constexpr size_t kTextTracks = 30;

constexpr const char* kAboutFileHost = "the machine that wrote the file";

// Of the host whose rows are being added.
template <typename R>
void AddHost(TableOf<R>& t, const LoadedRun& run, const LoadedHost*& host) {
  analyze::AddHost(t, run.hosts.size() == 1, [&host] { return host->name; }, kAboutFileHost);
}

CellOf<int64_t> PlaneInteger(const Trace& trace, const Plane& plane, std::string_view key) {
  const auto value = trace.FindArg(plane.args, key);
  const auto number = value ? value->integer() : std::nullopt;
  if (!number) return Unknown{fmt::format("the capture has no {}", key)};
  if (*number <= 0) return Unknown{fmt::format("the capture says {} {}", key, *number)};
  return *number;
}

// The sum over the entry computation: a call there counts what it calls.
NumberCell ProgramFlops(const Program& program) {
  if (!program.entry.valid()) return Unknown{"no entry computation"};
  const Computation& entry = program.computations[program.entry.value];
  double sum = 0;
  for (uint32_t i = entry.begin.value; i < entry.end.value; ++i) {
    const Cost& cost = program.instructions[i].cost;
    if (!cost.flops) return Unknown{std::string(program.text(cost.unknown_because))};
    sum += *cost.flops;
  }
  return sum;
}

// Found ones first, then the reasons why not, the most harmless first.
constexpr std::array kAttributionOrder = {AttributionKind::kByName,        AttributionKind::kByGraphNode,
                                          AttributionKind::kNone,          AttributionKind::kNoProgram,
                                          AttributionKind::kNoInstruction, AttributionKind::kGraphMismatch};

struct OfKind {
  int64_t events = 0;
  Ps time;  // of the events themselves, without those inside them
};

// The rows on which a device's time is told once: other rows repeat it.
bool IsDeviceWork(const Trace& trace, const Track& track) {
  const TrackKind kind = track.info().kind;
  switch (trace.plane(track.info().plane).kind) {
    case PlaneKind::kGpu:
      return kind == TrackKind::kStream && !track.info().derived;
    case PlaneKind::kTpu:
      return kind == TrackKind::kOps && !track.info().derived;
    case PlaneKind::kCpuDevice:
      return kind == TrackKind::kOps;
    default:
      return false;
  }
}

void AddWork(const Trace& trace, const Track& track, std::map<AttributionKind, OfKind>& work, Ps& all) {
  std::vector<Ps> inside(track.size());
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex parent = track.parent(EventIndex(i));
    if (!parent.valid()) continue;
    Ps& sum = inside[parent.value];
    sum = Clamped(Int128{sum.value()} + track.duration(EventIndex(i)).value());
  }
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    // Children may overlap each other; an event has no less than no time of its own.
    const Ps own = std::max(Ps(), track.duration(event) - inside[i]);
    OfKind& of_kind = work[trace.attribution(track.args(event)).kind];
    ++of_kind.events;
    // Many durations that wrapped would add up to less than nothing.
    of_kind.time = Clamped(Int128{of_kind.time.value()} + own.value());
    all = Clamped(Int128{all.value()} + own.value());
  }
}

bool IsCut(const Trace& trace) {
  return std::any_of(trace.losses().begin(), trace.losses().end(),
                     [](const Loss& loss) { return loss.kind == LossKind::kTruncated; });
}

}  // namespace

Missing FindMissing(const LoadedRun& run) {
  Missing missing;
  for (const LoadedHost& host : run.hosts) {
    missing.end |= IsCut(host.trace);
    for (const Loss& loss : host.trace.losses()) {
      if (loss.kind != LossKind::kDropped) continue;
      const bool of_file_beside = loss.place.ends_with(".hlo_proto.pb");
      missing.parts |= !of_file_beside;
      missing.programs |= of_file_beside || loss.reason.find("HLO") != std::string::npos;
    }
  }
  return missing;
}

Table HostsTable(const LoadedRun& run) {
  using Host = LoadedHost;
  TableOf<Host> t(
      {.name = "hosts", .title = "host", .hidden = run.hosts.size() == 1, .text_rows = kTextHosts});
  t.Add("host", {.elastic = true}, kAboutFileHost, &Host::name);
  t.Add("started", unit::kUnixNs, {.optional = true}, "when the capture began", [](const Host& host) {
    return WallTimeCell(host.trace.environment().start_unix_ns, "not in the capture");
  });
  t.Add("span", "from its first event to its last",
        [](const Host& host) { return host.trace.span().length(); });
  t.Add("events", "how many were recorded", [](const Host& host) { return host.trace.event_count(); });
  t.Add("tracks", "threads, streams and other rows with events",
        [](const Host& host) { return host.trace.tracks().size(); });
  t.Add("programs", "compiled programs (HLO modules) in the file",
        [](const Host& host) { return host.trace.programs().size(); });
  t.Add("size", unit::kBytes, {}, "of the file", [&](const Host& host) -> CellOf<int64_t> {
    const auto file = std::ranges::find(run.run.hosts, host.path, &runs::HostFile::path);
    if (file == run.run.hosts.end()) return Unknown{"no file"};
    return file->size;
  });
  t.Hidden("memory", unit::kBytes, "that gait holds it in",
           [](const Host& host) { return host.trace.memory(); });
  t.Hidden("path", "the file", &Host::path);
  return t.Of(run.hosts);
}

Table DevicesTable(const LoadedRun& run) {
  const LoadedHost* host = nullptr;  // of the row
  std::vector<int64_t> events;       // by plane
  TableOf<Plane> t({.name = "devices",
                    .title = "device",
                    .if_empty = FindMissing(run).any()
                                    ? "no device in the part that could be read"
                                    : "no device in this capture: only what the host did was recorded",
                    .text_rows = kTextDevices});
  t.Add("device", "as --device takes it", [&](const Plane& plane) { return DeviceName(host->trace, plane); });
  AddHost(t, run, host);
  t.Add("model", {.elastic = true, .optional = true}, "what it is",
        [&](const Plane& plane) { return OrUnknown(DeviceModel(host->trace, plane), "not in the capture"); });
  const auto integer = [&](const char* key) {
    return [&host, key](const Plane& plane) { return PlaneInteger(host->trace, plane, key); };
  };
  t.Add("memory", unit::kBytes, {.optional = true}, "that it has", integer("memory_size"));
  t.Add("bandwidth", unit::kBytesPerSecond, {.optional = true}, "of its memory, at most",
        integer("memory_bandwidth"));
  t.Add("cores", {.optional = true}, "multiprocessors, compute units", integer("core_count"));
  t.Add("events", "recorded on its tracks", [&](const Plane& plane) {
    return events[static_cast<size_t>(&plane - host->trace.planes().data())];
  });
  t.Hidden("plane", "its plane in the file",
           [&](const Plane& plane) { return host->trace.text(plane.name); });
  t.Add("plane_id", {.hidden = true, .identifier = true}, "and that plane's number", &Plane::id);
  for (const LoadedHost& h : run.hosts) {
    host = &h;
    events.assign(h.trace.planes().size(), 0);
    for (const Track& track : h.trace.tracks()) {
      if (!track.info().derived || h.trace.plane(track.info().plane).kind == PlaneKind::kCpuDevice) {
        events[track.info().plane.value] += static_cast<int64_t>(track.size());
      }
    }
    for (const Plane& plane : h.trace.planes()) {
      if (plane.is_device()) t.Row(plane);
    }
  }
  return t.Done();
}

Table StepsTable(const LoadedRun& run, const std::vector<std::vector<AnnotatedSteps>>& steps) {
  using Steps = AnnotatedSteps;
  const LoadedHost* host = nullptr;  // of the row
  const bool any_block = std::ranges::any_of(
      steps, [](const auto& of_host) { return std::ranges::any_of(of_host, &Steps::blocks); });
  TableOf<Steps> t({.name = "steps", .title = "step annotation", .text_rows = kTextSteps});
  t.Add("name", {.elastic = true}, "of the annotation", &Steps::name);
  AddHost(t, run, host);
  t.Add("marked_by", {.hidden = !any_block},
        "annotation, or block: each entry of a capture block in which no step is annotated is one",
        [](const Steps& s) { return s.blocks ? "block" : "annotation"; });
  t.Add("count", "steps of this name", &Steps::count);
  t.Add("first", {.identifier = true}, "number of the first one", &Steps::first);
  t.Add("last", {.identifier = true}, "and of the last", &Steps::last);
  t.Add("host_time_median", {.head = "host median"},
        "how long the host's annotation lasts: not the step time, which gait steps tells", &Steps::median);
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    host = &run.hosts[h];
    t.Rows(steps[h]);
  }
  return t.Done();
}

Table ProgramsTable(const LoadedRun& run) {
  const Missing missing = FindMissing(run);
  const LoadedHost* host = nullptr;  // of the row
  TableOf<Program> t({.name = "programs",
                      .title = "program",
                      .if_empty = missing.programs ? "no program could be read; the losses below say why"
                                  : missing.any()  ? "no program in the part that could be read"
                                                   : "no program in this capture (it was made with "
                                                     "enable_hlo_proto off, or nothing was compiled)",
                      .text_rows = kTextPrograms});
  t.Add("name", {.elastic = true}, "of the HLO module", &Program::name);
  AddHost(t, run, host);
  t.Add("id", {.identifier = true}, "as events name it", &Program::id);
  t.Add("instructions", "in all its computations", [](const Program& p) { return p.instructions.size(); });
  t.Add("computations", {.optional = true}, "entry, fused and called",
        [](const Program& p) { return p.computations.size(); });
  t.Add("flops", unit::kFlop, {.head = "compute"}, "of one run, from the shapes", ProgramFlops);
  for (const LoadedHost& h : run.hosts) {
    host = &h;
    std::vector<const Program*> programs;
    for (const Program& program : h.trace.programs()) {
      if (!IsProfilersProgram(program.name)) programs.push_back(&program);
    }
    // The ones people ask about are the largest; every eager operation is a tiny program of its own.
    std::sort(programs.begin(), programs.end(), [](const Program* a, const Program* b) {
      const size_t size_a = a->instructions.size();
      const size_t size_b = b->instructions.size();
      return size_a != size_b ? size_a > size_b : a < b;  // in one vector: the order of the file
    });
    for (const Program* program : programs) t.Row(*program);
  }
  return t.Done();
}

Table TracksTable(const LoadedRun& run) {
  const LoadedHost* host = nullptr;  // of the row
  TableOf<Track> t(
      {.name = "tracks", .title = "track", .if_empty = "no track in this capture", .text_rows = kTextTracks});
  const auto if_timed = [](auto get) {
    return [get](const Track& track) -> TimeCell {
      if (track.size() == 0 || track.info().kind == TrackKind::kAggregated) return Unknown{"no timed events"};
      return get(track);
    };
  };
  t.Add("track", {.elastic = true}, "as gait dump --track takes it",
        [&](const Track& track) { return TrackLabel(host->trace, track); });
  AddHost(t, run, host);
  t.Add("kind", {.optional = true}, "what its events are",
        [](const Track& track) { return Name(track.info().kind); });
  t.Add("events", "how many", &Track::size);
  t.Add("begin", {.group = "span"}, "of the first, since the capture began",
        if_timed([](const Track& track) { return track.span().begin; }));
  t.Add("end", {.group = "span"}, "of the last",
        if_timed([](const Track& track) { return track.span().end; }));
  t.Add("busy", "length of the union of its events", if_timed([](const Track& track) {
          return UnionLength(track.size(), [&](size_t i) { return track.interval(EventIndex(i)); });
        }));
  t.Hidden("total_duration", "sum of their durations, nested and overlapping ones each in full",
           [](const Track& track) -> TimeCell {
             if (track.size() == 0) return Unknown{"no events"};
             return track.total_duration();
           });
  t.Hidden("plane", "its plane in the file",
           [&](const Track& track) { return host->trace.text(host->trace.plane(track.info().plane).name); });
  t.Hidden("name", "the line's own name",
           [&](const Track& track) { return host->trace.text(track.info().name); });
  t.Add("id", {.hidden = true, .identifier = true}, "the line's number",
        [](const Track& track) { return track.info().id; });
  t.Hidden("derived", "1: repeats what other tracks hold, or was made from them",
           [](const Track& track) { return int64_t{track.info().derived}; });
  for (const LoadedHost& h : run.hosts) {
    host = &h;
    const Trace& trace = h.trace;
    std::vector<const Track*> tracks;
    for (const Track& track : trace.tracks()) tracks.push_back(&track);
    // Devices first, the busiest threads before the many idle ones.
    std::sort(tracks.begin(), tracks.end(), [&](const Track* a, const Track* b) {
      const bool device_a = trace.plane(a->info().plane).is_device();
      const bool device_b = trace.plane(b->info().plane).is_device();
      if (device_a != device_b) return device_a;
      if (device_a && a->info().plane != b->info().plane) return a->info().plane < b->info().plane;
      return a->size() != b->size() ? a->size() > b->size() : a < b;  // in one vector: the order of the file
    });
    for (const Track* track : tracks) t.Row(*track);
  }
  return t.Done();
}

Table AttributionTable(const LoadedRun& run) {
  struct Found {
    AttributionKind kind;
    OfKind of;
    Ps all;
  };
  const LoadedHost* host = nullptr;  // of the row
  TableOf<Found> t({.name = "attribution", .title = "found its instruction"});
  t.Add("how", {.elastic = true}, "the instruction was found, or why not", [&](const Found& found) {
    const bool cut = found.kind == AttributionKind::kNone && IsCut(host->trace);
    return cut ? "not known: the file is cut" : Describe(found.kind);
  });
  AddHost(t, run, host);
  t.Add("events", "of devices, of this kind", [](const Found& found) { return found.of.events; });
  t.Add("device_time", {.head = "device"}, "their durations without those inside them",
        [](const Found& found) { return found.of.time; });
  t.Percent("share", {.head = "of device"}, "of that time in all", [](const Found& found) -> NumberCell {
    if (found.all <= Ps()) return Unknown{"no device time"};
    return 100.0 * static_cast<double>(found.of.time.value()) / static_cast<double>(found.all.value());
  });
  t.Hidden("kind", "the same, as a word for programs", [](const Found& found) { return Name(found.kind); });
  for (const LoadedHost& h : run.hosts) {
    host = &h;
    std::map<AttributionKind, OfKind> work;
    Ps all;
    for (const Track& track : h.trace.tracks()) {
      if (IsDeviceWork(h.trace, track)) AddWork(h.trace, track, work, all);
    }
    for (const AttributionKind kind : kAttributionOrder) {
      if (const auto found = work.find(kind); found != work.end()) t.Row({kind, found->second, all});
    }
  }
  Table table = t.Done();
  table.hidden = table.rows.empty();
  return table;
}

Table UnknownEventsTable(const LoadedRun& run) {
  const LoadedHost* host = nullptr;  // of the row
  TableOf<UnknownEvents> t({.name = "unknown_events",
                            .title = "event that gait does not know",
                            .if_empty = "gait knows the name of every event of the runtime",
                            .text_rows = kTextTracks});
  t.Add("name", {.elastic = true}, "of events of the runtime; their time counts as dispatch",
        &UnknownEvents::name);
  AddHost(t, run, host);
  t.Add("thread", {.optional = true}, "that the first of them is on", &UnknownEvents::thread);
  t.Add("events", "how many", &UnknownEvents::count);
  t.Add("total", "sum of their durations", &UnknownEvents::total);
  for (const LoadedHost& h : run.hosts) {
    host = &h;
    t.Rows(FindUnknownEvents(h.trace));
  }
  return t.Done();
}

Table CaptureTable(const LoadedRun& run) {
  struct Said {
    std::string name, host, value, kind;
  };
  TableOf<Said> t({.name = "capture", .title = "capture", .text_rows = kTextCapture});
  t.Add("name", "a version, an option of the profiler, a message", &Said::name);
  t.Add("host", HostShow(run.hosts.size() == 1), kAboutFileHost, &Said::host);
  t.Add("value", {.head = " ", .elastic = true}, "", &Said::value);
  t.Hidden("kind", "version, option, error or warning", &Said::kind);
  using Fact = std::tuple<std::string, std::string, std::string>;  // kind, name, value
  std::vector<Fact> order;
  std::map<Fact, std::vector<std::string>> hosts;  // that say so
  const auto add = [&](const LoadedHost& host, const char* kind, const std::string& name,
                       const std::string& value) {
    std::vector<std::string>& names = hosts[{kind, name, value}];
    if (names.empty()) order.push_back({kind, name, value});
    names.push_back(host.name);
  };
  for (const LoadedHost& host : run.hosts) {
    const Environment& environment = host.trace.environment();
    for (const auto& [name, value] : environment.versions) add(host, "version", name, value);
    for (const auto& [name, value] : environment.options) add(host, "option", name, value);
    for (const std::string& text : environment.errors) add(host, "error", "error", text);
    for (const std::string& text : environment.warnings) add(host, "warning", "warning", text);
  }
  // What all hosts agree on is said once.
  for (const Fact& fact : order) {
    const auto& [kind, name, value] = fact;
    const std::vector<std::string>& names = hosts[fact];
    if (run.hosts.size() > 1 && names.size() >= run.hosts.size()) {
      t.Row({name, "all", value, kind});
      continue;
    }
    for (const std::string& host : names) t.Row({name, host, value, kind});
  }
  return t.Done();
}

}  // namespace gait::analyze
