// Memo: results that several analyses of one view need, made at the first request and then shared.
#pragma once

#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>

namespace gait::analyze {

// Any number of threads may ask. A thread that asks for a result in the making waits for the result.
class Memo {
 public:
  // The T of this memo; `make` makes it when there is none yet.
  template <typename T, typename Make>
  const T& Get(Make make) {
    Entry& entry = Find(typeid(T));
    std::call_once(entry.once, [&] { entry.value = std::make_shared<T>(make()); });
    return *static_cast<const T*>(entry.value.get());
  }

 private:
  struct Entry {
    std::once_flag once;
    std::shared_ptr<const void> value;
  };

  Entry& Find(std::type_index type) {
    const std::scoped_lock lock(mutex_);
    return entries_[type];
  }

  std::mutex mutex_;
  std::unordered_map<std::type_index, Entry> entries_;  // nodes stay where they are
};

}  // namespace gait::analyze
