// Routes: leads each path to the function that answers it (docs/http.md).
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "gait/serve/directory.h"
#include "gait/serve/message.h"
#include "gait/serve/parameters.h"
#include "gait/serve/reply_cache.h"
#include "gait/serve/run_store.h"

namespace gait::serve {

class Routes {
 public:
  // `directory` is a log directory or one file; `memory` is the budget in bytes (run_store.h).
  Routes(std::string directory, size_t memory);

  // Any number of threads may call this.
  Reply operator()(const Request& request);

  // Reads the run and makes the replies for its first page, so that they are ready when the browser asks.
  void Prepare(const std::string& id);

  Directory& directory() { return directory_; }

 private:
  Reply Api(const Request& request, std::string_view rest);
  Reply OfRun(const Request& request, const std::string& id, const std::string& what);
  // The answer about a run, which is read first if necessary.
  Reply Answer(const ListedRun& run, const std::string& what, const Parameters& parameters);
  Reply List();
  // The answer about several runs: the parameter `with` names the other runs.
  Reply Together(const std::string& what, std::shared_ptr<OpenRun> first, const Parameters& parameters);

  Directory directory_;
  RunStore store_;
  ReplyCache replies_;
  ReplyCache summaries_;
  std::atomic<int> at_work_ = 0;
};

// The answer of a verb about an open run.
Reply VerbReply(OpenRun& run, const std::string& verb, const Parameters& parameters);
// `runs` are two or more; the others are compared with the first.
Reply DiffReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters);
Reply ScaleReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters);
Reply SummaryReply(OpenRun& run, const std::string& id);
Reply FilesReply(const ListedRun& run);
Reply HeapReply(const ListedRun& run, const Parameters& parameters);
Reply LoadReply(RunStore& store, const std::shared_ptr<const ListedRun>& run, const Parameters& parameters);
// nullopt: the path is no question about the timeline.
std::optional<Reply> TimelineReply(OpenRun& run, const std::string& what, const Parameters& parameters);
// The app's files.
Reply AssetReply(const Request& request);

// One run as an object of the list.
std::string RunJson(const ListedRun& run, RunState state);

}  // namespace gait::serve
