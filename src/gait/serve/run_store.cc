#include "gait/serve/run_store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>

#include <fmt/format.h>

#include "gait/load/load.h"

namespace gait::serve {
namespace {

// How long a reading waits for the one before it. One after the other they are faster and take less memory;
// but a file that is slow, or never ends, holds nobody else up for longer.
constexpr std::chrono::seconds kCourtesy{1};

// Whatever goes wrong is an error of this run; the others go on.
Result<std::shared_ptr<OpenRun>> Read(const runs::Run& run, std::atomic<double>& progress,
                                      const std::stop_token& stop) {
  try {
    Result<analyze::LoadedRun> loaded = load::LoadRun(
        run, {.threads = 0, .progress = [&](double fraction) { progress = fraction; }, .stop = stop});
    if (!loaded) return std::unexpected(loaded.error());
    return std::make_shared<OpenRun>(std::make_shared<const analyze::LoadedRun>(std::move(*loaded)));
  } catch (const std::bad_alloc&) {
    return Unreadable(run.path + ": does not fit into memory.", "Look at it on a larger machine.");
  } catch (const std::exception& error) {
    return Unreadable(fmt::format("{}: a mistake inside gait: {}.", run.path, error.what()),
                      "Please report it.");
  }
}

}  // namespace

std::string_view Name(RunState state) {
  static constexpr std::array<std::string_view, 4> kNames = {"closed", "loading", "open", "failed"};
  return kNames[static_cast<size_t>(state)];
}

Result<std::shared_ptr<OpenRun>> RunStore::Open(const ListedRun& run, const std::stop_token& gone) {
  std::shared_ptr<Slot> slot;
  bool mine = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find_if(slots_, [&](const auto& s) { return s->id == run.id; });
    const bool same = known != slots_.end() && (*known)->version == run.version;
    if (same && (*known)->state == RunState::kOpen) {
      slots_.splice(slots_.begin(), slots_, known);
      return (*known)->open;
    }
    if (same && (*known)->state == RunState::kLoading && (*known)->interest->Join()) {
      slot = *known;
      slots_.splice(slots_.begin(), slots_, known);
    } else {
      if (known != slots_.end()) slots_.erase(known);
      slot = std::make_shared<Slot>();
      slot->id = run.id;
      slot->version = run.version;
      slot->interest->Join();
      slots_.push_front(slot);
      mine = true;
    }
  }
  const LeaveWhenGone leave(gone, slot->interest);
  if (mine) Load(slot, run.run);
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, gone, [&] { return slot->state != RunState::kLoading; })) {
    return Unreadable("nobody waits for this run any more.");
  }
  if (slot->state == RunState::kFailed) return std::unexpected(slot->error);
  return slot->open;
}

void RunStore::Load(const std::shared_ptr<Slot>& slot, const runs::Run& run) {
  const std::unique_lock turn(reading_, kCourtesy);
  const auto begin = std::chrono::steady_clock::now();
  Result<std::shared_ptr<OpenRun>> loaded =
      std::unexpected(Error{ErrorKind::kUnreadable, "out of memory.", ""});
  try {
    loaded = Read(run, slot->fraction, slot->interest->token());
  } catch (const std::bad_alloc&) {  // not even for saying so: the short text above needs none
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  {
    const std::scoped_lock lock(mutex_);
    if (loaded) {
      slot->open = std::move(*loaded);
      slot->state = RunState::kOpen;
      slot->fraction = 1;
      slot->milliseconds = took.count();
    } else {
      slot->error = std::move(loaded).error();  // a copy would need memory, which may just have run out
      slot->state = RunState::kFailed;
      // Given up: as if nobody had asked.
      if (slot->interest->token().stop_requested()) slots_.remove(slot);
    }
  }
  changed_.notify_all();
  Trim();
}

std::vector<std::shared_ptr<OpenRun>> RunStore::OpenRuns() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::shared_ptr<OpenRun>> open;
  for (const auto& slot : slots_) {
    if (slot->state == RunState::kOpen) open.push_back(slot->open);
  }
  std::ranges::reverse(open);
  return open;
}

std::shared_ptr<OpenRun> RunStore::DropOldest() {
  const std::scoped_lock lock(mutex_);
  const auto is_open = [](const auto& slot) { return slot->state == RunState::kOpen; };
  const auto newest = std::ranges::find_if(slots_, is_open);
  const auto oldest = std::find_if(slots_.rbegin(), slots_.rend(), is_open);
  if (oldest == slots_.rend() || *oldest == *newest) return nullptr;
  std::shared_ptr<OpenRun> dropped = (*oldest)->open;  // requests that still use it keep it alive
  slots_.remove(*oldest);
  return dropped;
}

void RunStore::Trim() {
  const auto is_too_much = [&] { return held_() > budget_; };
  if (!is_too_much()) return;
  const std::unique_lock turn(trimming_, std::try_to_lock);
  if (!turn) return;
  // What takes least to make again goes first: kept replies, views of a run, then the run.
  while (drop_first_ && is_too_much() && drop_first_()) ReturnFreed();
  for (const std::shared_ptr<OpenRun>& run : OpenRuns()) {
    while (is_too_much() && run->DropOldest()) ReturnFreed();
  }
  while (is_too_much() && DropOldest() != nullptr) ReturnFreed();
}

LoadProgress RunStore::Progress(const ListedRun& run) {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find_if(
      slots_, [&](const auto& s) { return s->id == run.id && s->version == run.version; });
  if (known == slots_.end()) return {};
  LoadProgress progress{(*known)->state, (*known)->fraction, (*known)->milliseconds, std::nullopt};
  if ((*known)->state == RunState::kFailed) progress.error = (*known)->error;
  return progress;
}

void RunStore::Forget(const RunList& list) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(slots_, [&](const std::shared_ptr<Slot>& slot) {
    return slot->state != RunState::kLoading &&
           std::ranges::none_of(list.runs, [&](const ListedRun& run) { return run.id == slot->id; });
  });
}

}  // namespace gait::serve
