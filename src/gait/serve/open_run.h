// OpenRun: a run in memory, with the objects that requests about the run share: views, the timeline, the
// derived tracks. Each object is made at the first request for it; requests that come meanwhile wait.
// Thread-safe.
#pragma once

#include <atomic>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/run/selection.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/timeline/book.h"
#include "gait/timeline/derive/derive.h"
#include "gait/timeline/search.h"
#include "gait/timeline/tracks.h"
#include "gait/trace/flows.h"

namespace gait::serve {

// The nice value of threads that work ahead of requests: requests that somebody waits for come first, and so
// does the browser.
inline constexpr int kNiceAhead = 5;

class OpenRun {
 public:
  explicit OpenRun(std::shared_ptr<const analyze::LoadedRun> run);
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  const analyze::LoadedRun& run() const { return *run_; }
  std::shared_ptr<const analyze::LoadedRun> shared_run() const { return run_; }

  // A view of the run; the last few views are kept. An error for a selection that selects nothing.
  Result<std::shared_ptr<const analyze::RunView>> View(const analyze::Selection& selection);
  const timeline::Timeline& timeline();
  // The derived tracks of the whole run, made in the background after the first request for the timeline.
  // Without `wait`: null until they are made.
  const timeline::Derived* derived(bool wait);
  const FlowIndex& flows(size_t host);

  bool HasTrack(uint32_t id);
  // The track of a number; a usage error for a text that is no number of a track.
  Result<const timeline::TimelineTrack*> FindTrack(const std::string& number);
  const timeline::TimelineTrack& track(uint32_t id);
  // The book of the captured tracks, and the book of all tracks. The second waits for the derived tracks.
  const timeline::Book& captured_book();
  const timeline::Book& book();
  // A search; the last few results are kept, since a person who steps from match to match repeats the query.
  // `key` names the query.
  Result<std::shared_ptr<const timeline::SearchResult>> Search(const std::string& key,
                                                               const timeline::SearchQuery& query);

  // Drops the oldest object that can be made again: a search, else a view, but never the last view. False:
  // there is nothing to drop.
  bool DropOldest();

 private:
  const timeline::NameDescriber& describer();

  using SharedView = Result<std::shared_ptr<const analyze::RunView>>;
  struct KeptView {
    std::string key;
    std::shared_future<SharedView> view;
  };
  SharedView MakeView(const analyze::Selection& selection) const;

  std::shared_ptr<const analyze::LoadedRun> run_;
  std::mutex views_mutex_;
  std::list<KeptView> views_;  // the newest first
  std::once_flag timeline_once_;
  std::unique_ptr<timeline::Timeline> timeline_;
  std::once_flag describer_once_;
  std::unique_ptr<const timeline::NameDescriber> describer_;
  std::once_flag captured_book_once_;
  std::unique_ptr<const timeline::Book> captured_book_;
  std::once_flag book_once_;
  std::unique_ptr<const timeline::Book> book_;
  std::mutex searches_mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const timeline::SearchResult>>> searches_;
  std::once_flag derived_once_;
  std::unique_ptr<const timeline::Derived> derived_;
  std::atomic<bool> derived_ready_ = false;
  std::vector<std::once_flag> flows_once_;
  std::vector<std::unique_ptr<FlowIndex>> flows_;
  std::jthread background_;  // makes what will be asked for next, of what is above: it ends first
};

}  // namespace gait::serve
