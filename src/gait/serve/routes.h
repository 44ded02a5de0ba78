// Routes: which question a path is, and who answers it (docs/http.md).
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
  // `directory` is a log directory or one file; `memory` bytes for all that is held (run_store.h).
  Routes(std::string directory, size_t memory);

  // Any number of threads may ask.
  Reply operator()(const Request& request);

  // Reads the run and makes what its first page asks for, so that it is there when the browser is.
  void Prepare(const std::string& id);

  Directory& directory() { return directory_; }

 private:
  Reply Api(const Request& request, std::string_view rest);
  Reply OfRun(const Request& request, const std::string& id, const std::string& what);
  // About a run that is read first if need be.
  Reply Answer(const ListedRun& run, const std::string& what, const Parameters& parameters);
  Reply List();
  // Questions about several runs: the others are named by `with`.
  Reply Together(const std::string& what, std::shared_ptr<OpenRun> first, const Parameters& parameters);

  Directory directory_;
  RunStore store_;
  ReplyCache replies_;
  ReplyCache summaries_;
  std::atomic<int> at_work_ = 0;
};

// Questions about a run that is open.
Reply VerbReply(OpenRun& run, const std::string& verb, const Parameters& parameters);
// `runs` are two or more; what the others are held against comes first.
Reply DiffReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters);
Reply ScaleReply(const std::vector<std::shared_ptr<OpenRun>>& runs, const Parameters& parameters);
Reply SummaryReply(OpenRun& run, const std::string& id);
Reply FilesReply(const ListedRun& run);
Reply HeapReply(const ListedRun& run, const Parameters& parameters);
Reply LoadReply(RunStore& store, const std::shared_ptr<const ListedRun>& run, const Parameters& parameters);
// nullopt: it is no question about the timeline.
std::optional<Reply> TimelineReply(OpenRun& run, const std::string& what, const Parameters& parameters);
// The app's files.
Reply AssetReply(const Request& request);

// One run as an object of the list.
std::string RunJson(const ListedRun& run, RunState state);

}  // namespace gait::serve
