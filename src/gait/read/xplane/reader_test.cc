// The reader on small spaces: every quirk of the format, one by one.
#include "gait/read/xplane/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "gait/base/limits.h"
#include "gait/read/xplane/testing/space_writer.h"
#include "gait/trace/testing/same_trace.h"

namespace gait::xplane {
namespace {

using namespace testing_support;
using gait::testing_support::ArgsText;
using gait::testing_support::SameTrace;

constexpr int64_t kUnixNow = 1'700'000'000'000'000'000;

Trace Read(const Message& space) {
  Result<Trace> trace = ReadBytes(Bytes(space), "test");
  EXPECT_TRUE(trace) << trace.error().what;
  return trace ? std::move(*trace) : Trace();
}

uint64_t LossCount(const Trace& trace, LossKind kind, std::string_view reason) {
  uint64_t count = 0;
  for (const Loss& loss : trace.losses()) {
    if (loss.kind == kind && loss.reason.find(reason) != std::string::npos) count += loss.count;
  }
  return count;
}

EventRef At(size_t track, size_t event) { return {TrackId(track), EventIndex(event)}; }

std::string Names(const Trace& trace, size_t track) {
  std::string names;
  for (size_t i = 0; i < trace.tracks()[track].size(); ++i)
    names += std::string(trace.name(At(track, i))) + " ";
  return names;
}

// A host plane with the usual names: events 1 to 3 are a, b, c; arguments 1 to 3 are x, y, z.
PlaneWriter HostPlane() {
  PlaneWriter plane("/host:CPU");
  plane.EventName(1, "a").EventName(2, "b").EventName(3, "c");
  plane.StatName(1, "x").StatName(2, "y").StatName(3, "z");
  return plane;
}

TEST(Reader, TimesNamesAndTracks) {
  PlaneWriter plane = HostPlane();
  plane.Line(
      {.id = 5, .name = "python", .timestamp_ns = 1'000, .events = {Event(1, 7, 100), Event(2, 50, 0)}});
  plane.Line({.id = 6,
              .name = "pool",
              .timestamp_ns = 3,
              .events = {Event(3, 0, 1)},
              .display_id = 60,
              .display_name = "Pool"});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.tracks().size(), 2U);
  const Track& track = trace.tracks()[0];
  EXPECT_EQ(track.begin(EventIndex(0)), Ps(1'000'007));
  EXPECT_EQ(track.duration(EventIndex(0)), Ps(100));
  EXPECT_EQ(Names(trace, 0), "a b ");
  EXPECT_EQ(track.info().id, 5);
  EXPECT_EQ(track.info().display_id, 5);
  EXPECT_EQ(track.info().offset, Nanoseconds(1'000));
  EXPECT_EQ(track.info().kind, TrackKind::kThread);
  EXPECT_EQ(trace.text(trace.tracks()[1].info().display_name), "Pool");
  EXPECT_EQ(trace.tracks()[1].info().display_id, 60);
  EXPECT_EQ(trace.event_count(), 3U);
  EXPECT_TRUE(trace.losses().empty());
}

TEST(Reader, TablesBeforeOrAfterTheLinesAreTheSame) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 1, .events = {Event(1, 0, 5, {IntStat(1, 4), RefStat(2, 3)})}});
  std::string why;
  EXPECT_TRUE(SameTrace(Read(Space({plane.Finish(false)})), Read(Space({plane.Finish(true)})), &why)) << why;
}

TEST(Reader, EveryTypeOfArgument) {
  PlaneWriter plane = HostPlane();
  plane.Line(
      {.events = {Event(1, 0, 5,
                        {IntStat(1, -4), UintStat(2, ~uint64_t{0}), DoubleStat(3, 0.5), StringStat(1, "text"),
                         BytesStat(2, std::string("\0\xff", 2)), RefStat(3, 1)})}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(ArgsText(trace, At(0, 0)), std::string("x=int -4; y=uint 18446744073709551615; z=double 0.5 "
                                                   "(3fe0000000000000); x=string text; y=bytes ") +
                                           std::string("\0\xff", 2) + "; z=string x");
}

TEST(Reader, AnArgumentWithoutValueIsZero) {
  PlaneWriter plane = HostPlane();
  plane.Line({.events = {Event(1, 0, 5, {VarintField(1, 2)})}});
  EXPECT_EQ(ArgsText(Read(Space({plane.Finish()})), At(0, 0)), "y=int 0");
}

TEST(Reader, OfSeveralValuesTheLastCounts) {
  PlaneWriter plane = HostPlane();
  const Message id = VarintField(1, 1);
  plane.Line({.events = {Event(1, 0, 1, {id + BytesField(5, "text") + VarintField(4, 7)}),
                         Event(1, 1, 1, {id + VarintField(7, 2) + VarintField(3, 8)}),
                         Event(1, 2, 1, {id + VarintField(4, 7) + BytesField(5, "text")}),
                         Event(1, 3, 1, {id + BytesField(5, "text") + VarintField(7, 2)})}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(ArgsText(trace, At(0, 0)), "x=int 7");
  EXPECT_EQ(ArgsText(trace, At(0, 1)), "x=uint 8");
  EXPECT_EQ(ArgsText(trace, At(0, 2)), "x=string text");
  EXPECT_EQ(ArgsText(trace, At(0, 3)), "x=string y");
}

TEST(Reader, ArgumentsOfTheEventNameComeFirst) {
  PlaneWriter plane = HostPlane();
  plane.EventName(9, "op", {IntStat(1, 11), RefStat(2, 3)}, "shown");
  const Message id_last = VarintField(2, 9) + BytesField(4, IntStat(3, 5)) + VarintField(1, 9);
  plane.Line({.events = {Event(9, 0, 5, {IntStat(3, 4)}), id_last}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(ArgsText(trace, At(0, 0)), "display_name=string shown; x=int 11; y=string z; z=int 4");
  EXPECT_EQ(ArgsText(trace, At(0, 1)), "display_name=string shown; x=int 11; y=string z; z=int 5");
}

TEST(Reader, OneArgumentNameTwice) {
  PlaneWriter plane = HostPlane();
  plane.StatName(4, "x");  // and two ids with one name
  Line line;
  for (int64_t i = 0; i < 300; ++i) {
    line.events.push_back(Event(1, i, 1, {IntStat(1, i), IntStat(1, -i), IntStat(4, i * 3)}));
  }
  plane.Line(line);
  const Trace trace = Read(Space({plane.Finish()}));
  for (int64_t i = 0; i < 300; ++i) {
    const auto text = fmt::format("x=int {}; x=int {}; x=int {}", i, -i, i * 3);
    ASSERT_EQ(ArgsText(trace, At(0, static_cast<size_t>(i))), text);
  }
}

TEST(Reader, NegativeAndHugeLineIds) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = -9193903911241632456, .name = "n", .events = {Event(1, 0, 1)}});
  plane.Line({.id = int64_t{1} << 32, .name = "m", .events = {Event(2, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(trace.tracks()[0].info().id, -9193903911241632456);
  EXPECT_EQ(trace.tracks()[1].info().id, int64_t{1} << 32);
}

TEST(Reader, LinesWithOneIdAreOneTrackEachWithItsOwnStamp) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 5, .timestamp_ns = 10, .events = {Event(1, 0, 1)}});
  plane.Line({.id = 6, .events = {Event(3, 0, 1)}});
  plane.Line({.id = 5, .name = "late name", .timestamp_ns = 2, .events = {Event(2, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.tracks().size(), 2U);
  EXPECT_EQ(Names(trace, 0), "b a ");
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(0)), Nanoseconds(2));
  EXPECT_EQ(trace.text(trace.tracks()[0].info().name), "late name");
}

TEST(Reader, LinesOfTwoPlanesWithOneIdStayApart) {
  PlaneWriter other = HostPlane();
  other.Line({.id = 5, .events = {Event(2, 0, 1)}});
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 5, .events = {Event(1, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish(), other.Finish()}));
  ASSERT_EQ(trace.tracks().size(), 2U);
  EXPECT_EQ(trace.tracks()[1].info().plane, PlaneId(1));
}

TEST(Reader, PlanesOfOneNameAreOneDeviceWhereTheirProcessesAgree) {
  const auto plane = [](int64_t process, int64_t offset) {
    PlaneWriter gpu("/device:GPU:0");
    gpu.EventName(1, "a").StatName(1, "process_id").Stat(IntStat(1, process));
    return gpu.Line({.id = 5, .events = {Event(1, offset, 5)}}).Finish();
  };
  const Trace trace = Read(Space({plane(7, 0), plane(8, 1), plane(7, 2)}));
  ASSERT_EQ(trace.planes().size(), 2U);
  EXPECT_EQ(trace.event_count(), 3U);
  EXPECT_EQ(trace.tracks()[0].info().plane, trace.tracks()[2].info().plane);
}

TEST(Reader, AFileAppendedToItselfIsReadOnce) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 5, .events = {Event(1, 0, 5)}});
  const Trace trace = Read(Space({plane.Finish()}) + Space({plane.Finish()}));
  EXPECT_EQ(trace.event_count(), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kDropped, "once more"), 1U);
}

TEST(Reader, LinesAndMessagesBeyondTheirLimitsAreCounted) {
  constexpr uint64_t kMore = 7;
  Message plane = HostPlane().Finish();
  plane.reserve(plane.size() + 2 * (limits::kMaxLines + kMore));
  for (size_t i = 0; i < limits::kMaxLines + kMore; ++i) plane += BytesField(3, "");
  const Trace trace =
      Read(Space({plane}, {.errors = std::vector<std::string>(limits::kMaxMessages + kMore)}));
  EXPECT_EQ(LossCount(trace, LossKind::kCapped, "lines beyond"), kMore);
  EXPECT_EQ(LossCount(trace, LossKind::kCapped, "errors, warnings"), kMore);
  EXPECT_EQ(trace.environment().errors.size(), limits::kMaxMessages);
}

TEST(Reader, MissingIdsAreCounted) {
  PlaneWriter plane = HostPlane();
  Line line;
  for (int64_t i = 0; i < 10; ++i) {
    line.events.push_back(Event(77, i * 10, 5));
    line.events.push_back(Event(1, i * 10 + 5, 5, {IntStat(88, 1), RefStat(1, 99)}));
  }
  plane.Line(line);
  plane.Stat(StringStat(55, "lost")).Stat(RefStat(1, 66));
  plane.EventName(4, "named", {IntStat(44, 1)});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(trace.name(At(0, 0)), "event 77");
  EXPECT_EQ(ArgsText(trace, At(0, 1)), "stat 88=int 1; x=uint 99");
  EXPECT_EQ(ArgsText(trace, At(0, 19)), "stat 88=int 1; x=uint 99");
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "event name with an unknown id"), 10U);
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "argument name with an unknown id"), 10U);
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "argument value with an unknown string id"), 10U);
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "plane argument with an unknown id"), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "plane argument with an unknown string id"), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kUnresolved, "argument with an unknown id"), 2U);
}

TEST(Reader, UnknownFieldsAreSkippedEverywhere) {
  const Message unknown = VarintField(99, 5) + BytesField(98, "future") +
                          std::string(
                              "\x99\x06"
                              "12345678",
                              10);
  Line line{.events = {Event(1, 0, 5, {IntStat(1, 4) + unknown}) + unknown}};
  const Message with_line = HostPlane().Finish() + BytesField(3, line.Finish() + unknown) + unknown;
  const Trace trace = Read(Space({with_line}) + unknown);
  EXPECT_EQ(ArgsText(trace, At(0, 0)), "x=int 4");
  EXPECT_EQ(trace.name(At(0, 0)), "a");
  EXPECT_TRUE(trace.losses().empty());
}

TEST(Reader, FieldsOfAForeignTypeAreSkipped) {
  // Field 3 of a plane as a number is no line, field 1 of a space as a number no plane.
  const Message plane = HostPlane().Line({.id = 5, .events = {Event(1, 0, 5)}}).Finish() + VarintField(3, 1) +
                        VarintField(4, 1);
  const Trace trace = Read(Space({plane}) + VarintField(1, 7));
  EXPECT_EQ(trace.tracks().size(), 1U);
  EXPECT_EQ(trace.planes().size(), 1U);
  EXPECT_EQ(trace.name(At(0, 0)), "a");
}

TEST(Reader, TrailingZeroBytes) {
  PlaneWriter plane = HostPlane();
  plane.Line({.events = {Event(1, 0, 5)}});
  const Trace trace = Read(Space({plane.Finish()}) + std::string(1, '\0'));
  EXPECT_EQ(trace.event_count(), 1U);
  EXPECT_TRUE(trace.losses().empty());
}

TEST(Reader, UnixStampsAreTakenBackToTheSession) {
  PlaneWriter task("Task Environment");
  task.StatName(1, "profile_start_time").Stat(UintStat(1, kUnixNow));
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 1, .timestamp_ns = kUnixNow + 500, .events = {Event(1, 0, 1)}});
  plane.Line({.id = 2, .timestamp_ns = 700, .events = {Event(1, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish(), task.Finish()}));
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(0)), Nanoseconds(500));
  EXPECT_EQ(trace.tracks()[1].begin(EventIndex(0)), Nanoseconds(700));
}

TEST(Reader, WithoutASessionStartUnixStampsCountFromTheFirstLine) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 1, .timestamp_ns = kUnixNow + 500, .events = {Event(1, 7, 1)}});
  plane.Line({.id = 2, .timestamp_ns = kUnixNow, .events = {Event(1, 0, 1)}});
  plane.Line({.id = 3, .timestamp_ns = 700, .events = {Event(1, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(trace.environment().start_unix_ns, kUnixNow);
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(0)), Nanoseconds(500) + Ps(7));
  EXPECT_EQ(trace.tracks()[1].begin(EventIndex(0)), Ps(0));
  EXPECT_EQ(trace.tracks()[2].begin(EventIndex(0)), Nanoseconds(700));
  ASSERT_EQ(trace.losses().size(), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kRepaired, "no session start in the file"), 1U);
}

TEST(Reader, RelativeStampsNeedNoSessionStart) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 3, .timestamp_ns = 700, .events = {Event(1, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(trace.environment().start_unix_ns, std::nullopt);
  EXPECT_TRUE(trace.losses().empty());
}

TEST(Reader, AnAbsurdStartOfTheSessionDoesNotOverflow) {
  PlaneWriter task("Task Environment");
  task.StatName(1, "profile_start_time").Stat(IntStat(1, std::numeric_limits<int64_t>::min()));
  PlaneWriter plane = HostPlane();
  plane.Line({.timestamp_ns = kUnixNow, .events = {Event(1, 0, 1)}});
  const Trace trace = Read(Space({plane.Finish(), task.Finish()}));
  EXPECT_EQ(trace.event_count(), 1U);
}

TEST(Reader, AbsurdTimesAreClampedAndCounted) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  PlaneWriter plane = HostPlane();
  plane.Line({.timestamp_ns = kLargest, .events = {Event(1, kLargest, 1), Event(1, -kLargest, kLargest)}});
  plane.Line({.id = 2, .timestamp_ns = -kLargest, .events = {Event(1, 0, -1), Event(1, 5, -kLargest)}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(trace.event_count(), 3U);
  EXPECT_GE(LossCount(trace, LossKind::kRepaired, "time beyond the range"), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kDropped, "before the capture's beginning"), 1U);
  EXPECT_EQ(LossCount(trace, LossKind::kRepaired, "negative duration"), 2U);
  EXPECT_LE(trace.span().end, kMaxTime + kMaxTime);
  EXPECT_GE(trace.span().begin, Ps(0));
}

TEST(Reader, ALineWithAStampBelowZeroCountsFromTheBeginningAndIsALoss) {
  PlaneWriter plane = HostPlane();
  plane.Line({.timestamp_ns = -1, .events = {Event(1, 0, 5), Event(1, 7'000, 5)}});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.event_count(), 2U);
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(0)), Ps(0));
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(1)), Ps(7'000));
  EXPECT_EQ(LossCount(trace, LossKind::kRepaired, "time stamp below 0"), 1U);
}

TEST(Reader, ASessionThatBeginsBehindAllItsLinesIsALoss) {
  PlaneWriter task("Task Environment");
  task.StatName(1, "profile_start_time").Stat(IntStat(1, kUnixNow + 1'000'000));
  PlaneWriter plane = HostPlane();
  plane.Line({.timestamp_ns = kUnixNow, .events = {Event(1, 3, 1)}});
  const Trace trace = Read(Space({plane.Finish(), task.Finish()}));
  ASSERT_EQ(trace.event_count(), 1U);
  EXPECT_EQ(trace.tracks()[0].begin(EventIndex(0)), Ps(3));
  EXPECT_EQ(LossCount(trace, LossKind::kRepaired, "start lies behind all lines"), 1U);
}

TEST(Reader, ArgumentsOfAnEventThatIsDroppedAreNotThoseOfTheNext) {
  PlaneWriter plane = HostPlane();
  plane.Line({.events = {Event(1, 1, 1, {IntStat(1, 5)}), Event(2, -9, 1, {IntStat(1, 6)}),
                         Event(2, 9, 1, {IntStat(1, 6)})}});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.event_count(), 2U);
  const auto args = trace.Args({TrackId(0), EventIndex(1)});
  ASSERT_EQ(args.size(), 1U);
  EXPECT_EQ(args[0].value.integer(), 6);
}

TEST(Reader, EventsOutOfOrderAreSortedAndCounted) {
  PlaneWriter plane = HostPlane();
  plane.Line(
      {.events = {Event(2, 50, 1, {IntStat(1, 2)}), Event(1, 10, 1, {IntStat(1, 1)}), Event(3, 60, 1)}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(Names(trace, 0), "a b c ");
  EXPECT_EQ(ArgsText(trace, At(0, 0)), "x=int 1");
  EXPECT_EQ(LossCount(trace, LossKind::kRepaired, "out of order"), 1U);
}

TEST(Reader, CountedEventsGetATrackOfTheirOwn) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 4,
              .name = "counts",
              .events = {CountedEvent(1, 12, 500, {IntStat(1, 3)}), CountedEvent(2, 1, 5)}});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.tracks().size(), 1U);
  EXPECT_EQ(trace.tracks()[0].info().kind, TrackKind::kAggregated);
  EXPECT_EQ(trace.tracks()[0].duration(EventIndex(0)), Ps(500));
  EXPECT_EQ(ArgsText(trace, At(0, 0)), "x=int 3; num_occurrences=int 12");
  EXPECT_TRUE(trace.span().empty());
}

TEST(Reader, CountedAndTimedEventsOnOneLine) {
  PlaneWriter plane = HostPlane();
  plane.Line({.id = 4, .timestamp_ns = 5, .events = {CountedEvent(1, 12, 500), Event(2, 7, 5)}});
  plane.Line({.id = 5, .timestamp_ns = 5, .events = {Event(2, 7, 5), CountedEvent(1, 12, 500)}});
  const Trace trace = Read(Space({plane.Finish()}));
  ASSERT_EQ(trace.tracks().size(), 4U);
  for (const size_t timed : {0, 2}) {
    EXPECT_NE(trace.tracks()[timed].info().kind, TrackKind::kAggregated);
    EXPECT_EQ(Names(trace, timed), "b ");
    EXPECT_EQ(trace.tracks()[timed + 1].info().kind, TrackKind::kAggregated);
    EXPECT_EQ(ArgsText(trace, At(timed + 1, 0)), "num_occurrences=int 12");
  }
}

TEST(Reader, AnUnreadableEventIsCountedAndTheNextOnesAreRead) {
  PlaneWriter plane = HostPlane();
  const Message bad_stat = VarintField(1, 1) + BytesField(4, "\xff\xff");
  plane.Line(
      {.events = {Event(1, 0, 1, {IntStat(1, 1)}), "\x0f", bad_stat, Event(2, 5, 1, {IntStat(1, 2)})}});
  const Trace trace = Read(Space({plane.Finish()}));
  EXPECT_EQ(Names(trace, 0), "a b ");
  EXPECT_EQ(ArgsText(trace, At(0, 1)), "x=int 2");
  EXPECT_EQ(LossCount(trace, LossKind::kDropped, "unreadable event"), 2U);
}

TEST(Reader, LossesOfALineWithoutNameGiveItsId) {
  PlaneWriter gpu("/device:GPU:0");
  gpu.Line({.id = 5, .events = {Event(77, 0, 1)}});
  PlaneWriter nameless("", 3);
  nameless.Line({.id = 6, .events = {Event(77, 0, 1)}});
  const Trace trace = Read(Space({gpu.Finish(), nameless.Finish()}));
  ASSERT_EQ(trace.losses().size(), 2U);
  EXPECT_EQ(trace.losses()[0].place, "/device:GPU:0 line 5");
  EXPECT_EQ(trace.losses()[1].place, "plane 3 line 6");
}

TEST(Reader, StreamsLieInLanesAndThreadsNest) {
  PlaneWriter gpu("/device:GPU:0");
  gpu.EventName(1, "k");
  gpu.Line({.id = 14, .name = "Stream #14(Compute)", .events = {Event(1, 0, 100), Event(1, 50, 20)}});
  PlaneWriter host = HostPlane();
  host.Line({.id = 1, .events = {Event(1, 0, 100), Event(2, 50, 20)}});
  const Trace trace = Read(Space({gpu.Finish(), host.Finish()}));
  EXPECT_FALSE(trace.tracks()[0].parent(EventIndex(1)).valid());
  EXPECT_EQ(trace.tracks()[0].lane(EventIndex(1)), 1U);
  EXPECT_EQ(trace.tracks()[1].parent(EventIndex(1)), EventIndex(0));
}

TEST(Reader, TheTreeOfScopes) {
  constexpr int64_t kFirst = (int64_t{1} << 48) + 1;
  PlaneWriter scopes("/host:__ScopeRangeCallStack__");
  scopes.StatName(kFirst + 5, "process_id").StatName(kFirst + 1, "");
  scopes.Stat(IntStat(kFirst + 1, kFirst))
      .Stat(IntStat(kFirst + 2, kFirst + 1))
      .Stat(IntStat(kFirst + 5, 77));
  const Trace trace = Read(Space({scopes.Finish()}));
  EXPECT_EQ(trace.scope_parent(kFirst + 2), kFirst + 1);
  EXPECT_EQ(trace.scope_parent(kFirst + 1), kFirst);
  EXPECT_EQ(trace.scope_parent(kFirst + 5), std::nullopt);
  EXPECT_EQ(trace.planes()[0].process_id, 77);
  EXPECT_TRUE(trace.losses().empty());
}

TEST(Reader, AFileThatIsSomethingElseIsAnError) {
  for (const Message& content : {Message(), Message("<html>"), Message("\x0a\x00", 2), Message(40, '\xff')}) {
    const auto trace = ReadBytes(Bytes(content), "test");
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().kind, ErrorKind::kUnreadable);
  }
}

TEST(Reader, ProgressRisesToOne) {
  PlaneWriter plane = HostPlane();
  for (int64_t i = 0; i < 20; ++i) plane.Line({.id = i, .events = Messages(50, Event(1, 0, 1))});
  double last = 0;
  const auto report = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  ASSERT_TRUE(ReadBytes(Bytes(Space({plane.Finish()})), "test", {.threads = 4, .progress = report}));
  EXPECT_DOUBLE_EQ(last, 1.0);
}

// A folder with a capture and a program beside it, as XProf leaves them.
class ProgramsBeside : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gait_beside_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const Message parameter = BytesField(1, "p") + BytesField(2, "parameter") + VarintField(35, 1);
    const Message computation =
        BytesField(1, "main") + BytesField(2, parameter) + VarintField(5, 1) + VarintField(6, 1);
    const Message module = BytesField(1, "jit_f") + BytesField(3, computation) + VarintField(6, 1);
    Write("vm.xplane.pb", Space({HostPlane().Finish()}));
    Write("jit_f(42).hlo_proto.pb", BytesField(1, module));
    Write("jit_g(14695981039346656037).hlo_proto.pb", BytesField(1, module));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  std::filesystem::path folder_;
};

TEST_F(ProgramsBeside, AreReadAlong) {
  const auto trace = ReadFile((folder_ / "vm.xplane.pb").string());
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->programs().size(), 2U);
  EXPECT_NE(trace->FindProgram(42), nullptr);
  ASSERT_NE(trace->FindProgram(14695981039346656037U), nullptr);
  EXPECT_EQ(trace->FindProgram(14695981039346656037U)->id, 14695981039346656037U);
}

TEST_F(ProgramsBeside, AlsoForABareFileName) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  const auto trace = ReadFile("vm.xplane.pb");
  std::filesystem::current_path(before);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->programs().size(), 2U);
}

TEST_F(ProgramsBeside, OnlyFilesAreOpened) {
  ASSERT_EQ(mkfifo((folder_ / "jit_h(7).hlo_proto.pb").c_str(), 0600), 0);
  const auto trace = ReadFile((folder_ / "vm.xplane.pb").string());
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->programs().size(), 2U);
  EXPECT_TRUE(trace->losses().empty());
}

TEST_F(ProgramsBeside, AnEmptyFileIsNoProgramThatWasLost) {
  Write("NO_MODULE.hlo_proto.pb", "");
  const auto trace = ReadFile((folder_ / "vm.xplane.pb").string());
  ASSERT_TRUE(trace);
  EXPECT_TRUE(trace->losses().empty());
}

TEST(Reader, AnEndlessInputThatIsNoProfileIsRefusedByItsHead) {
  const auto zeros = ReadFile("/dev/zero");
  ASSERT_FALSE(zeros);
  EXPECT_NE(zeros.error().what.find("nothing but zero bytes"), std::string::npos);
}

TEST_F(ProgramsBeside, AFileThatIsShortenedWhileItIsReadIsALoss) {
  const std::filesystem::path file = folder_ / "vm.xplane.pb";
  PlaneWriter plane = HostPlane();
  for (int64_t id = 0; id < 8; ++id)
    plane.Line({.id = id, .events = Messages(10'000, Event(1, 5, 7, {IntStat(1, 3)}))});
  Write("vm.xplane.pb", Space({plane.Finish(true)}));
  std::filesystem::last_write_time(file,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const auto shorten = [&](double) { std::filesystem::resize_file(file, 16'384); };
  const auto trace = ReadFile(file.string(), {.threads = 1, .progress = shorten});
  ASSERT_TRUE(trace);
  EXPECT_GE(trace->event_count(), 10'000U);
  EXPECT_LT(trace->event_count(), 80'000U);
  EXPECT_EQ(LossCount(*trace, LossKind::kTruncated, "written to while it was read"), 1U);
}

}  // namespace
}  // namespace gait::xplane
