// Phrases that several reports share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/report/table_of.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// "GPU 0", "TPU 3", "CPU 0", "host"; the plane's own name for anything else.
std::string DeviceName(const Trace& trace, const Plane& plane);
// "NVIDIA H200", "TPU v6 lite"; empty when the capture does not say.
std::string DeviceModel(const Trace& trace, const Plane& plane);
// The model; "GPU", "TPU" or "CPU device" where the capture names no model.
std::string DeviceModelOrKind(const Trace& trace, const Plane& plane);

// What a viewer would call the track: its display name, or its name, or "#14".
std::string TrackName(const Trace& trace, const Track& track);
// The track's name with its plane in front: "GPU 0 Stream #14(Compute)".
std::string TrackLabel(const Trace& trace, const Track& track);

std::string_view Name(TrackKind kind);  // "stream", "thread", ...

// How an event found its HLO instruction, or why not, for people; trace.h has the stable words.
std::string_view Describe(AttributionKind kind);  // "yes, by name", "no: its program is not in the capture"
bool IsAttributed(AttributionKind kind);

// An argument's value as text. Strings with spaces or quotes come in quotes, bytes as their length.
std::string ValueText(const Trace& trace, ArgValue value);

// Names of runs without the parts that all of them share: the folder, and the end from a dot or an underscore
// on (".xplane.pb.gz", a time). Names that are equal stay as they are.
std::vector<std::string> TellingNames(const std::vector<std::string>& names);

// A word as a person types it into a shell: quoted where it has to be.
std::string ShellWord(const std::string& word);
// A command about the run that works as typed: "gait info 'my runs'".
std::string Command(std::string_view verb, const LoadedRun& run, std::string_view rest = {});

// "2026-11-15 00:29:59" in local time; empty for unknown.
std::string WallTime(std::optional<int64_t> unix_ns);
// Such a time in a column of unit kUnixNs: people see the local time, programs get nanoseconds since 1970.
report::CellOf<int64_t> WallTimeCell(std::optional<int64_t> unix_ns, std::string_view why_not);
std::optional<int64_t> StartTime(const LoadedRun& run);  // Unix ns, of the first host

// A document with the parts that every report of a run has: sources, context line, losses of all hosts, and
// what the profiler reported.
report::Document NewDocument(std::string verb, const LoadedRun& run);

}  // namespace gait::analyze
