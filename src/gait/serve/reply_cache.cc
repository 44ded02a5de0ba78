#include "gait/serve/reply_cache.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <fmt/format.h>

namespace gait::serve {

namespace {

// As long as the one who asks is there.
Reply WaitFor(const std::shared_future<Reply>& future, const std::stop_token& gone) {
  constexpr std::chrono::milliseconds kBetweenLooks(50);
  while (gone.stop_possible() && future.wait_for(kBetweenLooks) != std::future_status::ready) {
    if (gone.stop_requested()) return GoneReply();
  }
  return future.get();
}

}  // namespace

std::string JoinedKey(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key += fmt::format("{}:{}|", part.size(), part);
  return key;
}

Reply ReplyCache::Get(const std::string& key, const std::stop_token& gone,
                      const std::function<Reply(const std::stop_token&)>& make) {
  std::promise<Reply> promise;
  std::shared_future<Reply> future;
  std::shared_ptr<Interest> interest;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    if (known != entries_.end() && known->bytes > 0) {
      entries_.splice(entries_.begin(), entries_, known);
      return known->reply.get();
    }
    if (known != entries_.end() && known->interest->Join()) {
      future = known->reply;
      interest = known->interest;
    } else {
      if (known != entries_.end()) entries_.erase(known);  // it was given up
      interest = std::make_shared<Interest>();
      interest->Join();
      entries_.push_front({key, promise.get_future().share(), 0, interest});
    }
  }
  const LeaveWhenGone leave(gone, interest);
  if (future.valid()) return WaitFor(future, gone);
  try {
    Reply reply = make(interest->token());
    if (interest->token().stop_requested()) reply = GoneReply();
    promise.set_value(reply);
    Settle(interest.get(), reply);
    return reply;
  } catch (...) {
    // Out of memory: those that wait hear of it too, and the next one tries again.
    promise.set_exception(std::current_exception());
    Drop(interest.get());
    throw;
  }
}

void ReplyCache::Settle(const Interest* made_for, const Reply& reply) {
  if (reply.status != 200 || reply.stream) return Drop(made_for);
  const std::scoped_lock lock(mutex_);
  const auto entry = std::ranges::find(entries_, made_for, [](const Entry& e) { return e.interest.get(); });
  if (entry == entries_.end()) return;
  entry->bytes = reply.body->size() + entry->key.size() + sizeof(Entry);
  bytes_ += entry->bytes;
  KeepWithin(budget_);
}

void ReplyCache::KeepWithin(size_t budget) {
  for (auto at = entries_.end(); bytes_ > budget && at != entries_.begin();) {
    --at;
    if (at->bytes == 0) continue;
    bytes_ -= at->bytes;
    at = entries_.erase(at);
  }
}

bool ReplyCache::DropHalf() {
  const std::scoped_lock lock(mutex_);
  if (bytes_ == 0) return false;
  KeepWithin(bytes_ / 2);
  return true;
}

void ReplyCache::Drop(const Interest* made_for) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.interest.get() == made_for; });
}

}  // namespace gait::serve
