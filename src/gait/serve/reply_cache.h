// ReplyCache: the last replies, so that thirty pages that open the same run make each reply once. A request
// for a reply in the making waits for it. When all such requests have gone, the making is told to stop.
// Thread-safe.
#pragma once

#include <functional>
#include <future>
#include <initializer_list>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "gait/serve/interest.h"
#include "gait/serve/message.h"

namespace gait::serve {

// The parts as one text that no other parts make: each with its length in front.
std::string JoinedKey(std::initializer_list<std::string_view> parts);

class ReplyCache {
 public:
  explicit ReplyCache(size_t budget) : budget_(budget) {}

  // The reply of that key. `make` makes it when there is none, and looks at the stop token that it gets.
  // Errors and stopped replies are not kept. `gone` is the stop token of this request.
  Reply Get(const std::string& key, const std::stop_token& gone,
            const std::function<Reply(const std::stop_token&)>& make);

  // Half of what is kept, what was used longest ago. False: there is nothing.
  bool DropHalf();

 private:
  struct Entry {
    std::string key;
    std::shared_future<Reply> reply;
    size_t bytes = 0;  // 0: in the making
    std::shared_ptr<Interest> interest;
  };

  void KeepWithin(size_t budget);  // the mutex is held
  // By the interest: another making of the same key may have begun meanwhile.
  void Settle(const Interest* made_for, const Reply& reply);
  void Drop(const Interest* made_for);

  size_t budget_;
  std::mutex mutex_;
  size_t bytes_ = 0;
  std::list<Entry> entries_;  // used last first
};

}  // namespace gait::serve
