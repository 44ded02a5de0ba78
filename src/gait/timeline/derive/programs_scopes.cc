// Which program a device is at, and in which scope of it.
//
// Programs: consecutive work of one run of a program is one slice, from its first begin to its last end; work
// of no program (copies, memsets) does not end it. Where the capture does not say which work is of one run,
// repeats.h tells.
// Scopes: the owner of every instant (analyze/device/self_time.h) has a path: the host's scopes around its
// launch (analyze/operations/host_scopes.h), root, pass, scopes. Consecutive instants of one run that share
// the beginning of their paths are one slice at each depth of it; a scope of the host goes on from run to run
// as long as the host was in the same one.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "gait/analyze/device/self_time.h"
#include "gait/analyze/operations/host_scopes.h"
#include "gait/analyze/operations/op_runs.h"
#include "gait/analyze/vocabulary/scope_name.h"
#include "gait/timeline/derive/repeats.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {
namespace {

// The run of a program that each piece of work belongs to: equal numbers, equal runs; 0: no program.
class Runs {
 public:
  Runs(const analyze::HostView& host, size_t d) {
    const Trace& trace = host.trace();
    const bool gpu = trace.plane(host.devices[d].plane).kind == PlaneKind::kGpu;
    analyze::ProgramRuns program_runs(host);
    std::map<std::tuple<uint32_t, uint64_t>, uint32_t> numbers;
    std::map<uint32_t, std::vector<ProgramWork>> unknown;  // by program
    for (const analyze::WorkItem& item : host.work[d]) {
      const Track& track = trace.track(item.event.track);
      const InstructionRef ref = trace.attribution(track.args(item.event.index)).instruction;
      if (!ref.valid()) continue;
      std::optional<uint64_t> run;
      if (gpu) {
        run = program_runs.Find(item);
      } else if (item.has_call()) {
        run = (uint64_t{item.call.track.value} << 32) | item.call.index.value;
      }
      if (gpu && !run) {
        unknown[ref.program.value].push_back({item.event, ref.instruction});
        continue;
      }
      const auto next = static_cast<uint32_t>(numbers.size() + 1);
      Set(track, item.event, numbers.try_emplace({ref.program.value, run.value_or(0)}, next).first->second);
    }
    auto first = static_cast<uint32_t>(numbers.size() + 1);
    for (const auto& [program, work] : unknown) {
      const std::vector<uint32_t> runs = RunsByRepeats(trace, trace.programs()[program], work);
      for (size_t i = 0; i < work.size(); ++i) {
        Set(trace.track(work[i].event.track), work[i].event, first + runs[i]);
      }
      first += runs.back() + 1;
    }
  }

  uint32_t Of(EventRef event) const {
    const auto found = by_track_.find(event.track.value);
    return found == by_track_.end() ? 0 : found->second[event.index.value];
  }

 private:
  void Set(const Track& track, EventRef event, uint32_t number) {
    std::vector<uint32_t>& column = by_track_[event.track.value];
    if (column.empty()) column.resize(track.size());
    column[event.index.value] = number;
  }

  std::unordered_map<uint32_t, std::vector<uint32_t>> by_track_;
};

void Programs(DerivedWriter& out, const analyze::HostView& host, size_t d, const Runs& runs) {
  const DerivedTrack what{host.devices[d].plane, "programs", "programs", kProgramsOrder,
                          "Which program the device was at."};
  const Trace& trace = host.trace();
  TrackWriter writer = out.NewSlices(what, Layout::kLanes);
  const StringId pieces = out.Intern("pieces of work");
  uint32_t run = 0;
  Interval time;
  uint64_t count = 0;
  const Program* program = nullptr;
  const auto close = [&] {
    if (program == nullptr) return;
    writer.Arg(out.Intern("program_id"), ArgValue::Uint(program->id));
    writer.Arg(pieces, ArgValue::Uint(count));
    writer.Event(time.begin, time.length(), out.Intern(program->name));
  };
  for (const analyze::WorkItem& item : host.work[d]) {
    const uint32_t of = runs.Of(item.event);
    if (of == 0) continue;
    const Track& track = trace.track(item.event.track);
    if (of != run) {
      close();
      run = of;
      count = 0;
      time = item.time;
      program = &trace.programs()[trace.attribution(track.args(item.event.index)).instruction.program.value];
    }
    ++count;
    time.end = std::max(time.end, item.time.end);
  }
  close();
  out.AddSlices(what, std::move(writer));
}

class ScopeSlices {
 public:
  // The first `of_host` elements of the path are the host's; `entry` tells when it was in others of that
  // name.
  void Add(Interval time, uint32_t run, EventRef entry, size_t of_host, const std::vector<StringId>& path) {
    size_t common = 0;
    const size_t shared = run == run_ && entry == entry_ ? path.size() : entry == entry_ ? of_host : 0;
    while (common < open_.size() && common < shared && open_[common].name == path[common]) ++common;
    Close(common);
    run_ = run;
    entry_ = entry;
    for (Open& scope : open_) scope.time.end = time.end;
    for (size_t i = common; i < path.size(); ++i) open_.push_back({time, path[i]});
  }

  void Write(TrackWriter& writer) {
    Close(0);
    // Of slices that begin together the outer ones come first.
    std::ranges::stable_sort(done_, [](const Done& a, const Done& b) {
      return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.depth < b.depth;
    });
    for (const Done& slice : done_) writer.Event(slice.time.begin, slice.time.length(), slice.name);
  }

 private:
  struct Open {
    Interval time;
    StringId name;
  };
  struct Done {
    Interval time;
    StringId name;
    uint32_t depth;
  };

  void Close(size_t depth) {
    while (open_.size() > depth) {
      done_.push_back({open_.back().time, open_.back().name, static_cast<uint32_t>(open_.size())});
      open_.pop_back();
    }
  }

  uint32_t run_ = 0;
  EventRef entry_;
  std::vector<Open> open_;
  std::vector<Done> done_;
};

void Scopes(DerivedWriter& out, const analyze::HostView& host, size_t d, const Runs& runs) {
  const DerivedTrack what{host.devices[d].plane, "scopes", "scopes", kScopesOrder,
                          "The scopes of the operations that the device was at, nested."};
  const Trace& trace = host.trace();
  std::map<ProgramIndex, analyze::ProgramScopes> scopes;
  analyze::HostScopes host_scopes(host);
  std::map<std::pair<InstructionRef, uint32_t>, std::vector<StringId>> paths;
  const auto path_of = [&](InstructionRef ref, uint32_t launched) -> const std::vector<StringId>& {
    const auto [at, added] = paths.try_emplace({ref, launched});
    if (!added) return at->second;
    for (const std::string& element : host_scopes[launched].path) at->second.push_back(out.Intern(element));
    if (ref.valid()) {
      const analyze::ProgramScopes& of_program =
          scopes.try_emplace(ref.program, trace.programs()[ref.program.value]).first->second;
      const analyze::ScopeName scope = of_program.Of(ref.instruction);
      at->second.push_back(out.Intern(scope.root));
      if (!JaxName(scope.pass).empty()) at->second.push_back(out.Intern(Name(scope.pass)));
      for (const std::string& element : scope.path) at->second.push_back(out.Intern(element));
    }
    return at->second;
  };
  ScopeSlices slices;
  analyze::ForEachSelfSlice(host.work[d], [&](Interval time, const analyze::WorkItem& item) {
    const Track& track = trace.track(item.event.track);
    const InstructionRef ref = trace.attribution(track.args(item.event.index)).instruction;
    const uint32_t launched = host_scopes.Of(item);
    const size_t of_host = host_scopes[launched].path.size();
    if (!ref.valid() && of_host == 0) return;
    const EventRef entry = of_host > 0 ? host_scopes.Outermost(item.call) : EventRef();
    slices.Add(time, runs.Of(item.event), entry, of_host, path_of(ref, launched));
  });
  TrackWriter writer = out.NewSlices(what, Layout::kNested);
  slices.Write(writer);
  out.AddSlices(what, std::move(writer));
}

}  // namespace

size_t RowsOf(const analyze::ScopeName& scope) {
  return 1 + (JaxName(scope.pass).empty() ? 0 : 1) + scope.path.size();
}

void DeriveProgramsAndScopes(DerivedWriter& out, const analyze::HostView& host, size_t d) {
  const Runs runs(host, d);
  // A TPU's capture has a line of its own for them.
  const bool captured = std::ranges::any_of(host.trace().tracks(), [&](const Track& track) {
    return track.info().plane == host.devices[d].plane && track.info().kind == TrackKind::kModules &&
           track.size() > 0;
  });
  if (!captured) Programs(out, host, d, runs);
  Scopes(out, host, d, runs);
}

}  // namespace gait::timeline
