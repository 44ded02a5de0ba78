#include "gait/capture/remote/task.h"

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

Task SomeTask() {
  return {"s1",
          2000,
          5,
          60'000,
          {.host = 1, .device = 0, .python = true, .advanced = {{"gpu_pm_sample_counters", "a,b=c"}}},
          {{{"::1", 9012}, "runs/a b=c/x.xplane.pb"}, {{"tpu-3", 1}, "y"}}};
}

TEST(Task, ReadsBack) {
  const Task task = SomeTask();
  EXPECT_EQ(TaskOfWords(WordsOfTask(task)).value(), task);
}

TEST(Task, RefusesIncompleteAndUnknownWords) {
  const std::vector<std::string> words = WordsOfTask(SomeTask());
  for (const std::string needed : {"session=", "duration_ms=", "path="}) {
    std::vector<std::string> fewer;
    for (const std::string& word : words) {
      if (!word.starts_with(needed)) fewer.push_back(word);
    }
    EXPECT_FALSE(TaskOfWords(fewer).has_value()) << needed;
  }
  for (const char* wrong : {"what=1", "duration_ms=x", "option=nothing=1", "address=nowhere", "", "host"}) {
    std::vector<std::string> more = words;
    more.emplace_back(wrong);
    EXPECT_FALSE(TaskOfWords(more).has_value()) << wrong;
  }
}

TEST(Report, ReadsBack) {
  for (const Report& report : {Report{Event::kConnected, 3}, Report{Event::kRecording},
                               Report{Event::kReceived, 0, uint64_t{3} << 30}, Report{Event::kWritten, 1, 7},
                               Report{Event::kFailed, 2, 0, Trouble::kBusy, "two words"},
                               Report{Event::kFailed, 0, 0, Trouble::kUnwritten, ""}}) {
    EXPECT_EQ(ReportOfLine(LineOfReport(report)), report) << LineOfReport(report);
  }
}

TEST(Report, StaysOnItsLine) {
  const std::string line = LineOfReport({Event::kFailed, 0, 0, Trouble::kLost, "a\nb"});
  EXPECT_EQ(line, "failed 0 lost a b");
}

TEST(Report, OtherLinesAreNone) {
  for (const char* line :
       {"", "connected", "connected x", "received 1", "failed 1 whatever x", "hello 1", "written 1 -1"}) {
    EXPECT_FALSE(ReportOfLine(line).has_value()) << line;
  }
}

TEST(Trouble, NamesReadBack) {
  for (int i = 0; i <= static_cast<int>(Trouble::kUnwritten); ++i) {
    const auto trouble = static_cast<Trouble>(i);
    EXPECT_EQ(TroubleOfName(Name(trouble)), trouble);
    EXPECT_EQ(Name(trouble).find(' '), std::string_view::npos);
  }
}

TEST(Trouble, SaysWhereAndWhat) {
  const Error error = Explain(Trouble::kNoSuchHost, "tpu-3:9012", "Name or service not known");
  EXPECT_EQ(error.what, "tpu-3:9012: there is no host of this name (Name or service not known).");
  EXPECT_EQ(error.kind, ErrorKind::kUnreadable);
  EXPECT_EQ(Explain(Trouble::kRefused, "a:1", "whatever").what, "a:1: nothing listens there.");
}

TEST(Trouble, OfStatus) {
  EXPECT_EQ(TroubleOfStatus(6, ""), Trouble::kBusy);
  EXPECT_EQ(TroubleOfStatus(4, ""), Trouble::kDeadline);
  EXPECT_EQ(TroubleOfStatus(8, ""), Trouble::kTooLarge);
  EXPECT_EQ(TroubleOfStatus(12, ""), Trouble::kNoProfiler);
  EXPECT_EQ(TroubleOfStatus(13, "whatever"), Trouble::kNotRecorded);
  EXPECT_EQ(TroubleOfStatus(13, "Failed to serialize message"), Trouble::kTooLarge);
}

}  // namespace
}  // namespace gait::capture::remote
