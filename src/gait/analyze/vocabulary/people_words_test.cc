#include "gait/analyze/vocabulary/people_words.h"

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(PeopleWords, OfEvaluations) {
  for (const char* name :
       {"eval", "evaluate", "validation_step", "Test", "val_loss", "jit_eval_step", "valid"})
    EXPECT_TRUE(NamesEvaluation(name)) << name;
  for (const char* name : {"train", "evolve", "value_and_grad", "testing_ground", "step"})
    EXPECT_FALSE(NamesEvaluation(name)) << name;
}

TEST(PeopleWords, OfInterruptions) {
  for (const char* name : {"eval", "test", "val", "$train.py:9 evaluate", "$loop.py:3 run_validation"})
    EXPECT_EQ(InterruptionOfName(name), Interruption::kEvaluation) << name;
  for (const char* name : {"save_checkpoint", "save", "$io.py:3 save_params", "$checkpointer.py:3 restore"})
    EXPECT_EQ(InterruptionOfName(name), Interruption::kCheckpoint) << name;
  // The loop itself, questions, and what JAX calls so.
  for (const char* name :
       {"train_and_evaluate", "is_valid", "$train.py:3 is_valid", "save_metrics", "load_test_data",
        "eval_data_loading", "$ad_checkpoint.py:3 checkpoint", "$partial_eval.py:3 trace", "$time sleep"})
    EXPECT_EQ(InterruptionOfName(name), std::nullopt) << name;
}

}  // namespace
}  // namespace gait::analyze
