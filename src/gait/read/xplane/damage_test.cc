// Files that are cut, changed or absurd: never a crash or a silent wrong number, and memory in proportion to
// the file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "gait/base/limits.h"
#include "gait/base/testing/compress.h"
#include "gait/base/testing/scratch_dir.h"
#include "gait/read/xplane/reader.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

using namespace testing_support;

// A small space with something of everything; the last field is a string of the space, so every cut loses
// something.
Message Everything() {
  PlaneWriter gpu("/device:GPU:0", 3);
  gpu.EventName(1, "kernel", {IntStat(1, 9)}, "shown").StatName(1, "correlation_id").StatName(2, "hlo_op");
  gpu.StatName(3, "text");
  Line stream{.id = 7, .name = "Stream #7(Compute)", .timestamp_ns = 5};
  for (int64_t i = 0; i < 6; ++i)
    stream.events.push_back(Event(1, i * 10, 8, {UintStat(1, 200), RefStat(2, 3)}));
  gpu.Line(stream).Stat(StringStat(2, "H200"));
  PlaneWriter host("/host:CPU");
  host.EventName(1, "call").StatName(1, "x").Line({.id = -4, .name = "python", .events = {Event(1, 0, 9)}});
  host.Line({.id = 2, .events = {CountedEvent(1, 4, 9, {DoubleStat(1, 0.5)})}});
  PlaneWriter metadata("/host:metadata");
  metadata.StatName(1, "Hlo Proto")
      .EventName(1, "jit_f(3)", {BytesStat(1, BytesField(1, BytesField(1, "jit_f")))});
  return Space({gpu.Finish(), host.Finish(), metadata.Finish()}, {.hostnames = {"vm"}});
}

// Touches everything that a report would.
void LookAtAll(const Trace& trace) {
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      ASSERT_LE(gait::testing_support::ArgsText(trace, event).size(), 100'000U);
      ASSERT_GE(track.duration(event.index), Ps(0));
      ASSERT_TRUE(!track.parent(event.index).valid() || track.parent(event.index).value < track.size());
      ASSERT_LT(track.lane(event.index), track.lanes());
      trace.instruction(trace.attribution(track.args(event.index)).instruction);
    }
  }
}

std::string Told(const Trace& trace) {
  std::string text;
  for (const Loss& loss : trace.losses())
    text += fmt::format("{} {} {}: {}\n", loss.count, Name(loss.kind), loss.place, loss.reason);
  return text;
}

TEST(Damage, CutAtEveryByte) {
  const Message whole = Everything();
  const auto full = ReadBytes(Bytes(whole), "whole");
  ASSERT_TRUE(full);
  size_t traces = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto trace = ReadBytes(Bytes(whole.substr(0, size)), "cut");
    if (!trace) {
      EXPECT_EQ(trace.error().kind, ErrorKind::kUnreadable);
      continue;
    }
    ++traces;
    LookAtAll(*trace);
    EXPECT_LE(trace->event_count(), full->event_count());
    // Between two fields of the space a file may end; anywhere else the reader notices.
    const bool border = trace->planes().size() < 3 || trace->environment().hostnames.empty();
    EXPECT_TRUE(border || !trace->losses().empty()) << "cut at " << size;
    if (trace->losses().size() <= full->losses().size()) {
      EXPECT_TRUE(border) << "cut at " << size;
    }
  }
  EXPECT_GT(traces, whole.size() * 9 / 10);
}

// One for where the cut is, one for the names that stood behind it.
TEST(Damage, ACutIsToldInTwoLines) {
  const Message whole = Everything();
  const size_t before = ReadBytes(Bytes(whole), "whole")->losses().size();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto trace = ReadBytes(Bytes(whole.substr(0, size)), "cut");
    if (!trace) continue;
    EXPECT_LE(trace->losses().size(), before + 2) << "cut at " << size << ":\n" << Told(*trace);
  }
}

TEST(Damage, TheCutOfALineIsToldThere) {
  PlaneWriter gpu("/device:GPU:0");
  gpu.Line({.id = 5, .events = Messages(4, Event(1, 0, 5, {IntStat(1, 2)}))});
  const Message whole = Space({gpu.Finish()});
  const auto trace = ReadBytes(Bytes(whole.substr(0, whole.size() - 3)), "cut");
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->losses().size(), 2U);
  EXPECT_EQ(trace->losses()[0],
            (Loss{LossKind::kUnresolved, "/device:GPU:0", "names and references lost to the cut", 6}));
  EXPECT_EQ(trace->losses()[1], (Loss{LossKind::kTruncated, "/device:GPU:0 line 5",
                                      "the file ends inside this line; what follows is missing", 1}));
}

TEST(Damage, TheCutOfACompressedFileIsToldOnce) {
  const Message whole =
      Space({PlaneWriter("/host:CPU").Finish(), PlaneWriter(std::string(200'000, 'x')).Finish()});
  const std::string packed = gait::testing_support::Zstd(whole);
  const auto trace = ReadBytes(Bytes(packed.substr(0, packed.size() - 1)), "cut");
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->losses().size(), 1U);
  EXPECT_EQ(trace->losses()[0].kind, LossKind::kTruncated);
  EXPECT_TRUE(trace->losses()[0].reason.starts_with("the zstd stream ends early"))
      << trace->losses()[0].reason;
}

TEST(Damage, EveryByteChanged) {
  const Message whole = Everything();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {0x01, 0x04, 0x80, 0xff}) {
      Message damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      if (const auto trace = ReadBytes(Bytes(damaged), "damaged")) LookAtAll(*trace);
    }
  }
}

TEST(Damage, RandomBytesInsertedAndRemoved) {
  const Message whole = Everything();
  std::mt19937 random(9);
  for (int round = 0; round < 5'000; ++round) {
    Message damaged = whole;
    for (int i = 0; i < 3; ++i) {
      const size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged.erase(at, random() % 8);
      } else {
        damaged.insert(at, random() % 8, static_cast<char>(random()));
      }
    }
    if (const auto trace = ReadBytes(Bytes(damaged), "damaged")) LookAtAll(*trace);
  }
}

TEST(Damage, GptCutAtFiftyPlacesGivesFiftyTraces) {
  const auto file = OpenFile(GAIT_TEST_DATA "/h200/gpt.xplane.pb.gz");
  ASSERT_TRUE(file);
  const std::string_view whole = file->bytes.view();
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const size_t size = 100 + random() % (whole.size() - 200);
    const auto trace = ReadBytes(Bytes(std::string(whole.substr(0, size))), "cut");
    ASSERT_TRUE(trace) << "cut at " << size << ": " << trace.error().what;
    EXPECT_FALSE(trace->losses().empty()) << "cut at " << size;
    EXPECT_LE(trace->losses().size(), 2U) << "cut at " << size << ":\n" << Told(*trace);
  }
}

TEST(Damage, AMillionPlanesAreCapped) {
  const Message plane = BytesField(1, BytesField(2, "/host:CPU"));
  Message space;
  for (int i = 0; i < 1'000'000; ++i) space += plane;
  const auto trace = ReadBytes(Bytes(std::move(space)), "planes");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->planes().size(), limits::kMaxPlanes);
  ASSERT_EQ(trace->losses().size(), 1U);
  EXPECT_EQ(trace->losses()[0].kind, LossKind::kCapped);
  EXPECT_EQ(trace->losses()[0].count, 1'000'000 - limits::kMaxPlanes);
}

TEST(Damage, TooManyLinesAreCapped) {
  Message plane = BytesField(2, "/host:CPU");
  const size_t lines = limits::kMaxTracks + 1'000;
  for (size_t i = 0; i < lines; ++i) plane += BytesField(3, VarintField(1, i));
  const auto trace = ReadBytes(Bytes(Space({plane})), "lines");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->tracks().size(), limits::kMaxTracks);
  ASSERT_EQ(trace->losses().size(), 1U);
  EXPECT_EQ(trace->losses()[0].count, 1'000U);
}

TEST(Damage, AMillionErrorsOfTheProfiler) {
  Message space = Space({PlaneWriter("/host:CPU").Finish()});
  for (int i = 0; i < 300'000; ++i) space += BytesField(2, fmt::format("error {}", i));
  const auto trace = ReadBytes(Bytes(std::move(space)), "errors");
  ASSERT_TRUE(trace);
  EXPECT_LE(trace->losses().size(), 2 * limits::kMaxLossPlaces + 1);
}

TEST(Damage, LengthsAndNumbersBeyondAllBounds) {
  const Message endless = "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";  // a plane of 2^64 - 1 bytes
  EXPECT_FALSE(ReadBytes(Bytes(endless), "x"));
  const Message plane = PlaneWriter("/host:CPU").Finish();
  for (const Message& bad :
       {endless, Message("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), Message("\x0f")}) {
    const auto trace = ReadBytes(Bytes(Space({plane}) + bad), "x");
    ASSERT_TRUE(trace);
    EXPECT_FALSE(trace->losses().empty());
  }
}

TEST(Damage, DeepNestingOfMessagesIsNoRecursion) {
  Message deep = "x";
  for (int i = 0; i < 2'000; ++i) deep = BytesField(1 + i % 6, deep);
  const Message plane = PlaneWriter("/host:CPU").Finish();
  const auto trace = ReadBytes(Bytes(Space({plane + deep, deep, plane}) + deep), "deep");
  ASSERT_TRUE(trace);
  LookAtAll(*trace);
}

TEST(Damage, ManyNamesInOneEventDoNotMultiply) {
  // A name with thousands of arguments, written into one event thousands of times.
  Messages shared(3'000, IntStat(1, 5));
  PlaneWriter plane("/host:CPU");
  plane.EventName(1, "name", shared).StatName(1, "x");
  Message event;
  for (int i = 0; i < 200'000; ++i) event += VarintField(1, 1);
  plane.Line({.events = {event}});
  const auto trace = ReadBytes(Bytes(Space({plane.Finish()})), "x");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->Args({TrackId(0), EventIndex(0)}).size(), 3'000U);
}

TEST(Damage, ALineOfNothingButDamage) {
  PlaneWriter plane("/host:CPU");
  plane.Line({.events = Messages(50'000, "\x0f")});
  const auto trace = ReadBytes(Bytes(Space({plane.Finish()})), "x");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->event_count(), 0U);
  EXPECT_FALSE(trace->losses().empty());
}

std::string WhatIsSaid(const std::string& path) {
  const auto trace = ReadFile(path);
  std::string said = trace ? "" : trace.error().hint;
  if (trace) {
    for (const Loss& loss : trace->losses()) said += loss.reason;
  }
  return said;
}

TEST(Damage, AYoungFileMayBeStillWritten) {
  const std::string whole = Everything();
  const gait::testing_support::ScratchDir dir;
  for (const std::string& content :
       {std::string(), std::string(100, '\0'), whole.substr(0, 3), whole.substr(0, whole.size() - 9)}) {
    const std::string path = dir.Write("vm.xplane.pb", content);
    EXPECT_NE(WhatIsSaid(path).find("changed seconds ago"), std::string::npos) << content.size();
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(WhatIsSaid(path).find("changed seconds ago"), std::string::npos) << content.size();
  }
}

}  // namespace
}  // namespace gait::xplane
