#include "gait/analyze/vocabulary/runtime_events.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gait/read/xplane/reader.h"

namespace gait::analyze {
namespace {

bool Shows(const Trace& trace, const RuntimeEvent& event) {
  return std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    if (track.info().kind != TrackKind::kThread) return false;
    for (size_t i = 0; i < track.size(); ++i) {
      const std::string_view name = trace.text(track.name(EventIndex(i)));
      if (event.place == Place::kBegin && name.starts_with(event.pattern)) return true;
      if (event.place == Place::kAnywhere && name.contains(event.pattern)) return true;
      if (event.place == Place::kEnd && name.ends_with(event.pattern)) return true;
    }
    return false;
  });
}

TEST(RuntimeEvents, AreInTheCapturesThatTheyName) {
  std::map<std::string_view, Trace> traces;
  size_t shown = 0;
  for (const RuntimeEvent& event : RuntimeEvents()) {
    if (event.capture.empty()) continue;
    if (!traces.contains(event.capture)) {
      Result<Trace> trace =
          xplane::ReadFile(fmt::format("{}/{}.xplane.pb.gz", GAIT_TEST_DATA, event.capture));
      ASSERT_TRUE(trace) << event.capture << trace.error().what;
      traces.emplace(event.capture, std::move(*trace));
    }
    EXPECT_TRUE(Shows(traces.at(event.capture), event)) << event.pattern << " in " << event.capture;
    ++shown;
  }
  EXPECT_GT(shown, 60u);
}

TEST(RuntimeEvents, NoRowIsHiddenByAnEarlierOneOfAnotherMeaning) {
  for (const RuntimeEvent& event : RuntimeEvents()) {
    const RuntimeEvent* found = FindRuntimeEvent(event.pattern);
    ASSERT_NE(found, nullptr) << event.pattern;
    EXPECT_EQ(found->work, event.work) << event.pattern << " is hidden by " << found->pattern;
    EXPECT_TRUE(Is(event.call, event.pattern)) << event.pattern;
  }
}

TEST(RuntimeEvents, Calls) {
  EXPECT_TRUE(IsExecuteCall("PjRtCApiLoadedExecutable::Execute"));
  EXPECT_TRUE(IsExecuteCall("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice"));
  EXPECT_FALSE(IsExecuteCall("ThunkExecutor::Execute"));
  EXPECT_EQ(ProgramOfExecuteCall("[0] CommonPjRtLoadedExecutable::Execute (jit_f)"), "jit_f");
  EXPECT_EQ(ProgramOfExecuteCall("GpuExecutable::ExecuteThunks"), "");
  EXPECT_TRUE(Is(RuntimeCall::kGraphLaunch, "hipGraphLaunch"));
  EXPECT_FALSE(Is(RuntimeCall::kGraphLaunch, "cuLaunchKernel"));
  EXPECT_TRUE(IsDriverLaunch("cuLaunchKernelEx"));
  EXPECT_FALSE(IsDriverLaunch("cuLaunchHostFunc"));
  EXPECT_FALSE(IsDriverCall("custom"));
  EXPECT_EQ(NameOf(RuntimeCall::kTaskGiven), "ThreadpoolListener::Record");
}

}  // namespace
}  // namespace gait::analyze
