#include "gait/read/hlo/cost.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "gait/read/hlo/hlo_reader.h"
#include "gait/read/hlo/hlo_test_proto.h"

namespace gait::hlo {
namespace {

// One module whose main computation is built instruction by instruction.
class CostTest : public testing::Test {
 protected:
  int64_t Add(std::string_view opcode, const Proto& shape, const std::vector<int64_t>& operands = {},
              const Proto& more = {}) {
    const int64_t id = ++last_id_;
    const std::string name = "i" + std::to_string(id);
    const Proto plain = InstructionProto(id, name, opcode, shape, operands);
    instructions_.push_back(Proto().Raw(plain.bytes() + more.bytes()));
    return id;
  }

  int64_t Parameter(const Proto& shape) { return Add("parameter", shape, {}, Proto().Int(9, parameters_++)); }

  // Closes what was added so far as a computation of its own.
  int64_t Close() {
    const int64_t id = ++last_id_;
    computations_.push_back(ComputationProto(id, "c" + std::to_string(id), last_id_ - 1, instructions_));
    instructions_.clear();
    parameters_ = 0;
    return id;
  }

  // x + y of f32 scalars
  int64_t Adder() {
    const int64_t x = Parameter(F32({}));
    const int64_t y = Parameter(F32({}));
    Add("add", F32({}), {x, y});
    return Close();
  }

  Cost CostOf(int64_t id) {
    const std::vector<Proto> saved = computations_;
    const int64_t entry = 1'000'000;
    computations_.push_back(ComputationProto(entry, "main", last_id_, instructions_));
    LossLog log;
    program_ = ReadHloProto(ModuleProto(computations_, entry).bytes(), "test", log).value();
    EXPECT_TRUE(log.losses().empty());
    computations_ = saved;
    return (*program_)[program_->Find("i" + std::to_string(id))].cost;
  }

  void Expect(int64_t id, double flops, double read, double written) {
    const Cost cost = CostOf(id);
    EXPECT_EQ(cost.flops, flops);
    EXPECT_EQ(cost.bytes_read, read);
    EXPECT_EQ(cost.bytes_written, written);
    EXPECT_FALSE(cost.unknown_because.valid());
  }

  std::string Reason(int64_t id) {
    const Cost cost = CostOf(id);
    EXPECT_FALSE(cost.flops);
    return std::string(program_->text(cost.unknown_because));
  }

 private:
  int64_t last_id_ = 0;
  int64_t parameters_ = 0;
  std::vector<Proto> instructions_;
  std::vector<Proto> computations_;
  std::optional<Program> program_;
};

TEST_F(CostTest, DotWithBatch) {
  const int64_t a = Parameter(F32({3, 16, 64}));
  const int64_t b = Parameter(F32({3, 64, 32}));
  const Proto numbers = Proto().Ints(1, {2}).Ints(2, {1}).Ints(3, {0}).Ints(4, {0});
  const int64_t dot = Add("dot", F32({3, 16, 32}), {a, b}, Proto().Add(30, numbers));
  Expect(dot, 2.0 * 3 * 16 * 32 * 64, 4.0 * 3 * (16 * 64 + 64 * 32), 4.0 * 3 * 16 * 32);
}

TEST_F(CostTest, AComplexMultiplyAddIsEight) {
  const int64_t x = Parameter(ArrayProto(ElementType::kC64, {128, 64}));
  const int64_t y = Parameter(ArrayProto(ElementType::kC64, {64, 32}));
  const Proto numbers = Proto().Ints(1, {1}).Ints(2, {0});
  const int64_t z = Add("dot", ArrayProto(ElementType::kC64, {128, 32}), {x, y}, Proto().Add(30, numbers));
  Expect(z, 8.0 * 128 * 64 * 32, 8.0 * (128 * 64 + 64 * 32), 8.0 * 128 * 32);
}

TEST_F(CostTest, DotThatDoesNotFitIsUnknown) {
  const int64_t a = Parameter(F32({3}));
  const int64_t dot = Add("dot", F32({}), {a, a}, Proto().Add(30, Proto().Ints(1, {0}).Ints(2, {5})));
  EXPECT_NE(Reason(dot), "");
}

TEST_F(CostTest, ElementwiseAndMoves) {
  const int64_t a = Parameter(F32({8, 4}));
  const int64_t e = Add("exponential", F32({8, 4}), {a});
  const int64_t t = Add("transpose", F32({4, 8}), {e}, Proto().Ints(14, {1, 0}));
  const int64_t b = Add("bitcast", F32({32}), {t});
  Expect(e, 32, 128, 128);
  Expect(t, 0, 128, 128);
  Expect(b, 0, 0, 0);
}

TEST_F(CostTest, ReduceCountsApplications) {
  const int64_t adder = Adder();
  const int64_t a = Parameter(F32({10, 20}));
  const int64_t zero = Add("constant", F32({}));
  const int64_t r = Add("reduce", F32({10}), {a, zero}, Proto().Ints(14, {1}).Int(38, adder));
  Expect(r, 200 - 10, 804, 40);
}

TEST_F(CostTest, ReduceWindow) {
  const int64_t adder = Adder();
  const int64_t a = Parameter(F32({8, 8}));
  const int64_t zero = Add("constant", F32({}));
  const Proto two = Proto().Int(1, 2).Int(2, 2);
  const int64_t r = Add("reduce-window", F32({4, 4}), {a, zero},
                        Proto().Add(15, Proto().Add(1, two).Add(1, two)).Int(38, adder));
  Expect(r, 16 * 3, 260, 64);
}

Proto ConvolutionFields(int64_t padding, int64_t groups, int64_t base_dilation = 1) {
  const Proto window =
      Proto().Int(1, 3).Int(2, 1).Int(3, padding).Int(4, padding).Int(5, 1).Int(6, base_dilation);
  // b0f_0io->b0f
  const Proto numbers =
      Proto().Int(8, 2).Ints(11, {1}).Int(3, 1).Int(4, 2).Ints(6, {0}).Int(10, 2).Ints(12, {1});
  return Proto().Add(15, Proto().Add(1, window)).Add(16, numbers).Int(50, groups);
}

TEST_F(CostTest, Convolution) {
  const int64_t x = Parameter(F32({2, 10, 4}));
  const int64_t k = Parameter(F32({3, 4, 6}));
  const int64_t valid = Add("convolution", F32({2, 8, 6}), {x, k}, ConvolutionFields(0, 1));
  Expect(valid, 2.0 * 2 * 4 * 6 * (8 * 3), 4.0 * (80 + 72), 4.0 * 96);
  // Padding of 1: the outer positions of the window miss once at each end.
  const int64_t same = Add("convolution", F32({2, 10, 6}), {x, k}, ConvolutionFields(1, 1));
  Expect(same, 2.0 * 2 * 4 * 6 * (10 * 3 - 2), 4.0 * (80 + 72), 4.0 * 120);
}

TEST_F(CostTest, DepthwiseConvolution) {
  const int64_t x = Parameter(F32({2, 10, 4}));
  const int64_t k = Parameter(F32({3, 1, 4}));
  const int64_t c = Add("convolution", F32({2, 8, 4}), {x, k}, ConvolutionFields(0, 4));
  Expect(c, 2.0 * 2 * 1 * 4 * (8 * 3), 4.0 * (80 + 12), 4.0 * 64);
}

TEST_F(CostTest, DilatedInputCountsOnlyWhatIsThere) {
  // 4 elements with holes between: x.x.x.x, 7 wide; 5 positions of a window of 3 meet 2,1,2,1,2.
  const int64_t x = Parameter(F32({1, 4, 1}));
  const int64_t k = Parameter(F32({3, 1, 1}));
  const int64_t c = Add("convolution", F32({1, 5, 1}), {x, k}, ConvolutionFields(0, 1, 2));
  EXPECT_EQ(CostOf(c).flops, 2.0 * (2 + 1 + 2 + 1 + 2));
}

TEST_F(CostTest, SlicesTouchWhatTheyTake) {
  const int64_t a = Parameter(F32({1000, 8}));
  const int64_t at = Parameter(S32({}));
  const int64_t slice = Add("dynamic-slice", F32({1, 8}), {a, at, at});
  const int64_t update = Add("dynamic-update-slice", F32({1000, 8}), {a, slice, at, at});
  Expect(slice, 0, 32 + 8, 32);
  Expect(update, 0, 32 + 8, 32);
}

TEST_F(CostTest, GatherAndScatter) {
  const int64_t adder = Adder();
  const int64_t table = Parameter(F32({1000, 8}));
  const int64_t rows = Parameter(S32({5, 1}));
  const int64_t gather = Add("gather", F32({5, 8}), {table, rows});
  const int64_t scatter = Add("scatter", F32({1000, 8}), {table, rows, gather}, Proto().Int(38, adder));
  Expect(gather, 0, 160 + 20, 160);
  Expect(scatter, 40, 20 + 160 + 160, 160);
}

TEST_F(CostTest, Collectives) {
  const int64_t adder = Adder();
  const int64_t a = Parameter(F32({64}));
  const int64_t reduce = Add("all-reduce", F32({64}), {a}, Proto().Int(38, adder));
  const int64_t start = Add("all-gather-start", TupleProto({F32({64}), F32({256})}), {reduce});
  const int64_t done = Add("all-gather-done", F32({256}), {start});
  Expect(reduce, 64, 256, 256);
  Expect(start, 0, 256, 1024);
  Expect(done, 0, 0, 0);
}

TEST_F(CostTest, FusionIsItsBodyWithOuterTraffic) {
  const int64_t p = Parameter(F32({64}));
  const int64_t q = Parameter(F32({64}));
  const int64_t sum = Add("add", F32({64}), {p, q});
  Add("multiply", F32({64}), {sum, q});
  const int64_t body = Close();
  const int64_t a = Parameter(F32({64}));
  const int64_t b = Parameter(F32({64}));
  Expect(Add("fusion", F32({64}), {a, b}, Proto().Int(38, body)), 128, 512, 256);
}

TEST_F(CostTest, FusionReadsOnlyTheSlicesItTakes) {
  const int64_t p = Parameter(F32({1000, 8}));
  const int64_t at = Parameter(S32({}));
  const int64_t flat = Add("bitcast", F32({8000}), {p});
  const int64_t row = Add("dynamic-slice", F32({8}), {flat, at});
  Add("negate", F32({8}), {row});
  const int64_t body = Close();
  const int64_t a = Parameter(F32({1000, 8}));
  const int64_t b = Parameter(S32({}));
  Expect(Add("fusion", F32({8}), {a, b}, Proto().Int(38, body)), 8, 32 + 4, 32);
}

TEST_F(CostTest, FusionComputesOnlyWhatIsTaken) {
  const int64_t p = Parameter(F32({1000, 8}));
  const int64_t scale = Parameter(F32({1000}));
  const int64_t rows = Parameter(S32({5, 1}));
  const int64_t exponential = Add("exponential", F32({1000, 8}), {p});
  const int64_t wide = Add("broadcast", F32({1000, 8}), {scale}, Proto().Ints(14, {0}));
  const int64_t product = Add("multiply", F32({1000, 8}), {exponential, wide});
  Add("gather", F32({5, 8}), {product, rows});
  const int64_t body = Close();
  const int64_t a = Parameter(F32({1000, 8}));
  const int64_t b = Parameter(F32({1000}));
  const int64_t c = Parameter(S32({5, 1}));
  Expect(Add("fusion", F32({5, 8}), {a, b, c}, Proto().Int(38, body)), 80, 160 + 160 + 20, 160);
}

TEST_F(CostTest, FusionUpdatesInPlace) {
  const int64_t p = Parameter(F32({1000, 8}));
  const int64_t row = Parameter(F32({1, 8}));
  const int64_t at = Parameter(S32({}));
  const int64_t negated = Add("negate", F32({1, 8}), {row});
  Add("dynamic-update-slice", F32({1000, 8}), {p, negated, at, at});
  const int64_t body = Close();
  const int64_t a = Parameter(F32({1000, 8}));
  const int64_t b = Parameter(F32({1, 8}));
  const int64_t c = Parameter(S32({}));
  Expect(Add("fusion", F32({1000, 8}), {a, b, c}, Proto().Int(38, body)), 8, 32 + 4, 32);
}

TEST_F(CostTest, ArraysMadeInsideAreWrittenWhole) {
  const int64_t row = Parameter(F32({1, 8}));
  const int64_t at = Parameter(S32({}));
  const int64_t zero = Add("constant", F32({}));
  const int64_t zeros = Add("broadcast", F32({1000, 8}), {zero});
  Add("dynamic-update-slice", F32({1000, 8}), {zeros, row, at, at});
  const int64_t body = Close();
  const int64_t b = Parameter(F32({1, 8}));
  const int64_t c = Parameter(S32({}));
  Expect(Add("fusion", F32({1000, 8}), {b, c}, Proto().Int(38, body)), 0, 32 + 4, 32000);
}

TEST_F(CostTest, LoopsOfKnownLength) {
  const int64_t p = Parameter(F32({16}));
  Add("negate", F32({16}), {p});
  const int64_t body = Close();
  Parameter(F32({16}));
  Add("constant", ArrayProto(ElementType::kPred, {}));
  const int64_t condition = Close();
  const int64_t a = Parameter(F32({16}));
  const Proto calls = Proto().Ints(38, {body, condition});
  const int64_t known =
      Add("while", F32({16}), {a}, Proto().Raw(calls.bytes()).Text(43, R"({"known_trip_count":{"n":"5"}})"));
  const int64_t unknown = Add("while", F32({16}), {a}, calls);
  Expect(known, 80, 320, 320);
  EXPECT_EQ(Reason(unknown), "the compiler does not know how often the loop runs");
}

TEST_F(CostTest, BranchesAreUnknownUnlessEqual) {
  const int64_t p = Parameter(F32({16}));
  Add("negate", F32({16}), {p});
  const int64_t one = Close();
  const int64_t q = Parameter(F32({16}));
  Add("abs", F32({16}), {q});
  const int64_t other = Close();
  Parameter(F32({16}));
  const int64_t nothing = Close();
  const int64_t a = Parameter(F32({16}));
  const int64_t equal = Add("conditional", F32({16}), {a, a, a}, Proto().Ints(38, {one, other}));
  const int64_t different = Add("conditional", F32({16}), {a, a, a}, Proto().Ints(38, {one, nothing}));
  Expect(equal, 16, 64, 64);
  EXPECT_EQ(Reason(different), "which branch runs is decided at run time");
}

TEST_F(CostTest, CublasWithEpilogue) {
  const int64_t a = Parameter(F32({16, 64}));
  const int64_t b = Parameter(F32({64, 32}));
  const int64_t bias = Parameter(F32({32}));
  const Proto call = Proto().Text(28, "__cublas$lt$matmul").Text(43, R"({"gemm_backend_config":{"beta":0,
      "epilogue":"BIAS_RELU","dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],
      "rhs_contracting_dimensions":["0"]}}})");
  const Proto shape = TupleProto({F32({16, 32}), ArrayProto(ElementType::kS8, {1 << 20})});
  Expect(Add("custom-call", shape, {a, b, bias}, call), 2.0 * 16 * 32 * 64 + 2 * 16 * 32,
         4.0 * (16 * 64 + 64 * 32 + 32), 4.0 * 16 * 32);
}

TEST_F(CostTest, CudnnConvolutionsInAllDirections) {
  const Proto x = F32({2, 10, 4});
  const Proto k = F32({3, 4, 6});
  const Proto y = F32({2, 8, 6});
  const auto call = [&](std::string_view target, const Proto& result, const Proto& first,
                        const Proto& second) {
    const int64_t a = Parameter(first);
    const int64_t b = Parameter(second);
    return Add("custom-call", TupleProto({result, ArrayProto(ElementType::kU8, {64})}), {a, b},
               ConvolutionFields(0, 1).Text(28, target));
  };
  const double flops = 2.0 * 2 * 4 * 6 * (8 * 3);
  EXPECT_EQ(CostOf(call("__cudnn$convForward", y, x, k)).flops, flops);
  EXPECT_EQ(CostOf(call("__cudnn$convBackwardInput", x, y, k)).flops, flops);
  EXPECT_EQ(CostOf(call("__cudnn$convBackwardFilter", k, x, y)).flops, flops);
}

TEST_F(CostTest, FusedAttention) {
  const Proto qkv = F32({2, 512, 8, 64});  // batch, sequence, heads, depth
  const Proto scores = Proto().Text(43, R"({"cudnn_fmha_backend_config":{"intermediate_tensor_shape":
      {"dimensions":["2","8","512","512"]}}})");
  const int64_t q = Parameter(qkv);
  const int64_t forward = Add("custom-call", TupleProto({qkv, ArrayProto(ElementType::kU8, {0})}), {q, q, q},
                              Proto().Raw(scores.bytes()).Text(28, "__cudnn$fmhaSoftmax"));
  const int64_t backward = Add("custom-call", TupleProto({qkv, qkv, qkv}), {q, q, q, q, q},
                               Proto().Raw(scores.bytes()).Text(28, "__cudnn$fmhaSoftmaxBackward"));
  const double product = 2.0 * 2 * 8 * 512 * 512 * 64;
  EXPECT_EQ(CostOf(forward).flops, 2 * product);
  EXPECT_EQ(CostOf(backward).flops, 5 * product);
}

TEST_F(CostTest, ForeignCodeIsUnknown) {
  const int64_t a = Parameter(F32({16}));
  EXPECT_EQ(Reason(Add("custom-call", F32({16}), {a}, Proto().Text(28, "my_kernel"))),
            "custom call my_kernel: its work is not known");
  EXPECT_EQ(Reason(Add("new-opcode", F32({16}), {a})), "no rule for new-opcode");
  const int64_t stated = Add("custom-call", F32({16}), {a},
                             Proto()
                                 .Text(28, "tpu_custom_call")
                                 .Text(43, R"({"custom_call_config":{"cost_estimate":{"flops":"9"}}})"));
  EXPECT_EQ(CostOf(stated).flops, 9.0);
  EXPECT_FALSE(CostOf(stated).bytes_read);
}

TEST_F(CostTest, UnknownInsideMakesTheFusionUnknown) {
  const int64_t p = Parameter(F32({16}));
  Add("custom-call", F32({16}), {p}, Proto().Text(28, "my_kernel"));
  const int64_t body = Close();
  const int64_t a = Parameter(F32({16}));
  const int64_t fusion = Add("fusion", F32({16}), {a}, Proto().Int(38, body));
  EXPECT_EQ(Reason(fusion), "custom call my_kernel: its work is not known");
  EXPECT_EQ(CostOf(fusion).bytes_read, 64.0);
}

TEST_F(CostTest, DynamicShapesAreUnknown) {
  const Proto dynamic = F32({16}).Ints(6, {1});
  const int64_t a = Parameter(dynamic);
  EXPECT_EQ(Reason(Add("negate", dynamic, {a})), "a shape is dynamic or too large");
}

TEST_F(CostTest, OverflowIsUnknown) {
  const Proto huge = F32(std::vector<int64_t>(40, int64_t{1} << 60));
  const int64_t a = Parameter(huge);
  const int64_t dot = Add("dot", F32({}), {a, a}, Proto().Add(30, Proto()));
  EXPECT_EQ(Reason(dot), "a shape is dynamic or too large");
}

TEST_F(CostTest, CirclesOfCallsAreUnknown) {
  const int64_t p = Parameter(F32({16}));
  const int64_t next = p + 2;  // the id that Close will give
  Add("call", F32({16}), {p}, Proto().Int(38, next));
  const int64_t circle = Close();
  ASSERT_EQ(circle, next);
  const int64_t a = Parameter(F32({16}));
  EXPECT_EQ(Reason(Add("call", F32({16}), {a}, Proto().Int(38, circle))),
            "computations call each other in a circle or too deep");
}

}  // namespace
}  // namespace gait::hlo
