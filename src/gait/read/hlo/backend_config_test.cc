#include "gait/read/hlo/backend_config.h"

#include <gtest/gtest.h>

namespace gait::hlo {
namespace {

TEST(BackendConfig, Gemm) {
  BackendConfigParser parser;
  const auto c = parser.Parse(
      R"({"operation_queue_id":"0","gemm_backend_config":{"alpha_real":1,"beta":1,"dot_dimension_numbers":
          {"lhs_contracting_dimensions":["2"],"rhs_contracting_dimensions":[1],"lhs_batch_dimensions":["0"],
           "rhs_batch_dimensions":["0"]},"epilogue":"BIAS_GELU"}})");
  ASSERT_TRUE(c.dot);
  EXPECT_EQ(c.dot->lhs_contracting, std::vector<int64_t>{2});
  EXPECT_EQ(c.dot->rhs_contracting, std::vector<int64_t>{1});
  EXPECT_EQ(c.dot->lhs_batch, std::vector<int64_t>{0});
  EXPECT_EQ(c.epilogue, "BIAS_GELU");
  EXPECT_EQ(c.beta, 1);
  EXPECT_FALSE(c.trip_count);
}

TEST(BackendConfig, GemmWithoutWrapper) {
  BackendConfigParser parser;
  const auto c = parser.Parse(R"({"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}})");
  ASSERT_TRUE(c.dot);
  EXPECT_EQ(c.dot->lhs_contracting, std::vector<int64_t>{1});
  EXPECT_TRUE(c.dot->rhs_contracting.empty());
}

TEST(BackendConfig, LoopsAttentionAndPallas) {
  BackendConfigParser parser;
  EXPECT_EQ(parser.Parse(R"({"known_trip_count":{"n":"5"}})").trip_count, 5);
  EXPECT_EQ(parser
                .Parse(R"({"cudnn_fmha_backend_config":{"intermediate_tensor_shape":
                           {"dimensions":["2","8","512","1024"]}}})")
                .scores,
            (std::vector<int64_t>{2, 8, 512, 1024}));
  EXPECT_EQ(parser.Parse(R"({"custom_call_config":{"body":"","cost_estimate":{"flops":"12"}}})").stated_flops,
            12.0);
}

TEST(BackendConfig, AnythingElseIsNoConfiguration) {
  BackendConfigParser parser;
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& text :
       {std::string(), std::string("opaque bytes \xff\xfe"), std::string("{"), std::string("[1]"),
        std::string("{}"), std::string(R"({"known_trip_count":7})"),
        std::string(R"({"known_trip_count":{"n":"5x"}})"),
        std::string(
            R"({"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["x"]}}})"),
        std::string("{\0}", 3), deep}) {
    const auto c = parser.Parse(text);
    EXPECT_FALSE(c.trip_count) << text;
    EXPECT_FALSE(c.dot) << text;
  }
  // And the parser is still good.
  EXPECT_EQ(parser.Parse(R"({"known_trip_count":{"n":3}})").trip_count, 3);
}

}  // namespace
}  // namespace gait::hlo
