// analyses FILE: how long opening a capture takes, and each analysis of it after that, in one process.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gait/analyze/collectives/collectives_report.h"
#include "gait/analyze/compile/compile_report.h"
#include "gait/analyze/host/host_report.h"
#include "gait/analyze/idle/idle_report.h"
#include "gait/analyze/kernels/kernels_report.h"
#include "gait/analyze/memory/memory_report.h"
#include "gait/analyze/ops/ops_report.h"
#include "gait/analyze/overview/overview_report.h"
#include "gait/analyze/path/path_report.h"
#include "gait/analyze/roofline/roofline_report.h"
#include "gait/analyze/steps_report.h"
#include "gait/analyze/transfers/transfers_report.h"
#include "gait/analyze/view.h"
#include "gait/base/thread_pool.h"
#include "gait/read/xplane/reader.h"

namespace {

using namespace gait;  // NOLINT(google-build-using-namespace): a program of one file

template <typename F>
double Milliseconds(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: analyses FILE\n", stderr);
    return 2;
  }
  analyze::LoadedRun run;
  run.typed = argv[1];
  const double open = Milliseconds([&] {
    if (auto trace = xplane::ReadFile(argv[1])) run.hosts.push_back({"host", argv[1], std::move(*trace)});
  });
  if (run.hosts.empty()) return 3;
  fmt::print("  opening it{:>19.1f} ms\n", open);
  std::optional<Result<analyze::RunView>> view;
  const double looking = Milliseconds([&] { view.emplace(analyze::RunView::Make(run, {})); });
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
    const double taken = Milliseconds(analysis);
    fmt::print("  {:<13}{:>16.1f} ms\n", name, taken);
    sum += taken;
  }
  fmt::print("  one by one{:>19.1f} ms, {:.2f} times the opening\n", sum, sum / open);
  // What a server does: a view of its own, all threads. Opening used them too.
  const double together = Milliseconds([&] {
    const Result<analyze::RunView> fresh = analyze::RunView::Make(run, {});
    view.emplace(fresh);
    ForEach(analyses.size(), DefaultThreads(), [&](size_t i) { analyses[i].second(); });
  });
  fmt::print("  all together{:>17.1f} ms, {:.2f} times the opening\n", together, together / open);
  return 0;
}
