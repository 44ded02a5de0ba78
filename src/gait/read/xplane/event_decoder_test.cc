// Lines of random events, decoded by the reader and by the test itself. The events repeat themselves as real
// ones do, so that both ways of the decoder and the passage from one to the other are taken.
#include "gait/read/xplane/event_decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

using namespace testing_support;
using gait::testing_support::ArgsText;

class Decoding : public testing::Test {
 protected:
  Decoding() {
    plane_.EventName(0, "zero").EventName(1, "one").EventName(2, "two",
                                                              {IntStat(3, 21), StringStat(4, "shared")});
    const char* names[] = {"", "correlation_id", "scope_range_id", "n", "t", "u", "n", "fragmentation"};
    for (int64_t i = 1; i < 8; ++i) plane_.StatName(i, names[i]);
    for (int64_t i = 100; i < 300; ++i) plane_.StatName(i, fmt::format("string {}", i));
  }

  void Add(int64_t name, const Messages& stats, std::string expected) {
    if (name == 2) {
      expected = expected.empty() ? "n=int 21; t=string shared" : "n=int 21; t=string shared; " + expected;
    }
    const auto offset = static_cast<int64_t>(expected_.size()) * 100;
    line_.events.push_back(Event(name, offset, 50, stats));
    expected_.push_back(std::move(expected));
  }

  void ExpectAllDecoded(size_t unresolved = 0) {
    plane_.Line(line_);
    const auto trace = ReadBytes(Bytes(Space({plane_.Finish()})), "test");
    ASSERT_TRUE(trace);
    ASSERT_EQ(trace->tracks()[0].size(), expected_.size());
    for (size_t i = 0; i < expected_.size(); ++i) {
      ASSERT_EQ(ArgsText(*trace, {TrackId(0), EventIndex(i)}), expected_[i]) << "event " << i;
    }
    uint64_t lost = 0;
    for (const Loss& loss : trace->losses()) lost += loss.count;
    EXPECT_EQ(lost, unresolved);
  }

  PlaneWriter plane_{"/host:CPU"};
  Line line_;
  std::vector<std::string> expected_;
};

TEST_F(Decoding, RandomEventsThatRepeat) {
  std::mt19937_64 random(23);
  struct Made {
    Message stat;
    std::string text;
  };
  const std::string names[] = {"", "correlation_id", "scope_range_id", "n", "t", "u", "n", "fragmentation"};
  const auto make = [&](int64_t spread) -> Made {
    const auto id = static_cast<int64_t>(1 + random() % 7);
    const std::string& name = names[id];
    const auto value = static_cast<int64_t>(random()) % spread;
    switch (random() % 6) {
      case 0:
      case 1:
        return {IntStat(id, value), fmt::format("{}=int {}", name, value)};
      case 2:
        return {UintStat(id, static_cast<uint64_t>(value)),
                fmt::format("{}=uint {}", name, static_cast<uint64_t>(value))};
      case 3: {
        const double d = static_cast<double>(value) / 8;
        return {DoubleStat(id, d), fmt::format("{}=double {} ({:x})", name, d, std::bit_cast<uint64_t>(d))};
      }
      case 4:
        return {StringStat(id, fmt::to_string(value)), fmt::format("{}=string {}", name, value)};
      default: {
        const uint64_t ref = 100 + random() % 200;
        return {RefStat(id, ref), fmt::format("{}=string string {}", name, ref)};
      }
    }
  };
  struct Shape {
    int64_t name;
    Messages stats;
    std::string text;
  };
  std::vector<Shape> shapes;
  for (int i = 0; i < 30'000; ++i) {
    if (!shapes.empty() && random() % 10 != 0) {
      const Shape& again = shapes[random() % shapes.size()];
      Add(again.name, again.stats, again.text);
      continue;
    }
    Shape shape{static_cast<int64_t>(random() % 3), {}, {}};
    const size_t count = random() % 6;
    for (size_t n = 0; n < count; ++n) {
      Made made = make(i % 2 == 0 ? 20 : int64_t{1} << (random() % 62));
      shape.stats.push_back(made.stat);
      shape.text += (n == 0 ? "" : "; ") + made.text;
    }
    Add(shape.name, shape.stats, shape.text);
    if (shapes.size() < 400) shapes.push_back(shape);
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, NothingRepeats) {
  for (int64_t i = 0; i < 20'000; ++i) {
    Add(1, {StringStat(4, fmt::format("text {}", i)), IntStat(3, i)},
        fmt::format("t=string text {}; n=int {}", i, i));
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, AnUnknownArgumentNameThatVaries) {
  for (int64_t i = 0; i < 200; ++i) Add(1, {IntStat(88, i)}, fmt::format("stat 88=int {}", i));
  for (int64_t i = 0; i < 200; ++i) Add(1, {IntStat(88, 150)}, "stat 88=int 150");
  ExpectAllDecoded(400);
}

TEST_F(Decoding, AnArgumentWithTwoIds) {
  // The last id counts. It names an argument that varies, the first one does not.
  const auto two = [](uint64_t value) {
    return VarintField(1, 4) + VarintField(1, 1) + VarintField(4, value);
  };
  for (uint64_t i = 0; i < 200; ++i) {
    Add(1, {two(i % 3), IntStat(1, 5)}, fmt::format("correlation_id=int {}; correlation_id=int 5", i % 3));
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, NothingButAnArgumentWithTwoIds) {
  for (uint64_t i = 0; i < 200; ++i) {
    Add(1, {VarintField(1, 4) + VarintField(1, 1) + VarintField(4, i % 3)},
        fmt::format("correlation_id=int {}", i % 3));
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, EventsThatRepeatGoTheFastWay) {
  const Message plane = plane_.Finish();
  LossLog losses;
  const Message space = Space({plane});
  const SpaceIndex index = IndexSpace(space, losses);
  TraceBuilder builder;
  const PlaneTables tables = ReadTables(index.planes[0], builder, losses);
  TrackInfo info;
  info.plane = builder.AddPlane({});
  TrackWriter writer = builder.NewTrack(info);
  const CountedTrack no_counts = [&]() -> TrackWriter& { return writer; };
  EventDecoder decoder(tables, 0, writer, no_counts);
  for (int64_t i = 0; i < 10'000; ++i) {
    const uint64_t text = 100 + static_cast<uint64_t>(i) % 50;
    ASSERT_TRUE(decoder.Decode(Event(i % 3, i, 1, {IntStat(1, i), RefStat(4, text)})));
  }
  EXPECT_GT(decoder.fast_events(), 9'700U);
  EXPECT_GT(decoder.guessed_events(), 9'500U);
}

TEST_F(Decoding, ALoopOfEventsThatIsDisturbed) {
  // Three events in a row, again and again, with an id that grows. Now and then one differs from what the
  // loop makes one expect: in a constant of the same length, in the length of the id, in its arguments, name.
  std::mt19937_64 random(7);
  int64_t id = 1;
  for (int i = 0; i < 20'000; ++i) {
    const int64_t name = i % 3;
    const bool disturbed = random() % 9 == 0;
    const uint64_t kind = random() % 5;
    id += disturbed && kind == 0 ? 1'000'000 : 1;
    if (disturbed && kind == 4) id = 1;
    const int64_t constant = disturbed && kind == 1 ? 41 : 40 + name * 3;
    Messages stats = {IntStat(1, id), IntStat(5, constant), DoubleStat(7, 0.5 * static_cast<double>(id))};
    const double d = 0.5 * static_cast<double>(id);
    std::string text = fmt::format("correlation_id=int {}; u=int {}; fragmentation=double {} ({:x})", id,
                                   constant, d, std::bit_cast<uint64_t>(d));
    if (disturbed && kind == 2) {
      stats.pop_back();
      text.resize(text.rfind("; "));
    }
    Add(disturbed && kind == 3 ? (name + 1) % 3 : name, stats, text);
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, AnEventWithTwoNames) {
  // The last name counts, and brings its arguments once.
  for (int i = 0; i < 10; ++i) {
    line_.events.push_back(VarintField(1, 2) + VarintField(1, 2) + VarintField(1, 2) +
                           BytesField(4, IntStat(5, 1)));
    expected_.push_back("n=int 21; t=string shared; u=int 1");
    line_.events.push_back(VarintField(1, 2) + VarintField(1, 1) + BytesField(4, IntStat(5, 1)));
    expected_.push_back("u=int 1");
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, LongArgumentsAndManyOfThem) {
  const std::string text(10'000, 'x');
  Messages many;
  std::string expected;
  for (int i = 0; i < 1'000; ++i) {
    many.push_back(IntStat(5, i));
    expected += fmt::format("{}u=int {}", i == 0 ? "" : "; ", i);
  }
  for (int i = 0; i < 5; ++i) {
    Add(1, {StringStat(4, text)}, "t=string " + text);
    Add(0, many, expected);
    Add(2, {}, "");
  }
  ExpectAllDecoded();
}

TEST_F(Decoding, ExtremeNumbers) {
  for (int round = 0; round < 3; ++round) {
    for (const int64_t v :
         {std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
      Add(1, {IntStat(1, v), IntStat(2, v), UintStat(2, static_cast<uint64_t>(v))},
          fmt::format("correlation_id=int {}; scope_range_id=int {}; scope_range_id=uint {}", v, v,
                      static_cast<uint64_t>(v)));
    }
  }
  ExpectAllDecoded();
}

}  // namespace
}  // namespace gait::xplane
