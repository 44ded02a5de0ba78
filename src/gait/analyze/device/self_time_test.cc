#include "gait/analyze/device/self_time.h"

#include <gtest/gtest.h>

#include <random>

namespace gait::analyze {
namespace {

// By picosecond: who owns it, looked for among all.
std::vector<const WorkItem*> Owners(const std::vector<WorkItem>& work, int64_t length) {
  std::vector<const WorkItem*> owners(static_cast<size_t>(length), nullptr);
  for (int64_t t = 0; t < length; ++t) {
    const WorkItem*& owner = owners[static_cast<size_t>(t)];
    for (const WorkItem& item : work) {
      if (item.time.contains(Ps(t)) && (owner == nullptr || item.work <= owner->work)) owner = &item;
    }
  }
  return owners;
}

TEST(SelfTime, EveryInstantBelongsToItsOwner) {
  std::mt19937 random(11);
  constexpr int64_t kLength = 600;
  // Gaps, kernels that reach a little into the next one, kernels inside others; one class and all of them.
  for (const int64_t longest : {4, 9, 30, 200}) {
    for (const uint32_t classes : {1U, 2U, 5U}) {
      std::vector<WorkItem> work;
      for (int64_t at = 0; at < kLength - longest; at += static_cast<int64_t>(random() % 7)) {
        WorkItem& item = work.emplace_back();
        item.time = {Ps(at), Ps(at + static_cast<int64_t>(random() % static_cast<uint64_t>(longest)))};
        item.work = static_cast<WorkClass>(random() % classes);
      }
      std::ranges::sort(work, [](const WorkItem& a, const WorkItem& b) {
        return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
      });
      std::vector<const WorkItem*> owners(kLength, nullptr);
      Ps reached;
      ForEachSelfSlice(work, [&](Interval slice, const WorkItem& item) {
        EXPECT_GE(slice.begin, reached);
        EXPECT_FALSE(slice.empty());
        reached = slice.end;
        for (Ps t = slice.begin; t < slice.end; t += Ps(1)) owners[static_cast<size_t>(t.value())] = &item;
      });
      EXPECT_EQ(owners, Owners(work, kLength)) << "longest " << longest << ", classes " << classes;
    }
  }
}

TEST(WindowCutter, GivesThePartsInsideWindows) {
  const IntervalSet windows = {{Ps(10), Ps(20)}, {Ps(30), Ps(40)}};
  const std::vector<Interval> times = {{Ps(0), Ps(5)},   {Ps(8), Ps(12)},  {Ps(10), Ps(10)},
                                       {Ps(10), Ps(20)}, {Ps(15), Ps(35)}, {Ps(22), Ps(25)},
                                       {Ps(38), Ps(50)}, {Ps(45), Ps(60)}};
  const std::vector<Interval> expected = {
      {Ps(10), Ps(12)}, {Ps(10), Ps(20)}, {Ps(15), Ps(20)}, {Ps(30), Ps(35)}, {Ps(38), Ps(40)}};
  WindowCutter cutter(windows);
  std::vector<Interval> parts;
  std::vector<bool> held;
  for (const Interval time : times) {
    cutter.ForEachPart(time, [&](Interval part) { parts.push_back(part); });
    held.push_back(cutter.Holds(time.begin));
  }
  EXPECT_EQ(parts, expected);
  EXPECT_EQ(held, (std::vector<bool>{false, false, true, true, true, false, true, false}));
}

}  // namespace
}  // namespace gait::analyze
