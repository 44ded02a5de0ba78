// Id<Tag>: an index that cannot be mistaken for another kind of index. Invalid unless set.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace gait {

template <typename Tag>
struct Id {
  static constexpr uint32_t kInvalid = 0xffffffff;

  constexpr Id() = default;
  constexpr explicit Id(size_t index) : value(static_cast<uint32_t>(index)) {}

  constexpr bool valid() const { return value != kInvalid; }
  friend constexpr auto operator<=>(Id, Id) = default;

  uint32_t value = kInvalid;
};

}  // namespace gait

template <typename Tag>
struct std::hash<gait::Id<Tag>> {
  size_t operator()(gait::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value); }
};
