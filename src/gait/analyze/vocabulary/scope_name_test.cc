#include "gait/analyze/vocabulary/scope_name.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

std::string Text(std::string_view op_name) { return ParseScope(op_name, "jit_f").Text(); }
Pass PassOf(std::string_view op_name) { return ParseScope(op_name, "jit_f").pass; }

TEST(ScopeName, TakesThePathApart) {
  const ScopeName scope = ParseScope("jit(train_step)/jvp(layer_3)/attention/dot_general", "jit_train_step");
  EXPECT_EQ(scope.root, "jit(train_step)");
  EXPECT_EQ(scope.pass, Pass::kForward);
  EXPECT_EQ(scope.path, (std::vector<std::string>{"layer_3", "attention"}));
  EXPECT_EQ(scope.operation, "dot_general");
  EXPECT_EQ(scope.Text(), "jit(train_step)/jvp/layer_3/attention");
}

TEST(ScopeName, WhatWrapsANameTellsThePass) {
  EXPECT_EQ(PassOf("jit(f)/transpose(jvp(layer_0))/mlp/mul"), Pass::kBackward);
  EXPECT_EQ(PassOf("jit(f)/jvp(layer_0)/mlp/mul"), Pass::kForward);
  EXPECT_EQ(PassOf("jit(f)/optimizer/mul"), Pass::kOther);
  EXPECT_EQ(PassOf("jit(f)/transpose(jvp(a))/jvp(a)/checkpoint/rematted_computation/dot_general"),
            Pass::kRematerialised);
  EXPECT_EQ(PassOf("jit(f)/transpose(jvp(a))/jvp(a)/checkpoint/dot_general"), Pass::kBackward);
  EXPECT_EQ(PassOf("jit(f)/layer/transpose"), Pass::kOther);  // the primitive of that name
}

TEST(ScopeName, TransformationsAreNotScopes) {
  EXPECT_EQ(Text("jit(f)/jvp(vmap(block))/sin"), "jit(f)/jvp/block");
  EXPECT_EQ(Text("jit(f)/jvp()/slice"), "jit(f)/jvp");
  EXPECT_EQ(Text("jit(f)/transpose(jvp(jit(log_softmax)))/mul"), "jit(f)/transpose(jvp)/jit(log_softmax)");
  EXPECT_EQ(Text("jit(f)/jit(main)/add"), "jit(f)");
  EXPECT_EQ(Text("jit(f)/shard_map/jvp(layer0)/mlp/mul"), "jit(f)/jvp/layer0/mlp");
  EXPECT_EQ(Text("jit(f)/jvp(a/b)/c/mul"), "jit(f)/jvp/a/b/c");
}

TEST(ScopeName, ATransposedPathIsNotTwoPaths) {
  EXPECT_EQ(Text("jit(f)/transpose(jvp(a))/jvp(a)/checkpoint/b/mul"), "jit(f)/transpose(jvp)/a/b");
  EXPECT_EQ(Text("jit(f)/transpose(jvp(a))/b/jvp(a)/b/checkpoint/mul"), "jit(f)/transpose(jvp)/a/b");
  EXPECT_EQ(Text("jit(f)/training/transpose(training)/jvp(attention)/dot_product_attention_bwd"),
            "jit(f)/transpose(jvp)/training/attention");
  EXPECT_EQ(Text("jit(f)/a/a/mul"), "jit(f)/a/a");  // a scope inside one of the same name
}

TEST(ScopeName, LoopsAreNoScopes) {
  EXPECT_EQ(Text("jit(f)/while/body/closed_call/layer/dot_general"), "jit(f)/layer");
  EXPECT_EQ(Text("jit(f)/while/cond/lt"), "jit(f)");
  EXPECT_EQ(Text("jit(f)/cond/branch_1_fun/sin"), "jit(f)/cond/branch_1_fun");
  EXPECT_EQ(Text("jit(f)/while/mul"), "jit(f)/while");  // a person's own name
  EXPECT_EQ(Text("jit(f)/while"), "jit(f)");            // the loop itself
}

TEST(ScopeName, NamesWithoutAFunctionBelongToTheProgram) {
  EXPECT_EQ(Text("reduce_sum"), "jit(f)");
  EXPECT_EQ(Text("state[0]['layers'][3]['up']"), "jit(f)");
  EXPECT_EQ(Text(""), "jit(f)");
  EXPECT_EQ(Text("grad_sync/reduce_sum"), "jit(f)/grad_sync");
  EXPECT_EQ(ParseScope("", "main.5").root, "main.5");
  EXPECT_EQ(Text("jit(f)/a/mul;jit(f)/b/mul"), "jit(f)/a");  // of several the first
}

TEST(ScopeName, APathMayEndInAScope) {
  const ScopeName scope = ParseScope("jit(f)/jvp(layer_1)/attention", "jit_f", true);
  EXPECT_EQ(scope.Text(), "jit(f)/jvp/layer_1/attention");
  EXPECT_EQ(scope.operation, "");
}

TEST(ScopeName, OddNamesDoNoHarm) {
  for (const char* odd : {"/", "//", "(", ")", "jvp(", "jvp)", "transpose(jvp(", "a/(b/c", "[[[", ";", ";;",
                          "()", "jvp()", "jit()", "while/body", "jit(f)/"}) {
    EXPECT_FALSE(Text(odd).empty()) << odd;
  }
  std::string deep = "x";
  for (int i = 0; i < 10'000; ++i) deep = "jvp(" + deep + ")";
  EXPECT_EQ(PassOf("jit(f)/" + deep + "/mul"), Pass::kForward);
}

TEST(ScopeName, ANamelessInstructionHasTheScopeOfItsOperand) {
  ProgramMaker maker("jit_f");
  const auto named = maker.Add("dot.1", "dot", "jit(f)/jvp(layer_1)/dot_general");
  const auto copy = maker.Add("copy.1", "copy");
  const auto second = maker.Add("copy.2", "copy");
  const auto alone = maker.Add("iota.1", "iota");
  maker.at(copy).operands = {named};
  maker.at(second).operands = {copy};
  EXPECT_EQ(ScopeOf(maker.program(), second).Text(), "jit(f)/jvp/layer_1");
  EXPECT_EQ(ScopeOf(maker.program(), alone).Text(), "jit(f)");
  maker.at(alone).operands = {alone};  // a file may say that an instruction is its own operand
  EXPECT_EQ(ScopeOf(maker.program(), alone).Text(), "jit(f)");
}

TEST(ScopeName, WhatXlaAddsAroundALoopIsTheLoops) {
  ProgramMaker maker("jit_f");
  const auto parameter = maker.Add("p", "parameter", "params['w']");
  const auto copy = maker.Add("copy.1", "copy");
  const auto tuple = maker.Add("tuple.1", "tuple");
  const auto loop = maker.Add("while.1", "while", "jit(f)/transpose(jvp(model))/while");
  const auto other = maker.Add("copy.2", "copy");
  maker.at(copy).operands = {parameter};
  maker.at(tuple).operands = {copy};
  maker.at(loop).operands = {tuple};
  maker.at(other).operands = {parameter};
  maker.at(loop).called = {maker.Begin("body")};
  const auto inside = maker.Add("copy.3", "copy");
  const auto call = maker.Add("call.1", "call");
  maker.at(call).called = {maker.Begin("called")};
  const auto deep = maker.Add("copy.4", "copy");
  const ProgramScopes scopes(maker.program());
  for (const InstructionIndex of_loop : {copy, inside, deep}) {
    EXPECT_EQ(scopes.Of(of_loop).Text(), "jit(f)/transpose(jvp)/model");
  }
  // The name of a parameter says nothing of where it is copied.
  EXPECT_EQ(scopes.Of(other).Text(), "jit(f)");
  EXPECT_EQ(scopes.Of(other).operation, "");
}

TEST(ScopeName, AProgramHasOneRoot) {
  ProgramMaker maker("jit__lambda");
  const auto parameter = maker.Add("p", "parameter", "x");
  const auto copy = maker.Add("copy.1", "copy");
  const auto named = maker.Add("dot.1", "dot", "jit(<lambda>)/mm/dot_general");
  maker.at(copy).operands = {parameter};
  const ProgramScopes scopes(maker.program());
  EXPECT_EQ(scopes.Of(named).root, "jit(<lambda>)");
  EXPECT_EQ(scopes.Of(copy).root, "jit(<lambda>)");
}

}  // namespace
}  // namespace gait::analyze
