#include "gait/analyze/run/what_ran.h"

#include <gtest/gtest.h>

#include <vector>

namespace gait::analyze {
namespace {

TEST(WhatRan, SaysWhatIsNotAlike) {
  using Runs = std::vector<WhatRan>;
  EXPECT_EQ(UnlikeSentence(Runs{{"H200", "jit_f"}, {"H200", "jit_f"}, {"", ""}}), "");
  EXPECT_EQ(UnlikeSentence(Runs{{"H200", "jit_f"}, {"H200", "jit_g"}}),
            "The runs have other programs (jit_f, jit_g). ");
  EXPECT_EQ(UnlikeSentence(Runs{{"H200", "jit_f"}, {"v5e", "jit_g"}, {"H200", "jit_f"}}),
            "The runs have other devices (H200, v5e) and other programs (jit_f, jit_g). ");
}

TEST(WhatRan, TheNumberOfAProgramIsNoPartOfItsName) {
  EXPECT_EQ(ProgramWithoutNumber("jit_f.12"), "jit_f");
  EXPECT_EQ(ProgramWithoutNumber("jit_f.train"), "jit_f.train");
  EXPECT_EQ(ProgramWithoutNumber("jit_f."), "jit_f.");
  EXPECT_EQ(ProgramWithoutNumber("jit_f"), "jit_f");
}

}  // namespace
}  // namespace gait::analyze
