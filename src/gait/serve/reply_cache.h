// ReplyCache: the last replies, so that thirty pages that open the same run make each of them once. Those
// that ask for a reply in the making wait for it. Thread-safe.
#pragma once

#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <string>

#include "gait/serve/message.h"

namespace gait::serve {

class ReplyCache {
 public:
  explicit ReplyCache(size_t budget) : budget_(budget) {}

  // The reply of that key; `make` makes it when there is none. Errors are not kept.
  Reply Get(const std::string& key, const std::function<Reply()>& make);

 private:
  struct Entry {
    std::string key;
    std::shared_future<Reply> reply;
    size_t bytes = 0;  // 0: in the making
  };

  void Settle(const std::string& key, const Reply& reply);
  void Drop(const std::string& key);

  size_t budget_;
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Entry> entries_;  // used last first
};

}  // namespace gait::serve
