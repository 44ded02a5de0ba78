#include "gait/trace/trace_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gait/base/limits.h"

namespace gait {
namespace {

// Arguments whose values differ in nearly every event.
constexpr std::string_view kVarying[] = {
    "correlation_id",
    "run_id",
    "_p",
    "_c",
    "addr",
    "bytes_reserved",
    "requested_bytes",
    "step_num",
    "bytes_allocated",
    "bytes_available",
    "fragmentation",
    "allocation_bytes",
    "counter_value",
    "peak_bytes_in_use",
};
// Scope ranges are numbered from 2^48 on.
constexpr uint64_t kFirstScopeRange = uint64_t{1} << 48;

// Numbers that name an operation: as many as a program has, but they come again at every execution.
// Attribution looks them up by argument set, so they stay interned up to a large number.
constexpr std::string_view kNaming[] = {"cuda_graph_node_id", "unique_hlo_op_id", "program_id",
                                        "cuda_graph_id",      "device_ordinal",   "hlo_op",
                                        "hlo_module",         "kernel_details"};

}  // namespace

TraceBuilder::TraceBuilder() {
  for (const std::string_view key : kVarying) known_args_[Intern(key).value] = {};
  for (const std::string_view key : kNaming)
    known_args_[Intern(key).value] = {.max_distinct = limits::kMaxDistinctNaming};
  known_args_[Intern("scope_range_id").value] = {.base = kFirstScopeRange};
}

StringId TraceBuilder::Intern(std::string_view text) {
  const std::lock_guard lock(mutex_);
  return trace_.strings_.Intern(text);
}

ArgSetId TraceBuilder::InternArgs(std::span<const Arg> args) {
  std::vector<ArgEntry> entries;
  entries.reserve(args.size());
  for (const Arg& arg : args) entries.push_back({arg.key, arg.value.type, false, arg.value.bits});
  return trace_.args_.Intern(entries);
}

PlaneId TraceBuilder::AddPlane(Plane plane) {
  trace_.planes_.push_back(plane);
  return PlaneId(trace_.planes_.size() - 1);
}

TrackWriter TraceBuilder::NewTrack(TrackInfo info) {
  const std::lock_guard lock(mutex_);
  const Plane& plane = trace_.planes_[info.plane.value];
  const auto or_id = [](std::string_view name, std::string_view what, int64_t id) {
    return name.empty() ? fmt::format("{} {}", what, id) : std::string(name);
  };
  return {*this, info,
          fmt::format("{} {}", or_id(trace_.strings_[plane.name], "plane", plane.id),
                      or_id(trace_.strings_[info.name], "line", info.id))};
}

TrackId TraceBuilder::Add(TrackWriter writer) {
  writer.Finalize();
  std::vector<uint32_t> global(writer.sets_.size());
  for (size_t i = 0; i < global.size(); ++i) global[i] = trace_.args_.Intern(writer.sets_[ArgSetId(i)]).value;
  for (uint32_t& set : writer.track_.args_) set = global[set];
  trace_.losses_.Merge(writer.losses_);
  trace_.tracks_.push_back(std::move(writer.track_));
  return TrackId(trace_.tracks_.size() - 1);
}

void TraceBuilder::AddProgram(Program program) { trace_.programs_.push_back(std::move(program)); }

void TraceBuilder::AddScopeParent(int64_t child, int64_t parent) {
  trace_.scope_parents_.emplace_back(child, parent);
}

void TraceBuilder::Lose(LossKind kind, std::string_view place, std::string_view reason, uint64_t count) {
  trace_.losses_.Add(kind, place, reason, count);
}

void TraceBuilder::Merge(const LossLog& losses) { trace_.losses_.Merge(losses); }

void TraceBuilder::SetAttribution(std::vector<Attribution> by_arg_set) {
  trace_.attribution_ = std::move(by_arg_set);
}

Trace TraceBuilder::Finish() && {
  std::ranges::stable_sort(trace_.scope_parents_);
  return std::move(trace_);
}

}  // namespace gait
