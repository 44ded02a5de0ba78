#include "gait/read/hlo/hlo_reader.h"

#include <gtest/gtest.h>

#include "gait/read/hlo/hlo_test_proto.h"
#include "gait/trace/program_text.h"

namespace gait::hlo {
namespace {

Proto Metadata(std::string_view op_name, int64_t frame) {
  return Proto().Text(1, "add").Text(2, op_name).Int(15, frame);
}

Proto Frames() {
  return Proto()
      .Text(1, "main.py")
      .Text(1, "model.py")
      .Text(2, "train")
      .Text(2, "layer")
      .Add(3, Proto().Int(1, 1).Int(2, 1).Int(3, 10).Int(4, 4))
      .Add(3, Proto().Int(1, 2).Int(2, 2).Int(3, 20))
      .Add(4, Proto().Int(1, 1))
      .Add(4, Proto().Int(1, 2).Int(2, 1));
}

// main: p0, p1, a fusion of a multiply, an all-reduce, a constant; with schedule, frames and devices.
Proto Small() {
  Proto multiply = InstructionProto(3, "multiply.1", "multiply", F32({4, 8}), {1, 2});
  multiply.Add(7, Metadata("jit(f)/layer/mul", 2));
  const Proto body =
      ComputationProto(1, "fused_multiply", 3,
                       {InstructionProto(1, "param_0", "parameter", F32({4, 8})),
                        InstructionProto(2, "param_1", "parameter", F32({4, 8})).Int(9, 1), multiply});
  const Proto add = ComputationProto(2, "add", 6,
                                     {InstructionProto(4, "x", "parameter", F32({})),
                                      InstructionProto(5, "y", "parameter", F32({})).Int(9, 1),
                                      InstructionProto(6, "add.1", "add", F32({}), {4, 5})});
  const Proto main = ComputationProto(
      3, "main", 14,
      {InstructionProto(10, "p0", "parameter", F32({4, 8})),
       InstructionProto(11, "p1", "parameter", F32({4, 8})).Int(9, 1),
       InstructionProto(12, "fusion", "fusion", F32({4, 8}), {10, 11}).Text(11, "kLoop").Int(38, 1),
       InstructionProto(13, "c", "constant", F32({})).Add(8, Proto().Text(8, std::string("\0\0\x80\x3f", 4))),
       InstructionProto(14, "all-reduce", "all-reduce", F32({4, 8}), {12})
           .Int(26, 1)
           .Int(38, 2)
           .Int(37, 13)
           .Add(87, Proto().Add(1, Proto().Ints(1, {0, 1})))});
  const Proto schedule = Proto().Add(1, Proto().Int(1, 3).Add(2, Proto().Ints(1, {11, 10, 13, 12, 14})));
  return ModuleProto(
      {body, add, main}, 3,
      Proto()
          .Add(7, schedule)
          .Add(15, Proto().Int(1, 1).Int(2, 2).Add(3, Proto().Ints(1, {0})).Add(3, Proto().Ints(1, {2048})))
          .Add(17, Frames()));
}

TEST(HloReader, ReadsEverything) {
  LossLog log;
  const auto p = ReadHloProto(Small().bytes(), "test", log);
  ASSERT_TRUE(p);
  EXPECT_TRUE(log.losses().empty());
  EXPECT_EQ(p->name, "jit_f");
  EXPECT_EQ(p->id, 30);
  EXPECT_EQ(p->replica_count, 1);
  EXPECT_EQ(p->partition_count, 2);
  EXPECT_EQ(p->device_ids, (std::vector<int64_t>{0, 2048}));
  ASSERT_EQ(p->computations.size(), 3u);
  EXPECT_EQ(p->entry, ComputationIndex(2));
  const Computation& main = p->computations[2];
  EXPECT_EQ(p->text((*p)[main.root].name), "all-reduce");
  ASSERT_EQ(main.schedule.size(), 5u);
  EXPECT_EQ(p->text((*p)[main.schedule[0]].name), "p1");

  const Instruction& fusion = (*p)[p->Find("fusion")];
  EXPECT_EQ(fusion.operands, (std::vector{p->Find("p0"), p->Find("p1")}));
  EXPECT_EQ(fusion.called, std::vector{ComputationIndex(0)});
  EXPECT_EQ(p->text(fusion.fusion_kind), "kLoop");

  const Instruction& multiply = (*p)[p->Find("multiply.1")];
  EXPECT_EQ(p->text(multiply.op_name), "jit(f)/layer/mul");
  EXPECT_EQ(p->text(multiply.source_file), "model.py");
  EXPECT_EQ(multiply.source_line, 20);
  const Frame& frame = p->frames[multiply.frame.value];
  EXPECT_EQ(p->text(frame.function), "layer");
  EXPECT_EQ(p->text(p->frames[frame.parent.value].function), "train");

  const Instruction& reduce = (*p)[p->Find("all-reduce")];
  EXPECT_EQ(reduce.channel_id, 1);
  EXPECT_EQ(reduce.control_predecessors, std::vector{p->Find("c")});
  ASSERT_LT(reduce.replica_groups, p->replica_groups.size());
  EXPECT_EQ(p->replica_groups[reduce.replica_groups].group_size, 2);
  EXPECT_EQ(InstructionText(*p, p->Find("c")), "%c = f32[] constant(1)");
  EXPECT_EQ(
      InstructionText(*p, p->Find("all-reduce")),
      "%all-reduce = f32[4,8]{1,0} all-reduce(%fusion), to_apply=%add, channel_id=1, replica_groups={{0,1}}, "
      "control-predecessors={%c}");
  EXPECT_EQ(p->shapes.size(), 2u);
}

// The only instruction of a program: a constant, with what is added to it.
Program OneConstant(int64_t id, const Proto& shape, const Proto& more) {
  const Proto c = InstructionProto(id, "c." + std::to_string(id), "constant", shape).Raw(more.bytes());
  LossLog log;
  return *ReadHloProto(ModuleProto({ComputationProto(1, "main", id, {c})}, 1).bytes(), "test", log);
}

TEST(HloReader, AFingerprintIsOfWhatAnInstructionComputes) {
  const auto of = [](int64_t id, const Proto& shape, const Proto& more) {
    return OneConstant(id, shape, more).instructions[0].fingerprint;
  };
  const auto literal = [](std::vector<int64_t> values) { return Proto().Add(8, Proto().Ints(4, values)); };
  const uint64_t one = of(1, S32({3}), literal({1, 2, 3}));
  const Proto metadata = Proto().Add(7, Proto().Text(2, "jit(f)/c")).Text(43, "tuned").Int(26, 7);
  EXPECT_EQ(one, of(9, S32({3}), literal({1, 2, 3}).Raw(metadata.bytes())));
  EXPECT_NE(one, of(1, S32({3}), literal({1, 2, 4})));  // arrays too, whose values are not kept
  EXPECT_NE(one, of(1, S32({1, 3}), literal({1, 2, 3})));
  EXPECT_NE(one, of(1, S32({3}), literal({1, 2, 3}).Add(21, Proto().Int(1, 1))));  // a field nobody reads
}

TEST(HloReader, Shardings) {
  const auto text = [](const Proto& sharding) {
    const Program p = OneConstant(1, S32({}), Proto().Add(40, sharding));
    return std::string(p.text(p.instructions[0].sharding));
  };
  EXPECT_EQ(text(Proto()), "");
  EXPECT_EQ(text(Proto().Int(1, 1).Ints(4, {3})), "maximal device=3");
  EXPECT_EQ(text(Proto().Int(1, 3).Ints(3, {2, 1, 2}).Int(6, 1).Ints(9, {2, 2}).Ints(10, {1, 0})),
            "devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate");
  EXPECT_EQ(text(Proto().Int(1, 3).Ints(3, {2}).Ints(4, {1, 0})), "devices=[2]1,0");
  EXPECT_EQ(text(Proto().Int(1, 2).Add(5, Proto().Int(1, 4)).Add(5, Proto())), "{manual},{}");
  EXPECT_NE(text(Proto().Text(15, "later")), text(Proto().Text(15, "later still")));
}

TEST(HloReader, ABareModuleIsTheSame) {
  const std::string whole = Small().bytes();
  LossLog log;
  const auto p = ReadHloProto(whole, "test", log);
  const std::string_view module_only = std::string_view(whole).substr(whole.find("\n\x05jit_f"));
  const auto bare = ReadHloProto(module_only, "test", log);
  ASSERT_TRUE(p && bare);
  EXPECT_EQ(ProgramText(*p), ProgramText(*bare));
  EXPECT_TRUE(log.losses().empty());
}

TEST(HloReader, OldFilesHaveTheSourceInTheInstruction) {
  const Proto i = InstructionProto(1, "p", "parameter", F32({}))
                      .Add(7, Proto().Text(2, "x").Text(3, "old.py").Int(4, 3))
                      .Add(49, Proto().Ints(1, {0, 1, 2}))
                      .Add(49, Proto().Ints(1, {3, 4, 5}))
                      .Add(52, Proto().Int(1, 0).Int(2, 1));
  LossLog log;
  const auto p = ReadHloProto(ModuleProto({ComputationProto(1, "main", 1, {i})}, 1).bytes(), "test", log);
  ASSERT_TRUE(p);
  const Instruction& parameter = (*p)[p->Find("p")];
  EXPECT_EQ(p->text(parameter.source_file), "old.py");
  EXPECT_EQ(parameter.source_line, 3);
  EXPECT_EQ(p->replica_groups[parameter.replica_groups].groups.size(), 2u);
  EXPECT_EQ(p->source_target_pairs[parameter.source_target_pairs][0], std::pair(int64_t{0}, int64_t{1}));
  EXPECT_TRUE(log.losses().empty());
}

TEST(HloReader, BufferAssignment) {
  Proto hlo = Small();
  const Proto buffer = Proto().Int(1, 7).Int(2, 128).Int(4, 1).Add(3, Proto().Int(4, 12).Ints(3, {1}));
  const Proto named = Proto().Int(1, 8).Int(2, 64).Add(3, Proto().Text(2, "p0"));
  const Proto allocation = Proto().Int(1, 2).Int(2, 256).Int(5, 1).Int(6, 3).Int(7, 1).Add(
      9, Proto().Int(1, 7).Int(2, 64).Int(3, 128));
  const Proto heap = Proto()
                         .Add(1, Proto().Int(2, 7).Text(3, "main").Text(4, "fusion"))
                         .Add(1, Proto().Int(1, 1).Int(2, 7).Text(4, "all-reduce"))
                         .Int(2, 1)
                         .Int(3, 2);
  hlo.Add(3, Proto().Add(1, buffer).Add(1, named).Add(3, allocation).Add(4, heap));
  LossLog log;
  const auto p = ReadHloProto(hlo.bytes(), "test", log);
  ASSERT_TRUE(p && p->buffers);
  EXPECT_TRUE(log.losses().empty());
  const BufferAssignment& b = *p->buffers;
  ASSERT_EQ(b.buffers.size(), 2u);
  EXPECT_EQ(b.buffers[0].defined_by, p->Find("fusion"));
  EXPECT_EQ(b.buffers[1].defined_by, p->Find("p0"));
  EXPECT_EQ(b.buffers[0].color, 1);
  ASSERT_EQ(b.allocations.size(), 1u);
  EXPECT_TRUE(b.allocations[0].entry_parameter && b.allocations[0].live_out);
  EXPECT_EQ(b.allocations[0].assigned[0].offset, 64);
  ASSERT_EQ(b.heap_traces.size(), 1u);
  EXPECT_TRUE(b.heap_traces[0].whole_module);
  EXPECT_EQ(b.heap_traces[0].events[1].kind, HeapEvent::Kind::kFree);
  EXPECT_EQ(b.heap_traces[0].events[1].instruction, p->Find("all-reduce"));
}

TEST(HloReader, CutAnywhereKeepsWhatWasRead) {
  const std::string whole = Small().bytes();
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    LossLog log;
    const auto p = ReadHloProto(std::string_view(whole).substr(0, size), "test", log);
    if (!p) {
      EXPECT_NE(p.error().what.find("test"), std::string::npos);
      continue;
    }
    EXPECT_FALSE(log.losses().empty()) << size;
    EXPECT_GE(p->instructions.size(), most);
    most = p->instructions.size();
    ProgramText(*p);
  }
  EXPECT_EQ(most, 11u);
}

TEST(HloReader, MangledBytesNeverBreakIt) {
  const std::string whole = Small().bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char change : {'\x00', '\xff', '\x7f'}) {
      std::string mangled = whole;
      mangled[at] = change;
      LossLog log;
      const auto p = ReadHloProto(mangled, "test", log);
      if (p) ProgramText(*p);
    }
  }
}

TEST(HloReader, NothingIsAnError) {
  LossLog log;
  for (const std::string_view bytes : {"", "\x08", "not a proto at all", "\n\x03"}) {
    EXPECT_FALSE(ReadHloProto(bytes, "test", log));
  }
}

TEST(HloReader, DanglingReferencesAreLosses) {
  const Proto i =
      InstructionProto(1, "negate", "negate", F32({4}), {99}).Int(38, 77).Add(7, Metadata("x", 5));
  LossLog log;
  const auto p = ReadHloProto(ModuleProto({ComputationProto(1, "main", 50, {i})}, 1).bytes(), "test", log);
  ASSERT_TRUE(p);
  EXPECT_EQ(log.losses().size(), 4u);  // operand, called computation, frame, root
  for (const Loss& loss : log.losses()) EXPECT_EQ(loss.kind, LossKind::kUnresolved);
  // Nothing is known of an instruction that lost an operand.
  EXPECT_FALSE((*p)[p->Find("negate")].cost.flops);
}

TEST(HloReader, DeepTuplesEnd) {
  Proto shape = F32({});
  for (int i = 0; i < 1000; ++i) shape = TupleProto({shape});
  const Proto i = InstructionProto(1, "p", "parameter", shape);
  LossLog log;
  const auto p = ReadHloProto(ModuleProto({ComputationProto(1, "main", 1, {i})}, 1).bytes(), "test", log);
  ASSERT_TRUE(p);
  ASSERT_EQ(log.losses().size(), 1u);
  EXPECT_EQ(log.losses()[0].kind, LossKind::kCapped);
}

}  // namespace
}  // namespace gait::hlo
