#include "gait/read/pprof/reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gait::pprof {
namespace {

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Int(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Bytes(uint32_t field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

constexpr const char* kStrings[] = {"",       "allocations", "count",  "space", "bytes", "kind",
                                    "buffer", "device",      "cuda:0", "make",  "a.py",  "main"};

// Two frames, one sample of them; samples stand before the tables, as JAX writes them.
std::string Profile(const std::string& values, const std::string& stack) {
  std::string message = Bytes(1, Int(1, 1) + Int(2, 2)) + Bytes(1, Int(1, 3) + Int(2, 4));
  message += Bytes(2, stack + values + Bytes(3, Int(1, 5) + Int(2, 6)) + Bytes(3, Int(1, 7) + Int(2, 8)));
  message += Bytes(4, Int(1, 1) + Bytes(4, Int(1, 1) + Int(2, 33)));
  message += Bytes(4, Int(1, 2) + Bytes(4, Int(1, 2) + Int(2, 44)));
  message += Bytes(5, Int(1, 1) + Int(2, 9) + Int(4, 10)) + Bytes(5, Int(1, 2) + Int(2, 11) + Int(4, 10));
  for (const char* text : kStrings) message += Bytes(6, text);
  return message;
}

TEST(Pprof, PackedAndUnpacked) {
  for (const std::string& message :
       {Profile(Int(2, 3) + Int(2, 600), Int(1, 1) + Int(1, 2)),
        Profile(Bytes(2, Varint(3) + Varint(600)), Bytes(1, Varint(1) + Varint(2)))}) {
    const auto profile = ReadProfile(message, "x.prof");
    ASSERT_TRUE(profile.has_value());
    ASSERT_EQ(profile->samples.size(), 1u);
    const HeapSample& sample = profile->samples[0];
    EXPECT_EQ(sample.count, 3);
    EXPECT_EQ(sample.bytes, 600);
    EXPECT_EQ(sample.kind, "buffer");
    EXPECT_EQ(sample.device, "cuda:0");
    ASSERT_EQ(sample.stack.size(), 2u);
    EXPECT_EQ(profile->frames[sample.stack[0]], (HeapFrame{"make", "a.py", 33}));
    EXPECT_EQ(profile->frames[sample.stack[1]], (HeapFrame{"main", "a.py", 44}));
    EXPECT_TRUE(profile->losses.empty());
  }
}

TEST(Pprof, ANegativeSizeIsUnknown) {
  const auto profile = ReadProfile(Profile(Int(2, 1) + Int(2, ~uint64_t{0}), ""), "x.prof");
  EXPECT_FALSE(profile->samples[0].bytes.has_value());
  EXPECT_TRUE(profile->samples[0].stack.empty());
}

TEST(Pprof, WhatIsNoMemoryProfileIsSaid) {
  EXPECT_FALSE(ReadProfile("", "x.prof").has_value());
  EXPECT_FALSE(ReadProfile("hello world", "x.prof").has_value());
  const std::string cpu =
      Bytes(1, Int(1, 1) + Int(2, 2)) + Bytes(6, "") + Bytes(6, "cpu") + Bytes(6, "nanoseconds");
  const auto error = ReadProfile(cpu, "x.prof");
  ASSERT_FALSE(error.has_value());
  EXPECT_NE(error.error().what.find("not in bytes"), std::string::npos);
}

TEST(Pprof, ReferencesToNothingAreLosses) {
  const auto profile = ReadProfile(Profile(Int(2, 1) + Int(2, 5), Int(1, 77)), "x.prof");
  ASSERT_EQ(profile->samples[0].stack.size(), 1u);
  EXPECT_FALSE(profile->losses.empty());
}

TEST(Pprof, DamageNeverCrashes) {
  const std::string whole = Profile(Int(2, 3) + Int(2, 600), Int(1, 1) + Int(1, 2));
  for (size_t cut = 0; cut < whole.size(); ++cut) (void)ReadProfile(whole.substr(0, cut), "x.prof");
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)ReadProfile(damaged, "x.prof");
  }
}

}  // namespace
}  // namespace gait::pprof
