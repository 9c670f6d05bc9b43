#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

#include "environment/run_environment.h"

namespace linnet {

/// What threads make at this moment, so that nobody makes the same a second time. Only who needs the same waits, and
/// looks at his deadline meanwhile. One mutex of the caller guards it and what is there already.
template <class Key>
class InProgress {
 public:
  /// While it lives, its thread makes what the key names, without the mutex. It ends with the mutex locked.
  class Turn {
   public:
    Turn(InProgress& all, std::unique_lock<std::mutex>& lock, Key key)
        : all_(all), lock_(lock), own_(all.keys_.insert(all.keys_.end(), std::move(key))) {
      lock_.unlock();
    }
    ~Turn() {
      lock_.lock();
      all_.keys_.erase(own_);
      all_.ended_.notify_all();
    }
    Turn(const Turn&) = delete;

    const Key& key() const { return *own_; }

   private:
    InProgress& all_;
    std::unique_lock<std::mutex>& lock_;
    typename std::list<Key>::iterator own_;
  };

  /// What find() gives, after waiting while some key `is_same`; nothing where the caller is to make it. `run`: whose
  /// deadline ends waiting; nullptr: that of the current environment.
  template <class Find, class IsSame>
  auto find(std::unique_lock<std::mutex>& lock, Find find, IsSame is_same, const RunEnvironment* run = nullptr) {
    constexpr std::chrono::milliseconds kPatience(10);
    while (true) {
      auto found = find();
      if (found || std::ranges::none_of(keys_, is_same)) return found;
      ended_.wait_for(lock, kPatience);
      run ? run->check() : check_current();
    }
  }

 private:
  std::list<Key> keys_;
  std::condition_variable ended_;
};

}  // namespace linnet
