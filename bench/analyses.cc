// analyses FILE: how long opening a capture takes, and each analysis of it after that, in one process.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "gait/analyze/question/collectives/collectives_report.h"
#include "gait/analyze/question/compile/compile_report.h"
#include "gait/analyze/question/host/host_report.h"
#include "gait/analyze/question/idle/idle_report.h"
#include "gait/analyze/question/kernels/kernels_report.h"
#include "gait/analyze/question/memory/memory_report.h"
#include "gait/analyze/question/ops/ops_report.h"
#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/question/path/path_report.h"
#include "gait/analyze/question/roofline/roofline_report.h"
#include "gait/analyze/question/steps/steps_report.h"
#include "gait/analyze/question/transfers/transfers_report.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/thread_pool.h"
#include "gait/read/xplane/reader.h"

namespace {

using namespace gait;  // NOLINT(google-build-using-namespace): a program of one file

double ProcessorMilliseconds() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

// How long something takes, and how much time of all processors.
struct Taken {
  double wall = 0;
  double processor = 0;
};

template <typename F>
Taken Time(F f) {
  const double before = ProcessorMilliseconds();
  const auto begin = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), ProcessorMilliseconds() - before};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: analyses FILE\n", stderr);
    return 2;
  }
  analyze::LoadedRun run;
  run.typed = argv[1];
  const Taken open = Time([&] {
    if (auto trace = xplane::ReadFile(argv[1])) run.hosts.push_back({"host", argv[1], std::move(*trace)});
  });
  if (run.hosts.empty()) return 3;
  fmt::print("  opening it{:>19.1f} ms, of processors {:.1f} ms\n", open.wall, open.processor);
  std::optional<Result<analyze::RunView>> view;
  const double looking = Time([&] { view.emplace(analyze::RunView::Make(run, {})); }).wall;
  if (!view->has_value()) return 3;
  // Those that stand on another's result after it and some more: side by side, none waits for it.
  const std::vector<std::pair<std::string, std::function<void()>>> analyses = {
      {"steps", [&] { analyze::StepsDocument(**view); }},
      {"ops by op", [&] { analyze::OpsDocument(**view, analyze::GroupBy::kOp); }},
      {"path", [&] { analyze::PathDocument(**view); }},
      {"kernels", [&] { analyze::KernelsDocument(**view); }},
      {"host", [&] { analyze::HostDocument(**view); }},
      {"idle", [&] { analyze::IdleDocument(**view, std::nullopt); }},
      {"ops by scope", [&] { analyze::OpsDocument(**view, analyze::GroupBy::kScope); }},
      {"memory", [&] { (void)analyze::MemoryDocument(**view); }},
      {"transfers", [&] { analyze::TransfersDocument(**view); }},
      {"collectives", [&] { analyze::CollectivesDocument(**view); }},
      {"compile", [&] { (void)analyze::CompileDocument(**view); }},
      {"roofline", [&] { analyze::RooflineDocument(**view); }},
      {"overview", [&] { (void)analyze::OverviewDocument(**view); }},
  };
  fmt::print("  finding steps{:>16.1f} ms\n", looking);
  double sum = looking;
  for (const auto& [name, analysis] : analyses) {
    const double taken = Time(analysis).wall;
    fmt::print("  {:<13}{:>16.1f} ms\n", name, taken);
    sum += taken;
  }
  fmt::print("  one by one{:>19.1f} ms, {:.2f} times the opening\n", sum, sum / open.wall);
  // What a server does: a view of its own, all threads. Opening used them too.
  view.reset();
  const Taken together = Time([&] {
    view.emplace(analyze::RunView::Make(run, {}));
    ForEach(analyses.size(), DefaultThreads(), [&](size_t i) { analyses[i].second(); });
  });
  fmt::print("  all together{:>17.1f} ms, {:.2f} times the opening; of processors {:.1f} ms, {:.2f} times\n",
             together.wall, together.wall / open.wall, together.processor,
             together.processor / open.processor);
  return 0;
}
