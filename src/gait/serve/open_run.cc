#include "gait/serve/open_run.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "gait/base/thread_pool.h"
#include "gait/serve/ahead.h"

namespace gait::serve {
namespace {

constexpr size_t kKeptViews = 8;
constexpr size_t kKeptSearches = 4;

std::string KeyOf(const analyze::Selection& selection) {
  return JoinedKey({selection.first_step ? std::to_string(*selection.first_step) : "",
                    selection.last_step ? std::to_string(*selection.last_step) : "", selection.device,
                    selection.host, selection.program, selection.series});
}

}  // namespace

OpenRun::OpenRun(std::shared_ptr<const analyze::LoadedRun> run)
    : run_(std::move(run)), flows_once_(run_->hosts.size()), flows_(run_->hosts.size()) {}

Result<std::shared_ptr<const analyze::RunView>> OpenRun::View(const analyze::Selection& selection) {
  const std::string key = KeyOf(selection);
  std::promise<SharedView> promise;
  std::shared_future<SharedView> future;
  {
    const std::scoped_lock lock(views_mutex_);
    const auto known = std::ranges::find(views_, key, &KeptView::key);
    if (known != views_.end()) {
      views_.splice(views_.begin(), views_, known);
      future = known->view;
    } else {
      views_.push_front({key, promise.get_future().share()});
      if (views_.size() > kKeptViews) views_.pop_back();
    }
  }
  if (future.valid()) return future.get();
  try {
    SharedView made = MakeView(selection);
    promise.set_value(made);
    return made;
  } catch (...) {
    // Out of memory: those that wait hear of it too, and the next one tries again.
    promise.set_exception(std::current_exception());
    const std::scoped_lock lock(views_mutex_);
    std::erase_if(views_, [&](const KeptView& view) { return view.key == key; });
    throw;
  }
}

OpenRun::SharedView OpenRun::MakeView(const analyze::Selection& selection) const {
  GAIT_TRY(analyze::RunView view, analyze::RunView::Make(*run_, selection));
  // The view refers to the run: it keeps it alive.
  struct Both {
    std::shared_ptr<const analyze::LoadedRun> run;
    analyze::RunView view;
  };
  const auto both = std::make_shared<const Both>(Both{run_, std::move(view)});
  return std::shared_ptr<const analyze::RunView>(both, &both->view);
}

const timeline::Timeline& OpenRun::timeline() {
  std::call_once(timeline_once_, [&] {
    timeline_ = std::make_unique<timeline::Timeline>(timeline::Timeline::Make(*run_));
    // Whoever looks at the timeline will want these next.
    background_ = std::jthread([this](const std::stop_token& stop) {
      GiveWay(kNiceAhead);
      const AheadTurn turn(AheadTurn::kMostWait, stop);
      if (!turn) return;
      try {
        for (const timeline::TimelineTrack& track : timeline_->captured.tracks) {
          if (!track.counter) track.rows->Make(false);
        }
        book();
        for (size_t h = 0; h < run_->hosts.size(); ++h) flows(h);
      } catch (const std::exception&) {  // memory: whoever asks for them tries again, and hears of it
      }
    });
  });
  return *timeline_;
}

const timeline::Derived* OpenRun::derived(bool wait) {
  if (!wait) return derived_ready_ ? derived_.get() : nullptr;
  std::call_once(derived_once_, [&] {
    const timeline::Timeline& captured = timeline();
    if (const auto view = View({})) {
      derived_ = timeline::Derive(captured, **view);
    } else {
      derived_ = std::make_unique<timeline::Derived>();  // a view of everything is always there
    }
    derived_ready_ = true;
  });
  return derived_.get();
}

bool OpenRun::HasTrack(uint32_t id) {
  const size_t captured = timeline().captured.tracks.size();
  return id < captured || id - captured < derived(true)->set.tracks.size();
}

Result<const timeline::TimelineTrack*> OpenRun::FindTrack(const std::string& number) {
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  const bool parsed = error == std::errc() && end == number.data() + number.size();
  if (!parsed || !HasTrack(id)) {
    return UsageError(fmt::format("there is no track '{}'.", number),
                      "tracks lists them with their numbers.");
  }
  return &track(id);
}

const timeline::TimelineTrack& OpenRun::track(uint32_t id) {
  const auto& captured = timeline().captured.tracks;
  return id < captured.size() ? captured[id] : derived(true)->set.tracks[id - captured.size()];
}

const timeline::NameDescriber& OpenRun::describer() {
  std::call_once(describer_once_,
                 [&] { describer_ = std::make_unique<const timeline::NameDescriber>(timeline()); });
  return *describer_;
}

const timeline::Book& OpenRun::captured_book() {
  std::call_once(captured_book_once_, [&] {
    captured_book_ = std::make_unique<const timeline::Book>(timeline(), nullptr, describer());
  });
  return *captured_book_;
}

const timeline::Book& OpenRun::book() {
  std::call_once(book_once_, [&] {
    book_ = std::make_unique<const timeline::Book>(timeline(), derived(true), describer());
  });
  return *book_;
}

Result<std::shared_ptr<const timeline::SearchResult>> OpenRun::Search(const std::string& key,
                                                                      const timeline::SearchQuery& query) {
  {
    const std::scoped_lock lock(searches_mutex_);
    const auto known = std::ranges::find(searches_, key, [](const auto& kept) { return kept.first; });
    if (known != searches_.end()) {
      searches_.splice(searches_.begin(), searches_, known);
      return known->second;
    }
  }
  GAIT_TRY(timeline::SearchResult found, timeline::Search(book(), query));
  auto result = std::make_shared<const timeline::SearchResult>(std::move(found));
  if (query.stop.stop_requested()) return result;  // not whole
  const std::scoped_lock lock(searches_mutex_);
  searches_.emplace_front(key, result);
  if (searches_.size() > kKeptSearches) searches_.pop_back();
  return result;
}

const FlowIndex& OpenRun::flows(size_t host) {
  std::call_once(flows_once_[host],
                 [&] { flows_[host] = std::make_unique<FlowIndex>(run_->hosts[host].trace); });
  return *flows_[host];
}

bool OpenRun::DropOldest() {
  std::shared_ptr<const timeline::SearchResult> search;  // freed behind the locks
  {
    const std::scoped_lock lock(searches_mutex_);
    if (!searches_.empty()) {
      search = std::move(searches_.back().second);
      searches_.pop_back();
      return true;
    }
  }
  std::shared_future<SharedView> view;
  const std::scoped_lock lock(views_mutex_);
  if (views_.size() < 2) return false;
  view = std::move(views_.back().view);
  views_.pop_back();
  return true;
}

}  // namespace gait::serve
