#include "gait/report/json_writer.h"

#include <gtest/gtest.h>

namespace gait::report {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter json;
  json.Object().Field("a", 1).Key("b").Array().Value("x").Null().Array().EndArray().EndArray();
  json.Field("c", std::optional<int64_t>()).Field("d", 0.5).Field("e", std::string("\"\n")).EndObject();
  EXPECT_EQ(std::move(json).TakeLine(),
            "{\"a\":1,\"b\":[\"x\",null,[]],\"c\":null,\"d\":0.5,\"e\":\"\\\"\\n\"}\n");
}

}  // namespace
}  // namespace gait::report
