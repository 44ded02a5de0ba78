// Every limit that protects the reader from absurd input. Data beyond a limit is counted as a loss.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gait::limits {

// Tables of one file.
inline constexpr size_t kMaxPlanes = 100'000;
inline constexpr size_t kMaxTracks = 100'000;              // 3 KB each while they are read
inline constexpr size_t kMaxLines = 500'000;               // of all planes; those of one id are one track
inline constexpr size_t kMaxMessages = 1000;               // errors, warnings and host names, of each
inline constexpr size_t kMaxDevices = 4096;                // device rows made for a CPU capture
inline constexpr size_t kMaxEventsPerTrack = 0xffff'fff0;  // event indices are 32 bits
inline constexpr size_t kMaxArgsPerEvent = 4096;
inline constexpr size_t kMaxValueBytesPerTrack = 0xffff'ff00;  // offsets into the value column are 32 bits

// How many values of one argument on one track are interned. An argument with more values is varying: each
// event has its own copy. Numbers usually differ in every event. Text usually names an operation and comes
// again, and so do numbers that name an operation.
inline constexpr size_t kMaxDistinctNumbers = 64;
inline constexpr size_t kMaxDistinctStrings = 4096;
inline constexpr size_t kMaxDistinctNaming = 1'000'000;

// How many events of one line with different arguments are remembered by their bytes. Further events are
// decoded whole, with the same result.
inline constexpr size_t kMaxTemplates = 1 << 18;
inline constexpr size_t kMaxTemplateBytes = 1024;   // of the arguments of one event
inline constexpr size_t kMaxTemplateValues = 64;    // varying arguments of one event
inline constexpr size_t kMaxTemplateStat = 65'536;  // metadata id of an argument

// After this many unreadable events a line is given up.
inline constexpr uint64_t kMaxUnreadable = 10'000;

// Lanes of overlapping events on one track. Real tracks need a handful; the bound keeps absurd tracks linear.
inline constexpr size_t kMaxLanes = 256;

// Fitting the nodes of a CUDA graph to a program: nodes of one library call, of one sort in a loop, fits
// followed at a time, and launches outside graphs that are looked at for what ran before and after.
inline constexpr int kMaxLibraryNodes = 32;
inline constexpr uint32_t kMaxSortNodes = 128;
inline constexpr size_t kMaxFitStates = 256;
// Steps of work on the fits of a capture: kFitWork, and more for each node that was seen. A library call
// takes kMaxLibraryNodes * kMaxFitStates.
inline constexpr size_t kFitWork = 10'000'000;
inline constexpr size_t kFitWorkPerNode = 10'000;
inline constexpr size_t kMaxNeighbours = 1'000'000;

// Nesting of events on one track (Python recursion reaches a few thousand).
inline constexpr uint32_t kMaxDepth = 0xffff;

// HLO: nesting of tuple shapes, of called computations, of JSON in a backend configuration.
inline constexpr int kMaxShapeDepth = 64;
inline constexpr int kMaxCallDepth = 256;
inline constexpr size_t kMaxShapeDimensions = 64;
inline constexpr size_t kMaxProgramsBeside = 10'000;  // *.hlo_proto.pb in the folder of a capture
inline constexpr size_t kMaxInstructions = 50'000'000;
inline constexpr size_t kMaxScopeSearch = 10'000;  // instructions looked at for the name of one fusion
// Device ids of the replica groups of a program, written out. Few bytes can name very many ids, so the size
// of the program decides how many it may name.
inline constexpr int64_t kMinGroupMembers = 16'384;
inline constexpr int64_t kGroupMembersPerByte = 64;
inline constexpr int64_t kMaxGroupMembers = 4'000'000;
inline constexpr size_t kMaxBackendConfigBytes = 16 << 20;  // of one instruction, to be parsed as JSON
inline constexpr int kMaxJsonDepth = 64;
inline constexpr int64_t kMaxWindowSteps = 1'000'000;  // of counting the positions of a convolution's window
inline constexpr int64_t kMaxWindowNumber = int64_t{1} << 20;  // size, stride, dilations of such a window
inline constexpr int64_t kMaxDimension = int64_t{1} << 40;     // of a convolution, and of its padding

// Device memory profiles: kinds of values, samples, frames of one stack.
inline constexpr size_t kMaxHeapValues = 64;
inline constexpr size_t kMaxHeapSamples = 2'000'000;
inline constexpr size_t kMaxHeapStack = 4096;

// Input that cannot be mapped: the bytes that are checked before the rest is read, and the time to wait for a
// writer to open a FIFO.
inline constexpr size_t kHeadBytes = 64 << 10;
inline constexpr int kFifoWaitMs = 10'000;

// Losses listed one by one. Further places are summed up by reason; beyond twice the limit, further reasons
// are summed up too.
inline constexpr size_t kMaxLossPlaces = 1000;

// Log directories: how deep to look for runs, how many entries to visit.
inline constexpr int kMaxDirectoryDepth = 32;
inline constexpr size_t kMaxDirectoryEntries = 5'000'000;
inline constexpr size_t kMaxSearchEntries = 500'000;   // for a run's name below the current directory
inline constexpr size_t kMaxManifestBytes = 16 << 20;  // of gait.json
inline constexpr size_t kMaxPeekPlanes = 4096;         // plane names of one file that a listing looks at

}  // namespace gait::limits
