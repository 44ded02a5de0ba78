#include "gait/analyze/question/memory/heap.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gait/analyze/question/memory/heap_report.h"

namespace gait::analyze {
namespace {

struct Sample {
  std::vector<std::string> stack;  // functions; "jax:f" is JAX's own
  int64_t count;
  int64_t bytes;  // negative: unknown
  std::string kind = "buffer";
  std::string device = "cuda:0";
};

HeapProfile Make(const std::string& path, const std::vector<Sample>& samples) {
  HeapProfile profile;
  profile.path = path;
  for (const Sample& s : samples) {
    HeapSample sample;
    for (const std::string& f : s.stack) {
      const bool jax = f.starts_with("jax:");
      profile.frames.push_back(
          {jax ? f.substr(4) : f, jax ? "/lib/site-packages/jax/_src/x.py" : "train.py", 7});
      sample.stack.push_back(static_cast<uint32_t>(profile.frames.size() - 1));
    }
    sample.count = s.count;
    if (s.bytes >= 0) sample.bytes = s.bytes;
    sample.kind = s.kind;
    sample.device = s.device;
    profile.samples.push_back(std::move(sample));
  }
  return profile;
}

TEST(Heap, FlatBelongsToTheLineOutsideJax) {
  const HeapSummary summary = Summarize(Make("a.prof", {{{"jax:bind", "make", "main"}, 2, 100},
                                                        {{"jax:call", "jax:bind", "main"}, 1, 30},
                                                        {{"make", "make", "main"}, 1, 5},
                                                        {{}, 1, 7},
                                                        {{"jax:compile"}, 1, -1, "executable", ""}}));
  EXPECT_EQ(summary.bytes, 142);
  EXPECT_EQ(summary.count, 6);
  int64_t flat = 0;
  for (const HeapPlace& place : summary.places) {
    flat += place.flat;
    if (place.frame.function == "make") {
      EXPECT_EQ(place.flat, 105);
      EXPECT_EQ(place.cumulative, 105);  // recursion counts once
    }
    if (place.frame.function == "main") {
      EXPECT_EQ(place.flat, 30);
      EXPECT_EQ(place.cumulative, 135);
    }
  }
  EXPECT_EQ(flat, summary.bytes);
  ASSERT_EQ(summary.totals.size(), 2u);
  EXPECT_EQ(summary.totals[0].kind, "buffer");
  EXPECT_EQ(summary.totals[1].unknown, 1);
}

TEST(Heap, GrownShrunkNewAndGone) {
  const std::vector<HeapProfile> profiles = {
      Make("a",
           {{{"jax:slow", "grows"}, 1, 10}, {{"shrinks"}, 2, 50}, {{"leaves"}, 1, 5}, {{"stays"}, 1, 3}}),
      Make("b",
           {{{"jax:fast", "grows"}, 4, 40}, {{"shrinks"}, 1, 25}, {{"comes"}, 1, 6}, {{"stays"}, 1, 3}})};
  int64_t change = 0;
  for (const HeapStack& stack : CompareHeaps(profiles)) {
    change += stack.change();
    const std::string& f = stack.frames[0].function;
    EXPECT_FALSE(stack.leaks());
    if (f == "grows") {
      EXPECT_EQ(stack.state(), HeapState::kGrown);
    }
    if (f == "shrinks") {
      EXPECT_EQ(stack.state(), HeapState::kShrunk);
    }
    if (f == "leaves") {
      EXPECT_EQ(stack.state(), HeapState::kGone);
    }
    if (f == "comes") {
      EXPECT_EQ(stack.state(), HeapState::kNew);
    }
    if (f == "stays") {
      EXPECT_EQ(stack.state(), HeapState::kSame);
    }
  }
  EXPECT_EQ(change, 6);
}

TEST(Heap, ALeakRisesEveryTime) {
  const std::vector<HeapProfile> profiles = {Make("a", {{{"leak"}, 1, 10}, {{"cache"}, 1, 10}}),
                                             Make("b", {{{"leak"}, 2, 20}, {{"cache"}, 9, 90}}),
                                             Make("c", {{{"leak"}, 3, 30}, {{"cache"}, 9, 90}})};
  const std::vector<HeapStack> stacks = CompareHeaps(profiles);
  EXPECT_EQ(stacks[0].frames[0].function, "leak");  // before the larger change of `cache`
  EXPECT_TRUE(stacks[0].leaks());
  EXPECT_FALSE(stacks[1].leaks());
  EXPECT_EQ(HeapDocument(profiles).answer,
            "20 B → 120 B, +100 B over 3 profiles; one stack grows in every one of them, most at leak "
            "(train.py:7): +10 B a profile.");
}

TEST(Heap, TheShellsOrderIsNotThatOfTheNumbers) {
  const auto notes = [](const std::vector<std::string>& paths) {
    std::vector<HeapProfile> profiles;
    for (const std::string& path : paths) profiles.push_back(Make(path, {}));
    return HeapDocument(profiles).notes;
  };
  const std::vector<std::string> shell = notes({"p/m_1.prof", "p/m_10.prof", "p/m_2.prof"});
  ASSERT_EQ(shell.size(), 2u);
  EXPECT_EQ(shell[0],
            "p/m_10.prof was compared before p/m_2.prof, as the files were given; those of a folder come by "
            "their numbers: gait memory p");
  EXPECT_EQ(notes({"m_1.prof", "m_2.prof", "m_10.prof"}).size(), 1u);
  EXPECT_EQ(notes({"p/new.prof", "p/last.prof"}).size(), 1u);  // an order of one's own
}

TEST(Heap, WhatIsOfJaxItself) {
  const auto of_jax = [](const char* file) { return IsOfJax({"f", file, 1}); };
  for (const char* file :
       {"/lib/python3.11/site-packages/jax/_src/pjit.py", "/lib/site-packages/jax/numpy/x.py",
        "/usr/lib/python3/dist-packages/jax/version.py", "jax/_src/core.py", "/src/jax/jax/experimental/x.py",
        "/lib/site-packages/jaxlib/xla_client.py"})
    EXPECT_TRUE(of_jax(file)) << file;
  for (const char* file : {"/home/me/jax/leak.py", "jax/leak.py", "/home/me/myjax/_src/a.py", "train.py"})
    EXPECT_FALSE(of_jax(file)) << file;
}

TEST(Heap, NothingAllocated) {
  EXPECT_EQ(HeapDocument({Make("a", {})}).answer, "Nothing is allocated.");
  const report::Document document = HeapDocument({Make("a", {}), Make("b", {})});
  for (const report::Table& table : document.tables) {
    for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
  }
}

}  // namespace
}  // namespace gait::analyze
