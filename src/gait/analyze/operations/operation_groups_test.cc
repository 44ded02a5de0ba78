#include "gait/analyze/operations/operation_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gait/analyze/question/ops/ops_report.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// Two programs; one of them a gradient over three layers.
class GroupsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ProgramMaker train("jit_train", 1);
    std::vector<InstructionIndex> forward;
    std::vector<InstructionIndex> backward;
    for (int i = 0; i < 3; ++i) {
      const std::string layer = "layer_" + std::to_string(i);
      forward.push_back(
          train.Add("dot." + std::to_string(i), "dot", "jit(train)/jvp(" + layer + ")/mlp/dot_general"));
      backward.push_back(train.Add("dot.1" + std::to_string(i), "dot",
                                   "jit(train)/transpose(jvp(" + layer + "))/mlp/dot_general"));
      train.SetCost(forward.back(), 10, 1);
      train.SetCost(backward.back(), 20, 1);
    }
    const auto adam = train.Add("add.1", "add", "jit(train)/optimizer/add");
    train.SetCost(adam, 1, 4);
    ProgramMaker other("jit_other", 2);
    const auto sin = other.Add("sine.1", "sine", "jit(other)/sin");
    other.SetUnknown(sin, "no idea");

    TestCapture capture;
    int64_t at = 0;
    const auto run = [&](int64_t length, int program, InstructionIndex instruction, const char* kernel) {
      capture.events.push_back({at, at + length, kernel, program, instruction});
      at += length;
    };
    for (size_t i = 0; i < 3; ++i) run(100 + 10 * static_cast<int64_t>(i), 0, forward[i], "gemm");
    for (size_t i = 0; i < 3; ++i) run(200, 0, backward[i], "gemm");
    run(50, 0, adam, "loop_add");
    run(30, 1, sin, "sine");
    run(5, -1, {}, "MemcpyH2D");
    run(7, -1, {}, "redzone");
    capture.programs.push_back(train.Finish());
    capture.programs.push_back(other.Finish());
    made_ = std::make_unique<TestView>(std::move(capture));
    operations_ = FindOperations(made_->view);
    roofs_ = Roofs(operations_, PeaksOfRun(made_->view));
  }

  std::vector<OpGroup> By(GroupBy by) const { return GroupOperations(operations_, roofs_, by); }

  const OpGroup& Row(const std::vector<OpGroup>& rows, std::string_view path,
                     std::optional<Pass> pass = std::nullopt) const {
    for (const OpGroup& row : rows) {
      if (row.path == path && (!pass || row.pass == pass)) return row;
    }
    ADD_FAILURE() << "no row " << path;
    return rows.at(0);
  }

  std::unique_ptr<TestView> made_;
  Operations operations_;
  std::vector<OpRoof> roofs_;
};

TEST_F(GroupsTest, EveryViewSumsToTheBusyTime) {
  for (const char* word : {"op", "scope", "category", "source", "program", "layer", "shape"}) {
    const auto by = ParseGroupBy(word);
    ASSERT_TRUE(by);
    EXPECT_EQ(Name(*by), word);
    Ps roots;
    Ps own;
    Ps leaves;  // a row without others below it
    uint64_t events = 0;
    const std::vector<OpGroup> rows = By(*by);
    for (size_t i = 0; i < rows.size(); ++i) {
      const OpGroup& row = rows[i];
      own += row.own;
      if (i + 1 == rows.size() || rows[i + 1].depth <= row.depth) leaves += row.self;
      EXPECT_LE(row.self, row.time);  // nothing overlaps here
      if (row.depth == 0) roots += row.self;
      if (row.depth == 0) events += row.events;
    }
    EXPECT_EQ(roots, operations_.busy) << word;
    EXPECT_EQ(own, operations_.busy) << word;
    EXPECT_EQ(leaves, operations_.busy) << word;
    EXPECT_EQ(events, 10u) << word;
  }
  EXPECT_FALSE(ParseGroupBy("colour"));
}

TEST_F(GroupsTest, ScopesRollUp) {
  const auto rows = By(GroupBy::kScope);
  EXPECT_EQ(rows[0].path, "jit(train)");
  EXPECT_EQ(rows[0].self, Ps(330 + 600 + 50));
  EXPECT_EQ(rows[0].own, Ps());
  EXPECT_EQ(rows[1].name, "backward");
  EXPECT_EQ(rows[1].path, "jit(train)/transpose(jvp)");
  EXPECT_EQ(rows[1].depth, 1);
  EXPECT_EQ(Row(rows, "jit(train)/jvp/layer_1/mlp").self, Ps(110));
  EXPECT_EQ(Row(rows, "jit(train)/jvp/layer_1/mlp").depth, 3);
  EXPECT_EQ(Row(rows, "jit(train)/jvp").work.flops, 30);
  EXPECT_EQ(Row(rows, "(unattributed) copies").self, Ps(5));
  EXPECT_EQ(Row(rows, "(unattributed) kernels").self, Ps(7));
}

TEST(ScopeTree, WhatARowDoesItselfStandsBesideTheRowsBelowIt) {
  ProgramMaker train("jit_train", 1);
  const auto in_layer = train.Add("add.1", "add", "jit(train)/layer_0/add");
  const auto in_mlp = train.Add("dot.1", "dot", "jit(train)/layer_0/mlp/dot_general");
  const auto nowhere = train.Add("copy.1", "copy", "jit(train)/copy");
  TestCapture capture;
  capture.events = {{0, 10, "a", 0, in_layer}, {10, 40, "b", 0, in_mlp}, {40, 45, "c", 0, nowhere}};
  capture.programs.push_back(train.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  const auto rows = GroupOperations(operations, Roofs(operations, PeaksOfRun(made.view)), GroupBy::kScope);
  std::vector<std::pair<std::string, int64_t>> found;
  for (const OpGroup& row : rows) found.emplace_back(row.path, row.self.value());
  EXPECT_EQ(found, (std::vector<std::pair<std::string, int64_t>>{{"jit(train)", 45},
                                                                 {"jit(train)/layer_0", 40},
                                                                 {"jit(train)/layer_0/mlp", 30},
                                                                 {"jit(train)/layer_0/(itself)", 10},
                                                                 {"jit(train)/(itself)", 5}}));
}

TEST(ScopeTree, OutsideTheGradientIsARowUnlessItHasAName) {
  ProgramMaker train("jit_train", 1);
  const auto forward = train.Add("dot.1", "dot", "jit(train)/jvp(mlp)/dot_general");
  const auto adam = train.Add("add.1", "add", "jit(train)/adam/add");
  const auto add = train.Add("add.2", "add", "jit(train)/add");
  const auto nameless = train.Add("copy.1", "copy");  // it may be of the gradient or not
  TestCapture capture;
  capture.events = {
      {0, 10, "a", 0, forward}, {10, 15, "b", 0, adam}, {15, 18, "c", 0, add}, {18, 19, "d", 0, nameless}};
  capture.programs.push_back(train.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  std::vector<std::string> paths;
  for (const OpGroup& row :
       GroupOperations(operations, Roofs(operations, PeaksOfRun(made.view)), GroupBy::kScope)) {
    paths.push_back(row.path);
  }
  EXPECT_EQ(paths,
            (std::vector<std::string>{"jit(train)", "jit(train)/jvp", "jit(train)/jvp/mlp", "jit(train)/adam",
                                      "jit(train)/(outside gradient)", "jit(train)/(no name)"}));
}

TEST_F(GroupsTest, LayersFold) {
  const auto rows = By(GroupBy::kLayer);
  const OpGroup& forward = Row(rows, "layer_*", Pass::kForward);
  EXPECT_EQ(forward.layers, 3u);
  EXPECT_EQ(forward.self, Ps(330));
  EXPECT_EQ(forward.layer_min, Ps(100));
  EXPECT_EQ(forward.layer_max, Ps(120));
  EXPECT_EQ(forward.slowest_layer, "layer_2");
  EXPECT_EQ(Row(rows, "layer_*", Pass::kBackward).self, Ps(600));
  EXPECT_EQ(Row(rows, "layer_*/mlp", Pass::kForward).layers, 3u);
  EXPECT_EQ(Row(rows, "optimizer").layers, 1u);
  EXPECT_EQ(Row(rows, "(no scope)").self, Ps(30));
}

TEST_F(GroupsTest, OneLayerKeepsItsName) {
  EXPECT_EQ(WithoutNumber("layer_11"), "layer_*");
  EXPECT_EQ(WithoutNumber("blocks[3]"), "blocks[*]");
  EXPECT_EQ(WithoutNumber("7"), "*");
  EXPECT_EQ(WithoutNumber("branch_1_fun"), "branch_1_fun");
  EXPECT_EQ(WithoutNumber(""), "");
  EXPECT_EQ(WithoutNumber("]"), "]");
  ProgramMaker maker("jit_f");
  const auto dot = maker.Add("dot.1", "dot", "jit(f)/conv2/dot_general");
  TestCapture capture;
  capture.events = {{0, 10, "k", 0, dot}};
  capture.programs.push_back(maker.Finish());
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  const auto rows = GroupOperations(operations, Roofs(operations, Peaks()), GroupBy::kLayer);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].path, "conv2");
}

// Events whose program is not in the capture.
TEST(Groups, ScopesThatEventsNameThemselves) {
  TestCapture capture;
  int64_t at = 0;
  const auto run = [&](int64_t length, const char* kernel,
                       std::vector<std::pair<std::string, std::string>> args) {
    args.emplace_back("hlo_module", "jit_train");
    capture.events.push_back({.begin = at,
                              .end = at + length,
                              .kernel = kernel,
                              .kind = AttributionKind::kNoProgram,
                              .args = std::move(args)});
    at += length;
  };
  run(100, "gemm_1", {{"name", "jit(train)/jvp(layer_0)/mlp/dot_general"}});
  run(10, "loop_fusion", {{"name", "jit(train)/jvp(layer_0)/mlp"}});  // what its parts share: a scope
  run(120, "gemm_1", {{"prefix", "jit(train)"}, {"name", "jvp(layer_1)/mlp/dot_general"}});
  run(200, "gemm_2", {{"name", "jit(train)/transpose(jvp(layer_0))/mlp/dot_general"}});
  run(5, "loop_fusion", {{"name", "jit(train)"}});  // its parts share no more than the program
  run(2, "loop_fusion", {{"tf_op", "XlaModule:"}});
  run(3, "add", {{"tf_op", "jit(train)/optimizer/add:"}, {"source", "train.py:3"}});
  const TestView made(std::move(capture));
  const Operations operations = FindOperations(made.view);
  EXPECT_EQ(operations.busy, Ps(440));
  const std::vector<OpRoof> roofs = Roofs(operations, Peaks());
  std::map<std::pair<std::string, std::optional<Pass>>, std::pair<Ps, uint64_t>> layers;
  for (const OpGroup& row : GroupOperations(operations, roofs, GroupBy::kLayer)) {
    if (row.depth == 0) layers[{row.path, row.pass}] = {row.self, row.layers};
  }
  const decltype(layers) expected = {{{"layer_*", Pass::kForward}, {Ps(230), 2}},
                                     {{"layer_0", Pass::kBackward}, {Ps(200), 1}},
                                     {{"optimizer", Pass::kOther}, {Ps(3), 1}},
                                     {{"(unattributed) no program", std::nullopt}, {Ps(7), 1}}};
  EXPECT_EQ(layers, expected);
  std::map<std::string, Ps> sources;
  for (const OpGroup& row : GroupOperations(operations, roofs, GroupBy::kSource))
    sources[row.name] = row.self;
  EXPECT_EQ(sources,
            (std::map<std::string, Ps>{{"train.py:3", Ps(3)}, {"(unattributed) no program", Ps(437)}}));
}

TEST_F(GroupsTest, UnknownPartsAreSaid) {
  const auto rows = By(GroupBy::kProgram);
  EXPECT_EQ(rows[0].name, "jit_train(1)");
  EXPECT_TRUE(rows[0].work.flops_known);
  const OpGroup& other = Row(rows, "jit_other(2)");
  EXPECT_FALSE(other.work.flops_known);
  EXPECT_EQ(other.work.unknown_self, Ps(30));
  EXPECT_EQ(other.work.unknown_because, "no idea");
}

TEST_F(GroupsTest, EveryColumnIsExplained) {
  for (const char* word : {"op", "scope", "category", "source", "program", "layer", "shape"}) {
    const report::Document document = OpsDocument(made_->view, *ParseGroupBy(word));
    ASSERT_EQ(document.tables.size(), 1u);
    EXPECT_FALSE(document.answer.empty());
    for (const report::Column& column : document.tables[0].columns) {
      EXPECT_FALSE(column.about.empty()) << word << " " << column.name;
    }
    for (const report::Row& row : document.tables[0].rows) {
      EXPECT_EQ(row.size(), document.tables[0].columns.size());
    }
  }
}

}  // namespace
}  // namespace gait::analyze
