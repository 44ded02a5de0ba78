#include "gait/analyze/inspect/hlo.h"

#include <gtest/gtest.h>

#include "gait/analyze/run/test_run.h"

namespace gait::analyze {
namespace {

TEST(Hlo, Programs) {
  const auto document = HloDocument(TestRun());
  ASSERT_TRUE(document);
  EXPECT_EQ(document->answer, "1 program.");
  EXPECT_EQ(document->tables[0].rows[0][0].text(), "jit_f");
}

TEST(Hlo, AProgramByNameIdOrBeginning) {
  for (const char* name : {"jit_f", "42", "jit", "jit_f(42)"}) {
    const auto document = HloDocument(TestRun(2), name);
    ASSERT_TRUE(document) << name;
    EXPECT_NE(document->texts[0].text.find("add.1"), std::string::npos);
    report::Row row;
    ASSERT_TRUE(document->tables[0].more(row));
    EXPECT_EQ(row[0].text(), "p0");
  }
}

TEST(Hlo, OneInstruction) {
  const auto document = HloDocument(TestRun(), "jit_f", "%add.1");
  ASSERT_TRUE(document);
  EXPECT_NE(document->answer.find("add.1"), std::string::npos);
  EXPECT_EQ(report::FindTable(*document, "neighbours")->rows.size(), 2u);
  EXPECT_TRUE(HloDocument(TestRun(), "jit_f", "add_1"));  // as a kernel would be called
  const auto parameter = HloDocument(TestRun(), "jit_f", "p0");
  ASSERT_TRUE(parameter);
  EXPECT_EQ(report::FindTable(*parameter, "neighbours")->rows[0][1].text(), "user");
}

TEST(Hlo, IdsOfAll64Bits) {
  const auto run = std::make_shared<LoadedRun>();
  TraceBuilder builder;
  Program program;
  program.id = static_cast<decltype(program.id)>(-2);
  program.name = "jit_f";
  builder.AddProgram(std::move(program));
  run->hosts.push_back({"vm", "", std::move(builder).Finish()});
  for (const char* id : {"-2", "18446744073709551614", "jit_f(-2)", "jit_f(18446744073709551614)"}) {
    const auto document = HloDocument(run, id);
    ASSERT_TRUE(document) << id;
    EXPECT_TRUE(document->answer.starts_with("jit_f(18446744073709551614)")) << document->answer;
  }
}

TEST(Hlo, WhatDoesNotExist) {
  EXPECT_EQ(HloDocument(TestRun(), "jit_g").error().what, "no program is called 'jit_g'.");
  EXPECT_EQ(HloDocument(TestRun(), "jit_f", "mul").error().what, "jit_f has no instruction 'mul'.");
}

}  // namespace
}  // namespace gait::analyze
