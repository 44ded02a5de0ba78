#include "gait/trace/args.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace gait {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

ArgEntry Constant(uint32_t key, ArgValue value) { return {StringId(key), value.type, false, value.bits}; }

// Writes a value into a column and reads it back.
ArgValue ThroughColumn(ArgValue value, uint64_t base, size_t* size = nullptr) {
  std::vector<uint8_t> column;
  AppendValue(column, value, base);
  if (size) *size = column.size();
  const ArgEntry entry{StringId(1), value.type, true, base};
  const uint8_t* at = column.data();
  const ArgValue read = ReadValue(at, entry);
  EXPECT_EQ(at, column.data() + column.size());
  return read;
}

TEST(ValueColumn, KeepsEveryValueWithEveryBase) {
  const ArgValue values[] = {ArgValue::Int(0),
                             ArgValue::Int(-1),
                             ArgValue::Int(63),
                             ArgValue::Int(-64),
                             ArgValue::Int(64),
                             ArgValue::Int(kLargest),
                             ArgValue::Int(kSmallest),
                             ArgValue::Uint(0),
                             ArgValue::Uint(127),
                             ArgValue::Uint(128),
                             ArgValue::Uint(std::numeric_limits<uint64_t>::max()),
                             ArgValue::Double(0.0),
                             ArgValue::Double(-0.0),
                             ArgValue::Double(std::numeric_limits<double>::quiet_NaN()),
                             ArgValue::Double(std::numeric_limits<double>::infinity()),
                             ArgValue::Double(std::numeric_limits<double>::denorm_min()),
                             ArgValue::String(StringId(12345)),
                             ArgValue::RawBytes(StringId(0))};
  for (const ArgValue value : values) {
    for (const uint64_t base : {uint64_t{0}, uint64_t{1} << 48, std::numeric_limits<uint64_t>::max()}) {
      EXPECT_EQ(ThroughColumn(value, base), value) << value.bits << " less " << base;
    }
  }
}

TEST(ValueColumn, SmallDifferencesAreShort) {
  size_t size = 0;
  ThroughColumn(ArgValue::Int((int64_t{1} << 48) + 20), uint64_t{1} << 48, &size);
  EXPECT_EQ(size, 1U);
  ThroughColumn(ArgValue::Int(-3), 0, &size);
  EXPECT_EQ(size, 1U);
  ThroughColumn(ArgValue::Uint(300), 0, &size);
  EXPECT_EQ(size, 2U);
  ThroughColumn(ArgValue::Uint(std::numeric_limits<uint64_t>::max()), 0, &size);
  EXPECT_EQ(size, 10U);
}

TEST(ValueColumn, ValuesStandInARow) {
  std::vector<uint8_t> column;
  std::vector<ArgValue> values;
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t bits = random() >> (random() % 64);
    values.push_back({static_cast<ArgType>(random() % 5), bits});
    AppendValue(column, values.back(), 7);
  }
  const uint8_t* at = column.data();
  for (const ArgValue value : values) ASSERT_EQ(ReadValue(at, {StringId(1), value.type, true, 7}), value);
  EXPECT_EQ(at, column.data() + column.size());
}

TEST(ValueColumn, AConstantTakesNothingFromIt) {
  const uint8_t* at = nullptr;
  EXPECT_EQ(ReadValue(at, Constant(1, ArgValue::Int(-9))), ArgValue::Int(-9));
  EXPECT_EQ(at, nullptr);
}

TEST(ArgPool, TheEmptySetIsZero) {
  ArgPool pool;
  EXPECT_EQ(pool.Intern({}), kNoArgs);
  EXPECT_TRUE(pool[kNoArgs].empty());
}

TEST(ArgPool, EqualSetsAreOneAndEveryPartCounts) {
  ArgPool pool;
  const std::vector<ArgEntry> set{Constant(1, ArgValue::Int(5)), Constant(2, ArgValue::Uint(6))};
  const ArgSetId id = pool.Intern(set);
  EXPECT_EQ(pool.Intern(std::vector(set)), id);
  const auto differs = [&](auto change) {
    std::vector<ArgEntry> other = set;
    change(other);
    EXPECT_NE(pool.Intern(other), id);
  };
  differs([](auto& s) { s[0].key = StringId(3); });
  differs([](auto& s) { s[0].type = ArgType::kUint; });
  differs([](auto& s) { s[0].varying = true; });
  differs([](auto& s) { s[0].bits = 7; });
  differs([](auto& s) { std::swap(s[0], s[1]); });
  differs([](auto& s) { s.pop_back(); });
  differs([](auto& s) { s.push_back(s.back()); });
  EXPECT_EQ(pool.size(), 9U);
}

TEST(ArgPool, ThousandsOfSetsKeepTheirContent) {
  ArgPool pool;
  std::vector<ArgSetId> ids;
  for (int64_t i = 0; i < 5'000; ++i) {
    ids.push_back(pool.Intern(std::vector{Constant(1, ArgValue::Int(i)), Constant(2, ArgValue::Int(-i))}));
  }
  for (int64_t i = 0; i < 5'000; ++i) {
    const auto set = pool[ids[static_cast<size_t>(i)]];
    ASSERT_EQ(set.size(), 2U);
    ASSERT_EQ(set[0].bits, static_cast<uint64_t>(i));
    ASSERT_EQ(set[1].bits, static_cast<uint64_t>(-i));
  }
}

TEST(ArgValue, NumbersWhateverTheirType) {
  EXPECT_EQ(ArgValue::Int(-3).integer(), -3);
  EXPECT_EQ(ArgValue::Int(-3).number(), -3.0);
  EXPECT_EQ(ArgValue::Uint(3).integer(), 3);
  EXPECT_EQ(ArgValue::Uint(std::numeric_limits<uint64_t>::max()).number(), 0x1p64);
  EXPECT_EQ(ArgValue::Double(4.0).integer(), 4);
  EXPECT_EQ(ArgValue::Double(4.5).integer(), std::nullopt);
  EXPECT_EQ(ArgValue::Double(4.5).number(), 4.5);
  EXPECT_EQ(ArgValue::String(StringId(1)).integer(), std::nullopt);
  EXPECT_EQ(ArgValue::String(StringId(1)).number(), std::nullopt);
}

TEST(ArgValue, DoublesOutsideTheIntegersAreNoIntegers) {
  EXPECT_EQ(ArgValue::Double(0x1p63).integer(), std::nullopt);
  EXPECT_EQ(ArgValue::Double(-0x1p63).integer(), kSmallest);
  EXPECT_EQ(ArgValue::Double(-0x1.1p63).integer(), std::nullopt);
  EXPECT_EQ(ArgValue::Double(std::numeric_limits<double>::infinity()).integer(), std::nullopt);
  EXPECT_EQ(ArgValue::Double(std::nan("")).integer(), std::nullopt);
}

TEST(ArgValue, ALargeUnsignedNumberKeepsItsPattern) {
  // Flow ids are 64-bit patterns: one writer calls them signed, the next unsigned.
  EXPECT_EQ(ArgValue::Uint(std::numeric_limits<uint64_t>::max()).integer(), -1);
}

}  // namespace
}  // namespace gait
