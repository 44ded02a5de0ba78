#include "gait/analyze/device/partition.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

struct NamedWork {
  int64_t begin;  // us
  int64_t end;
  std::string name;
};

// The definition, microsecond by microsecond.
Partition Slowly(const std::vector<NamedWork>& work, Interval window) {
  Partition parts;
  parts.window = window.length();
  for (Ps t = window.begin; t < window.end; t += Microseconds(1)) {
    bool communication = false;
    bool copy = false;
    bool unknown = false;
    for (const NamedWork& piece : work) {
      if (t < Microseconds(piece.begin) || t >= Microseconds(piece.end)) continue;
      communication |= piece.name.starts_with("nccl");
      copy |= piece.name.starts_with("Memcpy");
      unknown |= piece.name.starts_with("somebody");
    }
    if (communication) {
      parts.exposed_communication += Microseconds(1);
      if (copy) parts.hidden_copies += Microseconds(1);
    } else if (copy) {
      parts.exposed_copies += Microseconds(1);
    } else if (unknown) {
      parts.unknown += Microseconds(1);
    } else {
      parts.idle += Microseconds(1);
    }
  }
  return parts;
}

TEST(Partition, EqualsTheDefinitionAndSumsToTheWindow) {
  std::mt19937 random(1);
  const std::vector<std::string> names = {"ncclDevKernel", "MemcpyH2D", "somebody's kernel"};
  for (int round = 0; round < 50; ++round) {
    GpuRun run;
    std::vector<NamedWork> work;
    for (int i = 0; i < 12; ++i) {
      const auto begin = static_cast<int64_t>(random() % 200);
      work.push_back({begin, begin + static_cast<int64_t>(random() % 30), names[random() % names.size()]});
      run.Work(0, 14, static_cast<double>(begin), static_cast<double>(work.back().end - begin),
               work.back().name);
    }
    const RunView view = run.View();
    const auto begin = static_cast<int64_t>(random() % 100);
    const Interval window{Microseconds(begin), Microseconds(begin + static_cast<int64_t>(random() % 150))};
    const Partition fast = view.hosts[0].times[0].Split(window);
    const Partition slow = Slowly(work, window);
    EXPECT_EQ(fast.exposed_communication, slow.exposed_communication);
    EXPECT_EQ(fast.exposed_copies, slow.exposed_copies);
    EXPECT_EQ(fast.hidden_copies, slow.hidden_copies);
    EXPECT_EQ(fast.unknown, slow.unknown);
    EXPECT_EQ(fast.idle, slow.idle);
    EXPECT_EQ(fast.compute + fast.exposed_communication + fast.exposed_copies + fast.unknown + fast.idle,
              fast.window);
  }
}

}  // namespace
}  // namespace gait::analyze
