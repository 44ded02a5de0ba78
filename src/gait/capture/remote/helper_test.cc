#include "gait/capture/remote/helper.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

// A shell script stands for the program.
class HelperTest : public testing::Test {
 protected:
  HelperTest() {
    std::string pattern = testing::TempDir() + "gait_helper_XXXXXX";
    scratch_ = ::mkdtemp(pattern.data());
  }
  ~HelperTest() override { std::filesystem::remove_all(scratch_); }

  Result<void> Run(const std::string& script) {
    const std::string program = scratch_ / "helper";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    ::chmod(program.c_str(), 0755);
    const Task task{"s1", 100, 0, 1000, {}, {{{"localhost", 9012}, "x"}}};
    return RunHelper(program, task,
                     {.report =
                          [this](const Report& report) {
                            reports_.push_back(LineOfReport(report));
                            if (report.event == Event::kRecording) ::raise(SIGINT);
                          },
                      .tick = [this] { ++ticks_; },
                      .interrupted = [this](int times) { interrupted_ = times; }});
  }

  std::filesystem::path scratch_;
  std::vector<std::string> reports_;
  int ticks_ = 0;
  int interrupted_ = 0;
};

TEST_F(HelperTest, HandsOnWhatItReports) {
  ASSERT_TRUE(Run("echo connected 0; printf 'received 0 '; sleep 0.2; echo 5; echo noise; echo written 0 5")
                  .has_value());
  EXPECT_EQ(reports_, (std::vector<std::string>{"connected 0", "received 0 5", "written 0 5"}));
  EXPECT_GE(ticks_, 3);
}

TEST_F(HelperTest, GetsItsTaskAsWords) {
  ASSERT_TRUE(Run("for word; do case $word in duration_ms=100) echo connected 7;; esac; done").has_value());
  EXPECT_EQ(reports_, std::vector<std::string>{"connected 7"});
}

TEST_F(HelperTest, InterruptsArePassedOn) {
  ASSERT_TRUE(
      Run("trap 'echo written 0 9; exit 0' INT; echo recording; while :; do sleep 0.05; done").has_value());
  EXPECT_EQ(reports_.back(), "written 0 9");
  EXPECT_EQ(interrupted_, 1);
}

TEST_F(HelperTest, ItsEndIsNoticed) {
  const Result<void> code = Run("exit 3");
  ASSERT_FALSE(code.has_value());
  EXPECT_NE(code.error().what.find("exit code 3"), std::string::npos);
  const Result<void> killed = Run("kill -9 $$");
  ASSERT_FALSE(killed.has_value());
  EXPECT_NE(killed.error().what.find("signal 9"), std::string::npos);
}

TEST_F(HelperTest, MustExist) {
  const Task task{"s1", 100, 0, 1000, {}, {{{"localhost", 9012}, "x"}}};
  EXPECT_FALSE(RunHelper(scratch_ / "nothing", task, {}).has_value());
}

}  // namespace
}  // namespace gait::capture::remote
