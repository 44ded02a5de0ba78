#include "gait/capture/remote/messages.h"

#include <map>

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "gait/base/wire.h"

namespace gait::capture::remote {
namespace {

// The fields of a message by number; the last one of each.
struct Fields {
  std::map<uint32_t, int64_t> numbers;
  std::map<uint32_t, std::string_view> texts;

  explicit Fields(std::string_view bytes) {
    FieldWalker walker(bytes);
    while (walker.Next()) {
      if (walker.is_bytes()) {
        texts[walker.number()] = walker.bytes();
      } else {
        numbers[walker.number()] = walker.integer();
      }
    }
    EXPECT_EQ(walker.trouble(), "");
  }
};

TEST(ProfileRequest, AsksForTheCaptureInTheReply) {
  const std::string bytes = ProfileRequest("s1", 2000, {});
  const Fields request(bytes);
  EXPECT_EQ(request.numbers.at(1), 2000);
  EXPECT_EQ(request.numbers.at(9), 1);
  EXPECT_EQ(request.texts.at(6), "s1");
  const Fields options(request.texts.at(4));
  EXPECT_EQ(options.numbers.at(5), 1);     // version: 0 would mean defaults
  EXPECT_EQ(options.numbers.at(9), 2000);  // what the server waits for
  EXPECT_EQ(options.numbers.at(2), 2);
  EXPECT_EQ(options.numbers.at(3), 1);
  EXPECT_EQ(options.numbers.at(4), 0);
}

TEST(ProfileRequest, CarriesTheOptions) {
  const TracerOptions tracers{
      .host = 3, .device = 0, .python = true, .advanced = {{"a_key", int64_t{70'000}}}};
  const std::string bytes = ProfileRequest("s", 1, tracers);
  const Fields request(bytes);
  const Fields options(request.texts.at(4));
  EXPECT_EQ(options.numbers.at(2), 3);
  EXPECT_EQ(options.numbers.at(3), 0);
  EXPECT_EQ(options.numbers.at(4), 1);
  const Fields entry(options.texts.at(12));
  EXPECT_EQ(entry.texts.at(1), "a_key");
  EXPECT_EQ(Fields(entry.texts.at(2)).numbers.at(3), 70'000);
}

TEST(TerminateRequest, NamesTheSession) {
  const std::string bytes = TerminateRequest("s1");
  EXPECT_EQ(Fields(bytes).texts.at(1), "s1");
}

TEST(CaptureOfReply, FindsTheBytes) {
  std::string reply;
  protozero::pbf_writer writer(reply);
  writer.add_bool(7, false);
  writer.add_string(8, "a capture");
  EXPECT_EQ(CaptureOfReply(reply).value(), "a capture");
}

TEST(CaptureOfReply, IsEmptyWithoutOne) {
  EXPECT_EQ(CaptureOfReply("").value(), "");
  std::string reply;
  protozero::pbf_writer(reply).add_bool(7, true);
  EXPECT_EQ(CaptureOfReply(reply).value(), "");
}

TEST(CaptureOfReply, RefusesDamage) {
  std::string reply;
  protozero::pbf_writer(reply).add_string(8, "a capture");
  for (size_t size = 1; size < reply.size(); ++size) {
    EXPECT_FALSE(CaptureOfReply(std::string_view(reply).substr(0, size)).has_value()) << size;
  }
}

TEST(MayBeCapture, FieldsOfAnXSpaceFromFirstToLast) {
  const std::string plane("\x0a\x03\x12\x01x", 5);
  EXPECT_TRUE(MayBeCapture(plane));
  EXPECT_TRUE(MayBeCapture(plane + std::string("\x22\x02vm", 4)));
  EXPECT_FALSE(MayBeCapture(""));
  EXPECT_FALSE(MayBeCapture(std::string(8000, 'x')));
  EXPECT_FALSE(MayBeCapture("<html><body>busy</body></html>"));
  EXPECT_FALSE(MayBeCapture(plane + "\x0a\x7f"));
}

}  // namespace
}  // namespace gait::capture::remote
