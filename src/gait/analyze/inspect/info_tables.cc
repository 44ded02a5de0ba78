#include "gait/analyze/inspect/info_tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

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

Column HostColumn(const LoadedRun& run) {
  return {"host",
          Type::kText,
          unit::kNone,
          {.hidden = run.hosts.size() == 1, .elastic = true},
          "the machine that wrote the file"};
}

Cell PlaneInteger(const Trace& trace, const Plane& plane, std::string_view key) {
  const auto value = trace.FindArg(plane.args, key);
  const auto number = value ? value->integer() : std::nullopt;
  if (!number) return Unknown{fmt::format("the capture has no {}", key)};
  return *number > 0 ? Cell(*number) : Cell(Unknown{fmt::format("the capture says {} {}", key, *number)});
}

// The sum over the entry computation: a call there counts what it calls.
Cell ProgramFlops(const Program& program) {
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
  Table table{"hosts",
              "host",
              {{"host", Type::kText, unit::kNone, {.elastic = true}, "the machine that wrote the file"},
               WallTimeColumn("started", {.optional = true}, "when the capture began"),
               {"span", Type::kInteger, unit::kPs, {}, "from its first event to its last"},
               {"events", Type::kInteger, unit::kNone, {}, "how many were recorded"},
               {"tracks", Type::kInteger, unit::kNone, {}, "threads, streams and other rows with events"},
               {"programs", Type::kInteger, unit::kNone, {}, "compiled programs (HLO modules) in the file"},
               {"size", Type::kInteger, unit::kBytes, {}, "of the file"},
               {"memory", Type::kInteger, unit::kBytes, {.hidden = true}, "that gait holds it in"},
               {"path", Type::kText, unit::kNone, {.hidden = true}, "the file"}},
              {}};
  table.hidden = run.hosts.size() == 1;
  table.text_rows = kTextHosts;
  for (const LoadedHost& host : run.hosts) {
    const Trace& trace = host.trace;
    const auto file = std::find_if(run.run.hosts.begin(), run.run.hosts.end(),
                                   [&](const runs::HostFile& f) { return f.path == host.path; });
    table.rows.push_back({host.name, WallTimeCell(trace.environment().start_unix_ns, "not in the capture"),
                          trace.span().length(), static_cast<int64_t>(trace.event_count()),
                          static_cast<int64_t>(trace.tracks().size()),
                          static_cast<int64_t>(trace.programs().size()),
                          file == run.run.hosts.end() ? Cell(Unknown{"no file"}) : Cell(file->size),
                          static_cast<int64_t>(trace.memory()), host.path});
  }
  return table;
}

Table DevicesTable(const LoadedRun& run) {
  Table table{
      "devices",
      "device",
      {{"device", Type::kText, unit::kNone, {}, "as --device takes it"},
       HostColumn(run),
       {"model", Type::kText, unit::kNone, {.elastic = true, .optional = true}, "what it is"},
       {"memory", Type::kInteger, unit::kBytes, {.optional = true}, "that it has"},
       {"bandwidth", Type::kInteger, unit::kBytesPerSecond, {.optional = true}, "of its memory, at most"},
       {"cores", Type::kInteger, unit::kNone, {.optional = true}, "multiprocessors, compute units"},
       {"events", Type::kInteger, unit::kNone, {}, "recorded on its tracks"},
       {"plane", Type::kText, unit::kNone, {.hidden = true}, "its plane in the file"},
       {"plane_id",
        Type::kInteger,
        unit::kNone,
        {.hidden = true, .identifier = true},
        "and that plane's number"}},
      {}};
  table.if_empty = FindMissing(run).any() ? "no device in the part that could be read"
                                          : "no device in this capture: only what the host did was recorded";
  table.text_rows = kTextDevices;
  for (const LoadedHost& host : run.hosts) {
    const Trace& trace = host.trace;
    std::vector<int64_t> events(trace.planes().size(), 0);
    for (const Track& track : trace.tracks()) {
      if (!track.info().derived || trace.plane(track.info().plane).kind == PlaneKind::kCpuDevice) {
        events[track.info().plane.value] += static_cast<int64_t>(track.size());
      }
    }
    for (size_t i = 0; i < trace.planes().size(); ++i) {
      const Plane& plane = trace.planes()[i];
      if (!plane.is_device()) continue;
      const std::string model = DeviceModel(trace, plane);
      table.rows.push_back(
          {DeviceName(trace, plane), host.name,
           model.empty() ? Cell(Unknown{"not in the capture"}) : Cell(model),
           PlaneInteger(trace, plane, "memory_size"), PlaneInteger(trace, plane, "memory_bandwidth"),
           PlaneInteger(trace, plane, "core_count"), events[i], trace.text(plane.name), plane.id});
    }
  }
  return table;
}

Table StepsTable(const LoadedRun& run, const std::vector<std::vector<AnnotatedSteps>>& steps) {
  const bool any_block = std::ranges::any_of(
      steps, [](const auto& of_host) { return std::ranges::any_of(of_host, &AnnotatedSteps::blocks); });
  Table table{"steps",
              "step annotation",
              {{"name", Type::kText, unit::kNone, {.elastic = true}, "of the annotation"},
               HostColumn(run),
               {"marked_by",
                Type::kText,
                unit::kNone,
                {.hidden = !any_block},
                "annotation, or block: each entry of a capture block in which no step is annotated is one"},
               {"count", Type::kInteger, unit::kNone, {}, "steps of this name"},
               {"first", Type::kInteger, unit::kNone, {.identifier = true}, "number of the first one"},
               {"last", Type::kInteger, unit::kNone, {.identifier = true}, "and of the last"},
               {"host_time_median",
                Type::kInteger,
                unit::kPs,
                {.head = "host median"},
                "how long the host's annotation lasts: not the step time, which gait steps tells"}},
              {}};
  table.text_rows = kTextSteps;
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    for (const AnnotatedSteps& s : steps[h]) {
      table.rows.push_back(
          {s.name, run.hosts[h].name, s.blocks ? "block" : "annotation", s.count, s.first, s.last, s.median});
    }
  }
  return table;
}

Table ProgramsTable(const LoadedRun& run) {
  const Missing missing = FindMissing(run);
  Table table{"programs",
              "program",
              {{"name", Type::kText, unit::kNone, {.elastic = true}, "of the HLO module"},
               HostColumn(run),
               {"id", Type::kInteger, unit::kNone, {.identifier = true}, "as events name it"},
               {"instructions", Type::kInteger, unit::kNone, {}, "in all its computations"},
               {"computations", Type::kInteger, unit::kNone, {.optional = true}, "entry, fused and called"},
               {"flops", Type::kNumber, unit::kFlop, {.head = "compute"}, "of one run, from the shapes"}},
              {}};
  table.if_empty =
      missing.programs ? "no program could be read; the losses below say why"
      : missing.any()
          ? "no program in the part that could be read"
          : "no program in this capture (it was made with enable_hlo_proto off, or nothing was compiled)";
  table.text_rows = kTextPrograms;
  for (const LoadedHost& host : run.hosts) {
    std::vector<const Program*> programs;
    for (const Program& program : host.trace.programs()) {
      if (!IsProfilersProgram(program.name)) programs.push_back(&program);
    }
    // The ones people ask about are the largest; every eager operation is a tiny program of its own.
    std::sort(programs.begin(), programs.end(), [](const Program* a, const Program* b) {
      const size_t size_a = a->instructions.size();
      const size_t size_b = b->instructions.size();
      return size_a != size_b ? size_a > size_b : a < b;  // in one vector: the order of the file
    });
    for (const Program* program : programs) {
      table.rows.push_back({program->name, host.name, program->id,
                            static_cast<int64_t>(program->instructions.size()),
                            static_cast<int64_t>(program->computations.size()), ProgramFlops(*program)});
    }
  }
  return table;
}

Table TracksTable(const LoadedRun& run) {
  Table table{
      "tracks",
      "track",
      {{"track", Type::kText, unit::kNone, {.elastic = true}, "as gait dump --track takes it"},
       HostColumn(run),
       {"kind", Type::kText, unit::kNone, {.optional = true}, "what its events are"},
       {"events", Type::kInteger, unit::kNone, {}, "how many"},
       {"begin", Type::kInteger, unit::kPs, {.group = "span"}, "of the first, since the capture began"},
       {"end", Type::kInteger, unit::kPs, {.group = "span"}, "of the last"},
       {"busy", Type::kInteger, unit::kPs, {}, "length of the union of its events"},
       {"total_duration",
        Type::kInteger,
        unit::kPs,
        {.hidden = true},
        "sum of their durations, nested and overlapping ones each in full"},
       {"plane", Type::kText, unit::kNone, {.hidden = true}, "its plane in the file"},
       {"name", Type::kText, unit::kNone, {.hidden = true}, "the line's own name"},
       {"id", Type::kInteger, unit::kNone, {.hidden = true, .identifier = true}, "the line's number"},
       {"derived",
        Type::kInteger,
        unit::kNone,
        {.hidden = true},
        "1: repeats what other tracks hold, or was made from them"}},
      {}};
  table.if_empty = "no track in this capture";
  table.text_rows = kTextTracks;
  for (const LoadedHost& host : run.hosts) {
    const Trace& trace = host.trace;
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
    for (const Track* track : tracks) {
      const Interval span = track->span();
      const Ps busy = UnionLength(track->size(), [&](size_t i) { return track->interval(EventIndex(i)); });
      const Plane& plane = trace.plane(track->info().plane);
      const bool timed = track->size() > 0 && track->info().kind != TrackKind::kAggregated;
      const auto time = [&](Ps t) { return timed ? Cell(t) : Cell(Unknown{"no timed events"}); };
      const Cell total = track->size() > 0 ? Cell(track->total_duration()) : Cell(Unknown{"no events"});
      table.rows.push_back({TrackLabel(trace, *track), host.name, Name(track->info().kind),
                            static_cast<int64_t>(track->size()), time(span.begin), time(span.end), time(busy),
                            total, trace.text(plane.name), trace.text(track->info().name), track->info().id,
                            int64_t{track->info().derived}});
    }
  }
  return table;
}

Table AttributionTable(const LoadedRun& run) {
  Table table{"attribution",
              "found its instruction",
              {{"how", Type::kText, unit::kNone, {.elastic = true}, "the instruction was found, or why not"},
               HostColumn(run),
               {"events", Type::kInteger, unit::kNone, {}, "of devices, of this kind"},
               {"device_time",
                Type::kInteger,
                unit::kPs,
                {.head = "device"},
                "their durations without those inside them"},
               {"share", Type::kNumber, unit::kPercent, {.head = "of device"}, "of that time in all"},
               {"kind", Type::kText, unit::kNone, {.hidden = true}, "the same, as a word for programs"}},
              {}};
  for (const LoadedHost& host : run.hosts) {
    std::map<AttributionKind, OfKind> work;
    Ps all;
    for (const Track& track : host.trace.tracks()) {
      if (IsDeviceWork(host.trace, track)) AddWork(host.trace, track, work, all);
    }
    for (const AttributionKind kind : kAttributionOrder) {
      const auto found = work.find(kind);
      if (found == work.end()) continue;
      const auto& [events, time] = found->second;
      const auto share = [&] {
        return 100.0 * static_cast<double>(time.value()) / static_cast<double>(all.value());
      };
      const bool cut = kind == AttributionKind::kNone && IsCut(host.trace);
      table.rows.push_back({cut ? "not known: the file is cut" : Describe(kind), host.name, events, time,
                            all > Ps() ? Cell(share()) : Cell(Unknown{"no device time"}), Name(kind)});
    }
  }
  table.hidden = table.rows.empty();
  return table;
}

Table CaptureTable(const LoadedRun& run) {
  Table table{"capture",
              "capture",
              {{"name", Type::kText, unit::kNone, {}, "a version, an option of the profiler, a message"},
               HostColumn(run),
               {"value", Type::kText, unit::kNone, {.head = " ", .elastic = true}},
               {"kind", Type::kText, unit::kNone, {.hidden = true}, "version, option, error or warning"}},
              {}};
  table.text_rows = kTextCapture;
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
      table.rows.push_back({name, "all", value, kind});
      continue;
    }
    for (const std::string& host : names) table.rows.push_back({name, host, value, kind});
  }
  return table;
}

}  // namespace gait::analyze
