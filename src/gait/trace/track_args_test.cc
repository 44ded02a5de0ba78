// Arguments written through TrackWriter and read back through Trace, against a list of what was written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gait/base/limits.h"
#include "gait/trace/trace_builder.h"

namespace gait {
namespace {

struct Written {
  int64_t begin;
  std::vector<Arg> args;
};

class TrackArgs : public testing::Test {
 protected:
  TrackArgs() : writer_(NewTrack()) {}

  StringId Id(std::string_view text) { return builder_.Intern(text); }

  void Write(int64_t begin, const std::vector<Arg>& args) {
    for (const Arg& arg : args) writer_.Arg(arg.key, arg.value);
    writer_.Event(Ps(begin), Ps(1), Id("event"));
    written_.push_back({begin, args});
  }

  // Ends the writing and checks every event.
  void ExpectAllRead() {
    builder_.Add(std::move(writer_));
    trace_ = std::move(builder_).Finish();
    std::ranges::stable_sort(written_, {}, &Written::begin);
    ASSERT_EQ(trace_.tracks()[0].size(), written_.size());
    for (size_t i = 0; i < written_.size(); ++i) {
      const EventRef event{TrackId(0), EventIndex(i)};
      ASSERT_EQ(trace_.Args(event), written_[i].args) << "event " << i;
      for (const Arg& arg : written_[i].args) {
        // The first one of the name.
        const auto first = std::ranges::find(written_[i].args, arg.key, &Arg::key);
        ASSERT_EQ(trace_.FindArg(event, arg.key), first->value);
        ASSERT_EQ(trace_.FindArg(event, trace_.text(arg.key)), first->value);
      }
      ASSERT_EQ(trace_.FindArg(event, "no such name"), std::nullopt);
    }
  }

  bool Varies(size_t event, std::string_view key) {
    for (const ArgEntry& entry : trace_.arg_sets()[trace_.tracks()[0].args(EventIndex(event))]) {
      if (trace_.text(entry.key) == key) return entry.varying;
    }
    ADD_FAILURE() << "no argument " << key;
    return false;
  }

  TraceBuilder builder_;
  TrackWriter writer_;
  std::vector<Written> written_;
  Trace trace_;

 private:
  TrackWriter NewTrack() {
    TrackInfo info;
    info.plane = builder_.AddPlane({});
    info.layout = Layout::kLanes;
    return builder_.NewTrack(info);
  }
};

TEST_F(TrackArgs, RandomEvents) {
  std::mt19937_64 random(17);
  std::vector<StringId> keys;
  for (const char* name :
       {"correlation_id", "scope_range_id", "run_id", "hlo_op", "x", "y", "z", "fragmentation"}) {
    keys.push_back(Id(name));
  }
  const auto value = [&]() -> ArgValue {
    const uint64_t bits = random() >> (random() % 64);
    switch (random() % 6) {
      case 0:
        return ArgValue::Int(static_cast<int64_t>(bits));
      case 1:
        return ArgValue::Int(-static_cast<int64_t>(bits >> 1));
      case 2:
        return ArgValue::Uint(bits);
      case 3:
        return ArgValue::Double(static_cast<double>(bits) / 3);
      case 4:
        return ArgValue::String(Id(fmt::format("text {}", bits % 9'000)));
      default:
        return ArgValue::RawBytes(Id(fmt::format("bytes {}", bits % 3)));
    }
  };
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Arg> args;
    const size_t count = random() % 7;
    for (size_t n = 0; n < count; ++n) args.push_back({keys[random() % keys.size()], value()});
    Write(static_cast<int64_t>(random() % 5'000) * 100, args);  // out of order
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, NumbersVaryAfter64Values) {
  for (int64_t i = 0; i < 64; ++i) Write(i, {{Id("n"), ArgValue::Int(i % 64)}});
  for (int64_t i = 64; i < 200; ++i) Write(i, {{Id("n"), ArgValue::Int(i)}});
  for (int64_t i = 200; i < 220; ++i) Write(i, {{Id("n"), ArgValue::Int(0)}});
  ExpectAllRead();
  EXPECT_FALSE(Varies(63, "n"));
  EXPECT_TRUE(Varies(64, "n"));
  EXPECT_TRUE(Varies(210, "n"));
}

TEST_F(TrackArgs, TextVariesAfter4096Values) {
  for (int i = 0; i < 4'200; ++i) Write(i, {{Id("t"), ArgValue::String(Id(std::to_string(i)))}});
  ExpectAllRead();
  EXPECT_FALSE(Varies(4'095, "t"));
  EXPECT_TRUE(Varies(4'096, "t"));
}

TEST_F(TrackArgs, FewValuesNeverVary) {
  for (int64_t i = 0; i < 10'000; ++i) Write(i, {{Id("n"), ArgValue::Int(i % 60 - 30)}});
  ExpectAllRead();
  EXPECT_FALSE(Varies(9'999, "n"));
  EXPECT_LE(trace_.arg_sets().size(), 61U);
}

TEST_F(TrackArgs, KnownIdsVaryFromTheStartAndNamingOnesDoNot) {
  for (int64_t i = 0; i < 500; ++i) {
    Write(i, {{Id("correlation_id"), ArgValue::Uint(100)}, {Id("cuda_graph_node_id"), ArgValue::Uint(i)}});
  }
  ExpectAllRead();
  EXPECT_TRUE(Varies(0, "correlation_id"));
  EXPECT_FALSE(Varies(499, "cuda_graph_node_id"));
}

TEST_F(TrackArgs, ExtremesInTheColumn) {
  for (const char* name : {"correlation_id", "scope_range_id"}) {
    for (const int64_t v : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min(), int64_t{1} << 48}) {
      Write(static_cast<int64_t>(written_.size()), {{Id(name), ArgValue::Int(v)}});
      Write(static_cast<int64_t>(written_.size()), {{Id(name), ArgValue::Uint(static_cast<uint64_t>(v))}});
      Write(static_cast<int64_t>(written_.size()), {{Id(name), ArgValue::Double(static_cast<double>(v))}});
      Write(static_cast<int64_t>(written_.size()), {{Id(name), ArgValue::String(Id("text"))}});
    }
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, OneNameTwiceInAnEvent) {
  for (int64_t i = 0; i < 300; ++i) {
    Write(i,
          {{Id("_src"), ArgValue::Int(i)}, {Id("other"), ArgValue::Int(1)}, {Id("_src"), ArgValue::Int(-i)}});
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, EventsWithoutArgumentsBetweenOthers) {
  for (int64_t i = 0; i < 300; ++i) {
    Write(i, i % 3 == 2 ? std::vector<Arg>{{Id("correlation_id"), ArgValue::Int(i)}} : std::vector<Arg>{});
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, DiscardForgetsTheArgumentsOfOneEvent) {
  for (int64_t i = 0; i < 200; ++i) {
    writer_.Arg(Id("correlation_id"), ArgValue::Int(-1));
    writer_.Arg(Id("n"), ArgValue::Int(i + 1'000'000));
    writer_.Discard();
    Write(i, {{Id("n"), ArgValue::Int(i)}, {Id("correlation_id"), ArgValue::Int(i)}});
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, ArgumentsBeyondTheLimitAreCounted) {
  std::vector<Arg> args;
  for (size_t i = 0; i < limits::kMaxArgsPerEvent; ++i) args.push_back({Id("n"), ArgValue::Int(3)});
  for (const Arg& arg : args) writer_.Arg(arg.key, arg.value);
  for (int i = 0; i < 5; ++i) writer_.Arg(Id("n"), ArgValue::Int(3));
  writer_.Event(Ps(0), Ps(1), Id("event"));
  written_.push_back({0, args});
  ExpectAllRead();
  ASSERT_EQ(trace_.losses().size(), 1U);
  EXPECT_EQ(trace_.losses()[0].kind, LossKind::kCapped);
  EXPECT_EQ(trace_.losses()[0].count, 5U);
}

TEST_F(TrackArgs, ThousandsOfNamesTakeNoQuadraticTime) {
  // 50,000 names on one track: a search through all of them for every event would take minutes.
  for (int64_t i = 0; i < 50'000; ++i) {
    Write(i, {{Id(fmt::format("name {}", (i * 7919) % 50'000)), ArgValue::Int(i)}});
  }
  ExpectAllRead();
}

TEST_F(TrackArgs, NumbersAndText) {
  Write(0, {{Id("i"), ArgValue::Int(-5)},
            {Id("s"), ArgValue::String(Id("42"))},
            {Id("t"), ArgValue::String(Id("42x"))},
            {Id("d"), ArgValue::Double(7.0)}});
  ExpectAllRead();
  const EventRef event{TrackId(0), EventIndex(0)};
  EXPECT_EQ(trace_.Integer(event, "i"), -5);
  EXPECT_EQ(trace_.Integer(event, "s"), 42);
  EXPECT_EQ(trace_.Integer(event, "t"), std::nullopt);
  EXPECT_EQ(trace_.Integer(event, "d"), 7);
  EXPECT_EQ(trace_.Integer(event, "none"), std::nullopt);
  EXPECT_EQ(trace_.String(event, "t"), "42x");
  EXPECT_EQ(trace_.String(event, "i"), std::nullopt);
}

}  // namespace
}  // namespace gait
