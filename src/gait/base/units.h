// Ps: a time or a duration in integer picoseconds. 2^62 ps are 53 days; readers clamp what they take from
// files to ±kMaxTime (units.h: ClampedSum), so sums of two times never overflow.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

namespace gait {

__extension__ typedef __int128 Int128;  // a GNU extension that both compilers have

class Ps {
 public:
  constexpr Ps() = default;
  constexpr explicit Ps(int64_t picoseconds) : value_(picoseconds) {}

  constexpr int64_t value() const { return value_; }
  constexpr double milliseconds() const { return static_cast<double>(value_) * 1e-9; }
  constexpr double seconds() const { return static_cast<double>(value_) * 1e-12; }

  friend constexpr auto operator<=>(Ps, Ps) = default;
  // Sums, differences and products end at the limits: a capture may claim times that none of them can hold.
  friend constexpr Ps operator+(Ps a, Ps b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a.value_, b.value_, &sum) ? Limit(b.value_ < 0) : Ps(sum);
  }
  friend constexpr Ps operator-(Ps a, Ps b) {
    int64_t difference = 0;
    return __builtin_sub_overflow(a.value_, b.value_, &difference) ? Limit(b.value_ > 0) : Ps(difference);
  }
  friend constexpr Ps operator-(Ps a) { return Ps() - a; }
  friend constexpr Ps operator*(Ps a, int64_t n) {
    int64_t product = 0;
    return __builtin_mul_overflow(a.value_, n, &product) ? Limit((a.value_ < 0) != (n < 0)) : Ps(product);
  }
  friend constexpr Ps operator/(Ps a, int64_t n) { return Ps(a.value_ / n); }
  constexpr Ps& operator+=(Ps b) { return *this = *this + b; }
  constexpr Ps& operator-=(Ps b) { return *this = *this - b; }

 private:
  static constexpr Ps Limit(bool least) {
    return Ps(least ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max());
  }

  int64_t value_ = 0;
};

inline constexpr Ps kMaxTime{int64_t{1} << 61};

constexpr Ps Nanoseconds(int64_t n) { return Ps(n * 1000); }
constexpr Ps Microseconds(int64_t n) { return Ps(n * 1000 * 1000); }
constexpr Ps Milliseconds(int64_t n) { return Ps(n * 1000 * 1000 * 1000); }

// A sum or difference of times, clamped to ±kMaxTime: a damaged file may hold any time.
constexpr Ps Clamped(Int128 picoseconds) {
  const Int128 limit = kMaxTime.value();
  return Ps(static_cast<int64_t>(std::clamp(picoseconds, -limit, limit)));
}

struct ClampedTime {
  Ps time;
  bool clamped = false;
};

// nanoseconds * 1000 + picoseconds, clamped to ±kMaxTime; for numbers that come out of a file.
constexpr ClampedTime ClampedSum(int64_t nanoseconds, int64_t picoseconds) {
  const Int128 exact = static_cast<Int128>(nanoseconds) * 1000 + picoseconds;
  const Ps kept = Clamped(exact);
  return {kept, kept.value() != exact};
}

// A time that is known to lie between two.
struct PsRange {
  Ps low;
  Ps high;

  Ps middle() const { return low + (high - low) / 2; }
};

}  // namespace gait
