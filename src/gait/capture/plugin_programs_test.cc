#include "gait/capture/plugin_programs.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace gait::capture {
namespace {

class PluginProgramsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::dlopen(GAIT_FAKE_PLUGIN, RTLD_NOW), nullptr) << ::dlerror(); }
  void TearDown() override { ::unsetenv("GAIT_FAKE_PLUGIN"); }

  static std::shared_ptr<PluginPrograms> Start() {
    static const std::string name = std::filesystem::path(GAIT_FAKE_PLUGIN).filename();
    return PluginPrograms::Start(name.c_str());
  }
};

TEST_F(PluginProgramsTest, AreKeptAndHandedOut) {
  const auto programs = Start();
  ASSERT_NE(programs, nullptr);
  const Result<std::string> space = programs->Collect();
  ASSERT_TRUE(space);
  // Version 1, device type CPU, HLO; and the byte too many is gone.
  EXPECT_EQ(*space, "\x0a\x10\x12\x0e/host:metadata\x0a\x0f\x12\x0dstopped\x28\x01\x30\x01\x38\x01");
}

TEST_F(PluginProgramsTest, WhatThePluginCannotDoIsNotBegun) {
  EXPECT_EQ(PluginPrograms::Start("no_such_plugin.so"), nullptr);
  for (const char* const call : {"create", "start"}) {
    ::setenv("GAIT_FAKE_PLUGIN", call, 1);
    EXPECT_EQ(Start(), nullptr) << call;
  }
}

TEST_F(PluginProgramsTest, AFailureIsTold) {
  for (const std::string call : {"stop", "collect"}) {
    const auto programs = Start();
    ASSERT_NE(programs, nullptr);
    ::setenv("GAIT_FAKE_PLUGIN", call.c_str(), 1);
    const Result<std::string> space = programs->Collect();
    ASSERT_FALSE(space);
    EXPECT_NE(space.error().what.find(call + " failed"), std::string::npos) << space.error().what;
    ::unsetenv("GAIT_FAKE_PLUGIN");
  }
}

}  // namespace
}  // namespace gait::capture
