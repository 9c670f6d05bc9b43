#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

#include "environment/run_environment.h"

namespace linnet {

/// The set of objects that threads are making, so that none is made twice at the same time. Only threads that need the
/// same object wait, and they check their deadlines meanwhile. A mutex of the caller guards this set and the finished
/// objects.
template <class Key>
class InProgress {
 public:
  /// During its lifetime its thread makes the object that the key names, without the mutex. It ends with the mutex
  /// locked.
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

  /// Returns the result of find(), after waiting while some key `is_same`; an empty result if the caller is to make the
  /// object. `run`: the run whose deadline ends waiting; nullptr: that of the current environment.
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
