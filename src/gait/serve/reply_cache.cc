#include "gait/serve/reply_cache.h"

#include <algorithm>
#include <exception>

namespace gait::serve {

Reply ReplyCache::Get(const std::string& key, const std::function<Reply()>& make) {
  std::promise<Reply> promise;
  std::shared_future<Reply> future;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    if (known != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, known);
      future = known->reply;
    } else {
      entries_.push_front({key, promise.get_future().share(), 0});
    }
  }
  if (future.valid()) return future.get();
  try {
    Reply reply = make();
    promise.set_value(reply);
    Settle(key, reply);
    return reply;
  } catch (...) {
    // Out of memory: those that wait hear of it too, and the next one tries again.
    promise.set_exception(std::current_exception());
    Drop(key);
    throw;
  }
}

void ReplyCache::Settle(const std::string& key, const Reply& reply) {
  if (reply.status != 200 || reply.stream) return Drop(key);
  const std::scoped_lock lock(mutex_);
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  if (entry == entries_.end()) return;
  entry->bytes = reply.body->size() + key.size() + sizeof(Entry);
  bytes_ += entry->bytes;
  for (auto at = entries_.end(); bytes_ > budget_ && at != entries_.begin();) {
    --at;
    if (at->bytes == 0) continue;
    bytes_ -= at->bytes;
    at = entries_.erase(at);
  }
}

void ReplyCache::Drop(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
}

}  // namespace gait::serve
