#include "gait/trace/flows.h"

#include <gtest/gtest.h>

#include "gait/trace/trace_builder.h"

namespace gait {
namespace {

// A trace with one host thread (track 0) and one stream (track 1), written event by event.
class Flows : public testing::Test {
 protected:
  using Numbers = std::vector<std::pair<std::string_view, ArgValue>>;

  void Host(const Numbers& args) { Write(host_, args); }
  void Device(const Numbers& args) { Write(device_, args); }

  Trace Finish() {
    builder_.Add(std::move(host_));
    builder_.Add(std::move(device_));
    return std::move(builder_).Finish();
  }

  static EventRef HostEvent(size_t i) { return {TrackId(0), EventIndex(i)}; }
  static EventRef DeviceEvent(size_t i) { return {TrackId(1), EventIndex(i)}; }

 private:
  TrackWriter NewTrack(TrackKind kind) {
    TrackInfo info;
    info.plane = plane_;
    info.kind = kind;
    info.layout = kind == TrackKind::kStream ? Layout::kLanes : Layout::kNested;
    return builder_.NewTrack(info);
  }
  void Write(TrackWriter& writer, const Numbers& args) {
    for (const auto& [key, value] : args) writer.Arg(builder_.Intern(key), value);
    writer.Event(Ps(static_cast<int64_t>(writer.size()) * 10), Ps(5), builder_.Intern("event"));
  }

  TraceBuilder builder_;
  PlaneId plane_ = builder_.AddPlane({});
  TrackWriter host_ = NewTrack(TrackKind::kThread);
  TrackWriter device_ = NewTrack(TrackKind::kStream);
};

using Events = std::vector<EventRef>;

TEST_F(Flows, ALaunchAndAllItsKernels) {
  Host({{"correlation_id", ArgValue::Uint(7)}});
  Host({{"correlation_id", ArgValue::Uint(8)}});
  Device({{"correlation_id", ArgValue::Uint(7)}});
  Device({{"correlation_id", ArgValue::Uint(8)}});
  Device({{"correlation_id", ArgValue::Uint(7)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(flows.Outgoing(HostEvent(0)), (Events{DeviceEvent(0), DeviceEvent(2)}));
  EXPECT_EQ(flows.Outgoing(HostEvent(1)), (Events{DeviceEvent(1)}));
  EXPECT_EQ(flows.Incoming(DeviceEvent(2)), (Events{HostEvent(0)}));
  EXPECT_EQ(flows.Outgoing(DeviceEvent(0)), Events());
  EXPECT_EQ(flows.Incoming(HostEvent(0)), Events());
  EXPECT_EQ(flows.links(), 5U);
}

TEST_F(Flows, ProducerAndConsumerByTypeAndId) {
  Host({{"_pt", ArgValue::Int(5)}, {"_p", ArgValue::Int(100)}});
  Host({{"_pt", ArgValue::Int(6)}, {"_p", ArgValue::Int(100)}});
  Host({{"_ct", ArgValue::Int(5)}, {"_c", ArgValue::Int(100)}});
  Host({{"_ct", ArgValue::Int(6)}, {"_c", ArgValue::Int(101)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(flows.Outgoing(HostEvent(0)), (Events{HostEvent(2)}));
  EXPECT_EQ(flows.Incoming(HostEvent(2)), (Events{HostEvent(0)}));
  EXPECT_EQ(flows.Outgoing(HostEvent(1)), Events());
  EXPECT_EQ(flows.Incoming(HostEvent(3)), Events());
}

TEST_F(Flows, AMissingTypeIsZero) {
  Host({{"_p", ArgValue::Int(3)}});
  Host({{"_ct", ArgValue::Int(0)}, {"_c", ArgValue::Int(3)}});
  const Trace trace = Finish();
  EXPECT_EQ(FlowIndex(trace).Outgoing(HostEvent(0)), (Events{HostEvent(1)}));
}

TEST_F(Flows, NoContextPassedIsNoLink) {
  Host({{"_pt", ArgValue::Int(14)}, {"_p", ArgValue::Int(0)}});
  Host({{"_ct", ArgValue::Int(14)}, {"_c", ArgValue::Int(0)}});
  Host({{"_ct", ArgValue::Int(14)}, {"_c", ArgValue::Int(1)}});
  Host({{"_pt", ArgValue::Int(14)}, {"_p", ArgValue::Int(1)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(flows.Incoming(HostEvent(1)), Events());
  EXPECT_EQ(flows.Outgoing(HostEvent(0)), Events());
  EXPECT_EQ(flows.Incoming(HostEvent(2)), (Events{HostEvent(3)}));
}

TEST_F(Flows, IdsAre64BitPatternsOfEitherSign) {
  Host({{"_pt", ArgValue::Int(5)}, {"_p", ArgValue::Int(-2)}});
  Host({{"_ct", ArgValue::Int(5)}, {"_c", ArgValue::Uint(static_cast<uint64_t>(-2))}});
  const Trace trace = Finish();
  EXPECT_EQ(FlowIndex(trace).Outgoing(HostEvent(0)), (Events{HostEvent(1)}));
}

TEST_F(Flows, BothKindsOfLinksInOrderWithoutRepeats) {
  Host({{"_pt", ArgValue::Int(9)}, {"_p", ArgValue::Int(1)}, {"correlation_id", ArgValue::Uint(4)}});
  Host({{"_ct", ArgValue::Int(9)}, {"_c", ArgValue::Int(1)}});
  Device({{"correlation_id", ArgValue::Uint(4)}});
  Device({{"_ct", ArgValue::Int(9)}, {"_c", ArgValue::Int(1)}, {"correlation_id", ArgValue::Uint(4)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(flows.Outgoing(HostEvent(0)), (Events{HostEvent(1), DeviceEvent(0), DeviceEvent(1)}));
  EXPECT_EQ(flows.Incoming(DeviceEvent(1)), (Events{HostEvent(0)}));
}

TEST_F(Flows, Roots) {
  Host({{"_r", ArgValue::Int(1)}, {"step_num", ArgValue::Int(0)}});
  Host({{"_r", ArgValue::Int(0)}});
  Host({{"_r", ArgValue::Int(-1)}});
  Host({{"_r", ArgValue::Int(2)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(Events(flows.roots().begin(), flows.roots().end()), (Events{HostEvent(0), HostEvent(3)}));
}

TEST_F(Flows, ATraceWithoutLinks) {
  Host({});
  Device({{"other", ArgValue::Int(1)}});
  const Trace trace = Finish();
  const FlowIndex flows(trace);
  EXPECT_EQ(flows.links(), 0U);
  EXPECT_TRUE(flows.roots().empty());
  EXPECT_TRUE(flows.Outgoing(HostEvent(0)).empty());
  EXPECT_TRUE(flows.Incoming(DeviceEvent(0)).empty());
}

}  // namespace
}  // namespace gait
