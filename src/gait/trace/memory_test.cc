// What an event costs: bytes of the columns, and allocations, counted by this program's own operator new. A
// program of its own, so that nothing else allocates between the two readings.
#include <gtest/gtest.h>

#include "gait/base/testing/failing_new.h"
#include "gait/trace/trace_builder.h"

namespace gait {
namespace {

constexpr int64_t kEvents = 200'000;

// A GPU stream as JAX writes it: 300 operations that come again in every step, each kernel with its
// correlation id and scope range, the rest of its arguments always the same.
Trace WriteStream(size_t* allocations_of_events) {
  TraceBuilder builder;
  TrackInfo info;
  info.plane = builder.AddPlane({});
  info.kind = TrackKind::kStream;
  info.layout = Layout::kLanes;
  TrackWriter writer = builder.NewTrack(info);
  const StringId correlation = builder.Intern("correlation_id");
  const StringId scope = builder.Intern("scope_range_id");
  const StringId op = builder.Intern("hlo_op");
  const StringId details = builder.Intern("kernel_details");
  std::vector<StringId> ops;
  for (int i = 0; i < 300; ++i) ops.push_back(builder.Intern("fusion." + std::to_string(i)));

  testing::FailAllocation(0);
  for (int64_t i = 0; i < kEvents; ++i) {
    const StringId name = ops[static_cast<size_t>(i % 300)];
    writer.Arg(correlation, ArgValue::Uint(static_cast<uint64_t>(10'000 + i)));
    writer.Arg(scope, ArgValue::Int((int64_t{1} << 48) + i % 5'000));
    writer.Arg(op, ArgValue::String(name));
    writer.Arg(details, ArgValue::String(ops[static_cast<size_t>(i % 40)]));
    writer.Event(Ps(i * 1'000'000), Ps(900'000), name);
  }
  writer.Finalize();
  builder.Add(std::move(writer));
  *allocations_of_events = static_cast<size_t>(testing::Allocations());
  return std::move(builder).Finish();
}

TEST(Memory, AStreamTakesAtMost32BytesPerEvent) {
  size_t unused = 0;
  const Trace trace = WriteStream(&unused);
  const double bytes = static_cast<double>(trace.column_memory()) / kEvents;
  RecordProperty("bytes_per_event", std::to_string(bytes));
  EXPECT_LE(bytes, 32.0);
  EXPECT_GE(bytes,
            22.0);  // the columns that every track has: a smaller number means that memory() forgot one
}

TEST(Memory, AHostThreadTakesAtMost32BytesPerEvent) {
  TraceBuilder builder;
  TrackInfo info;
  info.plane = builder.AddPlane({});
  TrackWriter writer = builder.NewTrack(info);
  for (int64_t i = 0; i < kEvents; ++i) writer.Event(Ps(i * 10), Ps(i % 7 == 0 ? 70 : 5), StringId(1));
  builder.Add(std::move(writer));
  const Trace trace = std::move(builder).Finish();
  EXPECT_LE(static_cast<double>(trace.column_memory()) / kEvents, 32.0);
}

TEST(Memory, AllocationsPerEvent) {
  size_t count = 0;
  WriteStream(&count);
  EXPECT_LE(static_cast<double>(count) / kEvents, 0.01) << count << " allocations";
}

}  // namespace
}  // namespace gait
