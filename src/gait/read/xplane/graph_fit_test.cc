#include "gait/read/xplane/graph_fit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gait/read/xplane/graph_commands.h"

namespace gait::xplane {
namespace {

// A program whose entry runs instructions named "opcode:name" in this order.
Program MakeProgram(const std::vector<std::string>& instructions) {
  Program program;
  program.shapes.emplace_back();
  Computation entry;
  entry.begin = InstructionIndex(0);
  entry.end = InstructionIndex(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    const size_t colon = instructions[i].find(':');
    Instruction instruction;
    instruction.opcode = program.strings.Intern(instructions[i].substr(0, colon));
    instruction.name = program.strings.Intern(instructions[i].substr(colon + 1));
    instruction.shape = ShapeId(0);
    instruction.computation = ComputationIndex(0);
    program.instructions.push_back(instruction);
    entry.schedule.push_back(InstructionIndex(i));
  }
  program.computations.push_back(entry);
  program.entry = ComputationIndex(0);
  program.BuildIndex();
  return program;
}

// Nodes in order of time.
SeenGraph MakeGraph(const std::vector<std::pair<uint32_t, std::string_view>>& nodes, int64_t commands) {
  SeenGraph graph;
  graph.commands = commands;
  int64_t time = 0;
  for (const auto& [index, kernel] : nodes) graph.nodes[index] = {kernel, 1, Ps(time++ * 1000)};
  return graph;
}

std::map<uint32_t, std::string> Names(const Program& program, const SeenGraph& graph,
                                      const std::vector<GraphPlace>& placed = {}) {
  std::map<uint32_t, std::string> names;
  FitWork work(graph.nodes.size());
  for (const auto& [node, instruction] : FitGraph(program, graph, placed, work).nodes) {
    names[node] = program.text(program[instruction].name);
  }
  return names;
}

using Fitted = std::map<uint32_t, std::string>;

// Computation k has two instructions that call computation k - 1; the entry is the last.
Program MakeNested(const std::string& opcode, uint32_t depth) {
  Program program = MakeProgram({"fusion:f"});
  for (uint32_t k = 1; k <= depth; ++k) {
    Computation computation;
    computation.begin = InstructionIndex(program.instructions.size());
    for (int i = 0; i < 2; ++i) {
      Instruction call;
      call.opcode = program.strings.Intern(opcode);
      call.name = program.strings.Intern(opcode + std::to_string(2 * k + static_cast<uint32_t>(i)));
      call.shape = ShapeId(0);
      call.computation = ComputationIndex(k);
      call.called = {ComputationIndex(k - 1)};
      if (opcode == "conditional") call.called.emplace_back(k - 1);
      computation.schedule.emplace_back(program.instructions.size());
      program.instructions.push_back(call);
    }
    computation.end = InstructionIndex(program.instructions.size());
    program.computations.push_back(computation);
  }
  program.entry = ComputationIndex(depth);
  program.BuildIndex();
  return program;
}

TEST(GraphFitTest, AProgramThatExpandsWithoutEndFitsNothing) {
  for (const char* opcode : {"call", "conditional", "while"}) {
    const Program program = MakeNested(opcode, 60);
    SeenGraph graph = MakeGraph({{0, "f"}, {1, "f"}}, 0);
    graph.commands.reset();
    FitWork work(graph.nodes.size());
    EXPECT_TRUE(FitGraph(program, graph, {}, work).nodes.empty()) << opcode;
    EXPECT_TRUE(work.spent()) << opcode;
  }
  // The same with as few levels as real programs have.
  EXPECT_EQ(Names(MakeNested("call", 1), MakeGraph({{0, "f"}, {1, "f"}}, 2)), (Fitted{{0, "f"}, {1, "f"}}));
}

TEST(GraphFitTest, PlacesWithTooFewCommandsAreNotTried) {
  std::vector<std::string> instructions;
  std::vector<std::pair<uint32_t, std::string_view>> nodes;
  for (uint32_t i = 0; i < 20'000; ++i) {
    instructions.push_back("fusion:f." + std::to_string(i));
    nodes.emplace_back(i, "f");
  }
  const Program program = MakeProgram(instructions);
  const SeenGraph graph = MakeGraph(nodes, static_cast<int64_t>(nodes.size()));
  FitWork work(0);  // for once through the program, not once from every command
  EXPECT_EQ(FitGraph(program, graph, {}, work).nodes.size(), nodes.size());
}

TEST(GraphFitTest, NodesBeyondTheProgramAreNoFit) {
  SeenGraph graph = MakeGraph({{0, "f"}, {1, "f"}, {2, "f"}}, 0);
  graph.commands.reset();  // the host's side is not in the capture
  EXPECT_TRUE(Names(MakeProgram({"fusion:f"}), graph).empty());
  EXPECT_EQ(Names(MakeProgram({"fusion:f", "fusion:f.1", "fusion:f.2"}), graph).size(), 3u);
}

TEST(GraphFitTest, NodesAreCommandsInScheduleOrder) {
  const Program program =
      MakeProgram({"parameter:p", "fusion:loop_add_fusion", "bitcast:b", "fusion:loop_add_fusion.1",
                   "constant:c", "fusion:input_reduce_fusion", "tuple:t"});
  const SeenGraph graph =
      MakeGraph({{0, "loop_add_fusion"}, {1, "loop_add_fusion"}, {2, "input_reduce_fusion"}}, 3);
  EXPECT_EQ(Names(program, graph),
            (Fitted{{0, "loop_add_fusion"}, {1, "loop_add_fusion.1"}, {2, "input_reduce_fusion"}}));
}

TEST(GraphFitTest, LibraryKernelsBelongToTheMissingCommand) {
  const Program program = MakeProgram(
      {"fusion:a_fusion", "custom-call:gemm.1", "fusion:b_fusion", "custom-call:gemm.2", "fusion:c_fusion"});
  const SeenGraph graph = MakeGraph({{0, "a_fusion"},
                                     {5, "Memset 0"},
                                     {6, "nvjet_x"},
                                     {2, "b_fusion"},
                                     {7, "nvjet_y"},
                                     {8, "splitKreduce"},
                                     {4, "c_fusion"}},
                                    5);
  EXPECT_EQ(Names(program, graph), (Fitted{{0, "a_fusion"},
                                           {2, "b_fusion"},
                                           {4, "c_fusion"},
                                           {5, "gemm.1"},
                                           {6, "gemm.1"},
                                           {7, "gemm.2"},
                                           {8, "gemm.2"}}));
}

TEST(GraphFitTest, NeighbouringLibraryCallsSplitAtTheirMemsets) {
  const Program program = MakeProgram({"custom-call:q", "custom-call:k", "custom-call:v", "fusion:a_fusion"});
  const SeenGraph graph = MakeGraph(
      {{4, "Memset 0"}, {5, "nvjet"}, {6, "nvjet"}, {7, "Memset 0"}, {8, "nvjet"}, {3, "a_fusion"}}, 4);
  EXPECT_EQ(Names(program, graph),
            (Fitted{{3, "a_fusion"}, {4, "q"}, {5, "q"}, {6, "k"}, {7, "v"}, {8, "v"}}));
}

TEST(GraphFitTest, AnotherClassOfKernelDoesNotFit) {
  const Program program = MakeProgram({"fusion:loop_add_fusion", "fusion:input_reduce_fusion"});
  EXPECT_TRUE(Names(program, MakeGraph({{0, "loop_add_fusion"}, {1, "loop_multiply_fusion"}}, 2)).empty());
}

TEST(GraphFitTest, TheNumberOfCommandsMustAgree) {
  const Program program = MakeProgram({"fusion:loop_add_fusion", "fusion:input_reduce_fusion"});
  EXPECT_TRUE(Names(program, MakeGraph({{0, "loop_add_fusion"}, {1, "input_reduce_fusion"}}, 3)).empty());
}

TEST(GraphFitTest, PlacesThatFitEquallyWellAreNotGuessed) {
  const Program program =
      MakeProgram({"fusion:a_fusion", "fusion:b_fusion", "fft:fft.1", "fusion:a_fusion.1",
                   "fusion:b_fusion.1", "fft:fft.2", "fusion:a_fusion.2", "fusion:b_fusion.2"});
  SeenGraph graph = MakeGraph({{0, "a_fusion"}, {1, "b_fusion"}}, 2);
  graph.before = program.Find("fft.1");
  graph.after = program.Find("fft.2");
  EXPECT_EQ(Names(program, graph), (Fitted{{0, "a_fusion.1"}, {1, "b_fusion.1"}}));
  // Nothing is known of what ran around it, and the first and the last place have as much for them.
  graph.before = graph.after = InstructionIndex();
  EXPECT_TRUE(Names(program, graph).empty());
  // Unless another graph is known to be in one of them.
  graph.number = 7;
  EXPECT_EQ(Names(program, graph, {{program.entry, 0, 5, 3}}),
            (Fitted{{0, "a_fusion.2"}, {1, "b_fusion.2"}}));
  EXPECT_EQ(Names(program, graph, {{program.entry, 3, 8, 9}}), (Fitted{{0, "a_fusion"}, {1, "b_fusion"}}));
  EXPECT_EQ(Names(program, graph, {{program.entry, 3, 5, 7}}),
            (Fitted{{0, "a_fusion.1"}, {1, "b_fusion.1"}}));
  EXPECT_TRUE(Names(program, graph, {{program.entry, 0, 8, 9}}).empty());
}

TEST(GraphFitTest, SortsCopyTheirOperandsFirst) {
  const Program program = MakeProgram({"sort:sort.3", "fusion:wrapped_add"});
  const SeenGraph graph = MakeGraph({{0, "memcpy32_post"}, {1, "sort_3_1"}, {2, "wrapped_add"}}, 3);
  EXPECT_EQ(Names(program, graph), (Fitted{{0, "sort.3"}, {1, "sort.3"}, {2, "wrapped_add"}}));
}

TEST(GraphFitTest, SortsMayTakeSeveralKernels) {
  const Program program = MakeProgram({"sort:sort.3", "sort:sort.4", "fusion:wrapped_add"});
  SeenGraph graph = MakeGraph({{0, "sort_3"},
                               {1, "sort_3__1"},
                               {2, "sort_3__2"},
                               {3, "memcpy32_post"},
                               {4, "sort_4"},
                               {5, "sort_4__1"},
                               {6, "wrapped_add"}},
                              7);
  const Fitted fitted = {{0, "sort.3"}, {1, "sort.3"}, {2, "sort.3"},     {3, "sort.4"},
                         {4, "sort.4"}, {5, "sort.4"}, {6, "wrapped_add"}};
  EXPECT_EQ(Names(program, graph), fitted);
  graph.commands.reset();  // the host's side is not in the capture
  EXPECT_EQ(Names(program, graph), fitted);
  graph.commands = 6;
  EXPECT_TRUE(Names(program, graph).empty());
}

TEST(GraphFitTest, SlicesThatAreCopiedHaveANestedGraph) {
  // The body of a scan as an H200 ran it: two slices, a GEMM with its memset, two kernels; the nested nodes
  // come after the body's own five.
  const Program program =
      MakeProgram({"async-start:fusion-start.1", "async-start:fusion-start", "async-done:fusion-done.1",
                   "custom-call:custom-call.1", "async-done:fusion-done", "fusion:loop_multiply_fusion",
                   "fusion:loop_add_fusion"});
  const SeenGraph graph = MakeGraph({{5, "memcpy128"},
                                     {6, "memcpy128"},
                                     {7, "Memset 0"},
                                     {8, "nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT"},
                                     {3, "loop_multiply_fusion"},
                                     {4, "loop_add_fusion"}},
                                    5);
  EXPECT_EQ(Names(program, graph), (Fitted{{3, "loop_multiply_fusion"},
                                           {4, "loop_add_fusion"},
                                           {5, "fusion-start.1"},
                                           {6, "fusion-start"},
                                           {7, "custom-call.1"},
                                           {8, "custom-call.1"}}));
}

TEST(GraphCommandsTest, StemsLeaveTheNumberAway) {
  EXPECT_EQ(NameStem("loop_add_fusion.12"), "loop_add_fusion");
  EXPECT_EQ(NameStem("loop_add_fusion_3"), "loop_add_fusion");
  EXPECT_EQ(NameStem("custom-call.1.2"), "custom_call");
  EXPECT_EQ(NameStem("sort_14_1"), "sort");
  EXPECT_EQ(NameStem("loop_transpose_fusion.kd"), "loop_transpose_fusion");
  EXPECT_EQ(NameStem("123"), "123");
  EXPECT_EQ(NameStem(""), "");
}

TEST(GraphCommandsTest, FurtherKernelsAreNumberedBehindTwoUnderscores) {
  EXPECT_TRUE(IsFurtherKernel("sort_3__2", "sort_3"));
  EXPECT_FALSE(IsFurtherKernel("sort_3__2", "sort_4"));
  EXPECT_FALSE(IsFurtherKernel("sort_3__", "sort_3"));
  EXPECT_FALSE(IsFurtherKernel("sort_3", "sort_3"));
  EXPECT_FALSE(IsFurtherKernel("12", ""));
  EXPECT_FALSE(IsFurtherKernel("", ""));
}

}  // namespace
}  // namespace gait::xplane
