#include "gait/capture/remote/address.h"

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

Address Parsed(std::string_view text) {
  const Result<Address> address = ParseAddress(text);
  EXPECT_TRUE(address.has_value()) << text << ": " << address.error().what;
  return address.value_or(Address{});
}

TEST(Address, IsHostAndPort) {
  EXPECT_EQ(Parsed("tpu-3:9012"), (Address{"tpu-3", 9012}));
  EXPECT_EQ(Parsed("10.0.0.7:1"), (Address{"10.0.0.7", 1}));
  EXPECT_EQ(Parsed("[::1]:65535"), (Address{"::1", 65535}));
  EXPECT_EQ(Parsed("[fe80::1%eth0]:9012"), (Address{"fe80::1%eth0", 9012}));
}

TEST(Address, WithoutHostIsThisMachine) {
  EXPECT_EQ(Parsed(":9012"), (Address{"localhost", 9012}));
  EXPECT_EQ(Parsed("9012"), (Address{"localhost", 9012}));
}

TEST(Address, TextReadsBack) {
  for (const char* text : {"tpu-3:9012", "[::1]:9012", "10.0.0.7:1"}) EXPECT_EQ(Parsed(text).Text(), text);
}

TEST(Address, RefusesOtherThings) {
  for (const char* text : {"", ":", "tpu-3", "tpu-3:", "tpu-3:x", "tpu-3:0", "tpu-3:65536", "tpu-3:9012x",
                           "::1:9012", "[::1]", "[::1]9012", "[::1:9012", "[]:9012", "[a b]:9012", "a b:9012",
                           "a/b:1", "grpc://tpu-3:9012", "tpu-3:-1", "tpu-3:99999999999"}) {
    const Result<Address> address = ParseAddress(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error().kind, ErrorKind::kUsage) << text;
  }
}

TEST(Addresses, AreSeparatedByCommas) {
  const auto addresses = ParseAddresses("a:1, b:2,[::1]:3");
  ASSERT_TRUE(addresses.has_value());
  EXPECT_EQ(*addresses, (std::vector<Address>{{"a", 1}, {"b", 2}, {"::1", 3}}));
}

TEST(Addresses, RefuseGapsAndTheSameTwice) {
  EXPECT_FALSE(ParseAddresses("").has_value());
  EXPECT_FALSE(ParseAddresses("a:1,").has_value());
  EXPECT_FALSE(ParseAddresses("a:1,,b:2").has_value());
  const auto twice = ParseAddresses("9012,localhost:9012");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().what, "localhost:9012 is named twice.");
}

TEST(FileNames, AreAllDifferentAndFitAFolder) {
  EXPECT_EQ(FileNames({{"tpu-3", 9012}, {"::1", 9012}, {"__1", 9012}}),
            (std::vector<std::string>{"tpu-3_9012.xplane.pb", "__1_9012.xplane.pb", "__1_9012_2.xplane.pb"}));
}

}  // namespace
}  // namespace gait::capture::remote
