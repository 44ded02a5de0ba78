#include "gait/analyze/operations/host_scopes.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "gait/analyze/operations/operation_groups.h"
#include "gait/analyze/run/test_trace.h"

namespace gait::analyze {
namespace {

// A GPU whose kernels are launched by a thread of Python inside annotations, and by a thread of the runtime
// for a call of Python.
class Eager {
 public:
  Eager() {
    stream_ = maker_.Stream(maker_.Gpu(0), 1);
    const PlaneId host = maker_.Host();
    python_ = maker_.Thread(host, 1, "python");
    worker_ = maker_.Thread(host, 2, "py_xla_execute/7");
  }

  void Scope(const std::string& name, int64_t begin, int64_t end) {
    scopes_.push_back({name, begin, end, {}});
  }
  void Step(int64_t number, int64_t begin, int64_t end) {
    scopes_.push_back({"train", begin, end, {{"step_num", number}}});
  }
  // A call of a jitted function that launches a kernel of this length.
  void Launch(int64_t at, int64_t length) {
    scopes_.push_back({"PjitFunction(tanh)", at, at + 4, {}});
    scopes_.push_back({"loop_fusion", at + 1, at + 2, {{"correlation_id", at}}});
    kernels_.push_back({at, length});
  }
  void LaunchByWorker(int64_t at, int64_t length) {
    scopes_.push_back({"PjRtLoadedExecutable::Execute (jit_tanh)", at, at + 2, {{"run_id", at}}});
    maker_.Event(worker_, at + 3, at + 9, "ExecuteOnDevice", {{"run_id", at}});
    maker_.Event(worker_, at + 4, at + 5, "loop_fusion", {{"correlation_id", at}});
    kernels_.push_back({at, length});
  }

  RunView View() {
    std::ranges::stable_sort(scopes_, [](const Event& a, const Event& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    for (const Event& e : scopes_) maker_.Event(python_, e.begin, e.end, e.name, e.args);
    int64_t at = 10'000;
    for (const auto& [id, length] : kernels_) {
      maker_.Event(stream_, at, at + length, "loop_fusion", {{"correlation_id", id}});
      at += length;
    }
    run_ = maker_.Finish();
    return *RunView::Make(*run_, {});
  }

 private:
  struct Event {
    std::string name;
    int64_t begin, end;
    TestTraceMaker::Args args;
  };
  TestTraceMaker maker_;
  TestTraceMaker::Row stream_{}, python_{}, worker_{};
  std::vector<Event> scopes_;
  std::vector<std::pair<int64_t, int64_t>> kernels_;
  std::shared_ptr<LoadedRun> run_;
};

// Self times by path, of the rows that are scopes of the host.
std::map<std::string, int64_t> HostRows(const RunView& view, GroupBy by) {
  const Operations& operations = FindOperationsByHostScope(view);
  std::map<std::string, int64_t> rows;
  for (const OpGroup& group : GroupOperations(operations, Roofs(operations, Peaks()), by)) {
    if (group.of_host) rows[group.path] += group.self.value();
  }
  return rows;
}

using Times = std::map<std::string, int64_t>;

TEST(HostScopes, WorkIsUnderTheScopesItWasLaunchedFrom) {
  Eager eager;
  eager.Step(0, 0, 1000);  // else the launches would pass for steps
  eager.Scope("forward_pass", 0, 100);
  eager.Scope("layer_0", 10, 30);
  eager.Launch(12, 500);
  eager.Launch(20, 300);
  eager.Scope("layer_1", 40, 60);
  eager.Launch(42, 200);
  eager.Scope("backward_pass", 200, 300);
  eager.Launch(210, 70);
  eager.Launch(400, 7);  // in none
  const RunView view = eager.View();
  EXPECT_TRUE(HasHostScopes(view));
  EXPECT_EQ(HostRows(view, GroupBy::kScope), (Times{{"forward_pass", 1000},
                                                    {"forward_pass/layer_0", 800},
                                                    {"forward_pass/layer_1", 200},
                                                    {"backward_pass", 70}}));
  EXPECT_EQ(HostRows(view, GroupBy::kLayer),
            (Times{{"forward_pass", 1000}, {"forward_pass/layer_*", 1000}, {"backward_pass", 70}}));
}

TEST(HostScopes, EveryPicosecondOfWorkIsInOneRow) {
  Eager eager;
  eager.Scope("a", 0, 100);
  eager.Launch(12, 500);
  eager.Launch(210, 70);
  const RunView view = eager.View();
  const Operations& plain = FindOperations(view);
  const Operations& by_scope = FindOperationsByHostScope(view);
  const auto sum = [](const Operations& operations) {
    Ps self;
    for (const OpTotal& total : operations.totals) self += total.self;
    return self;
  };
  EXPECT_EQ(sum(by_scope), Ps(570));
  EXPECT_EQ(sum(by_scope), sum(plain));
  EXPECT_EQ(plain.totals.size(), 1U);
}

TEST(HostScopes, AThreadOfTheRuntimeLaunchesForTheCallOfPython) {
  Eager eager;
  eager.Scope("forward_pass", 0, 100);
  eager.Step(0, 0, 1000);
  eager.Launch(10, 5);           // that shows which thread is Python's
  eager.LaunchByWorker(98, 40);  // the launch comes when the scope is over
  EXPECT_EQ(HostRows(eager.View(), GroupBy::kScope), (Times{{"forward_pass", 45}}));
}

TEST(HostScopes, StepsAreNoScopes) {
  Eager eager;
  eager.Step(0, 0, 100);
  eager.Launch(12, 500);
  const RunView view = eager.View();
  EXPECT_FALSE(HasHostScopes(view));
  EXPECT_EQ(&FindOperationsByHostScope(view), &FindOperations(view));
}

}  // namespace
}  // namespace gait::analyze
