#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "environment/run_environment.h"

namespace linnet {

/// Checks in long loops, about every millisecond, whether the run or load of this thread is to end. It is for loops of
/// chunks, of compile() and of packing.
class Checkpoints {
  /// The number of elements that are sorted within some milliseconds. Below it nothing is counted, as counting costs
  /// more than comparing numbers.
  static constexpr int64_t kFew = int64_t{1} << 16;

  template <class Less>
  auto counted(Less less, int64_t work) {
    return [this, less, work](const auto& a, const auto& b) {
      add(work);
      return less(a, b);
    };
  }

 public:
  /// The work between two checks, in operations of about a nanosecond: multiplications, samples, comparisons.
  static constexpr int64_t kWork = int64_t{1} << 20;

  /// Adds work. The call itself counts too, so that loops over empty work also end.
  void add(int64_t work) {
    left_ -= work + 1;
    if (left_ > 0) return;
    check_current();
    left_ = kWork;
  }

  /// Calls f(begin, end) for consecutive ranges that make up [0, items), and checks between them.
  template <class F>
  void in_parts(int64_t items, int64_t work_per_item, F f) {
    const int64_t step = std::max<int64_t>(1, kWork / std::max<int64_t>(1, work_per_item));
    for (int64_t begin = 0; begin < items; begin += step) {
      const int64_t end = std::min(items, begin + step);
      f(begin, end);
      add((end - begin) * work_per_item);
    }
    add(0);
  }

  /// std::sort with checks. A comparison takes about `work` nanoseconds.
  template <class Iterator, class Less = std::less<>>
  void sort(Iterator begin, Iterator end, Less less = {}, int64_t work = 1) {
    if (end - begin <= kFew / work) return std::sort(begin, end, less);
    std::sort(begin, end, counted(less, work));
  }

  /// std::nth_element with checks, for numbers or pairs.
  template <class Iterator>
  void nth_element(Iterator begin, Iterator nth, Iterator end) {
    if (end - begin <= kFew) return std::nth_element(begin, nth, end);
    std::nth_element(begin, nth, end, counted(std::less<>(), 1));
  }

 private:
  int64_t left_ = kWork;
};

}  // namespace linnet
