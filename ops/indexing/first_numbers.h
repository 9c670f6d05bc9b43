#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

#include "linnet/tensor.h"
#include "partition/checkpoints.h"
#include "tensor/seeded_hash.h"

namespace linnet {

/// A hash table of numbers that are not negative, with open addressing. `size` is a power of two, at least 2 and
/// greater than the number of entries.
class HashSlots {
 public:
  explicit HashSlots(int64_t size)
      : memory_(DType::kInt64, Shape{size, sizeof(Slot) / sizeof(int64_t)}),
        slots_(static_cast<Slot*>(memory_.raw())),
        mask_(uint64_t(size) - 1),
        shift_(1 + std::countl_zero(uint64_t(size))) {
    std::uninitialized_fill_n(slots_, size, Slot{});
  }
  int64_t size() const { return int64_t(mask_) + 1; }

  /// Returns the number of this hash for which `equal` holds, or -1: in the first form an empty slot, which is this
  /// hash's if it is set.
  template <class Equal>
  int64_t& find(uint64_t hash, Equal equal, Checkpoints& checkpoints) {
    Slot& found = slots_[slot(hash, equal, checkpoints)];
    found.hash = hash;
    return found.number;
  }
  template <class Equal>
  int64_t find(uint64_t hash, Equal equal, Checkpoints& checkpoints) const {
    return slots_[slot(hash, equal, checkpoints)].number;
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    int64_t number = -1;
  };

  template <class Equal>
  uint64_t slot(uint64_t hash, Equal equal, Checkpoints& checkpoints) const {
    uint64_t at = seeded_(hash) >> shift_;
    while (slots_[at].number >= 0 && !(slots_[at].hash == hash && equal(slots_[at].number))) {
      checkpoints.add(8);
      at = (at + 1) & mask_;
    }
    return at;
  }

  Tensor memory_;
  Slot* slots_;
  SeededHash seeded_;
  uint64_t mask_;
  int shift_;
};

/// Numbers the distinct elements of n by their first occurrence. numbers[i] becomes the number of the first element
/// that equals element i; firsts[k] becomes the index of the first element with number k. Returns the number of
/// distinct elements, at most n. hash(i) is the hash of element i; it must be seeded if elements are more than numbers.
/// equal(i, j) compares two elements of equal hash.
template <class Hash, class Equal, class Number>
int64_t number_by_first(int64_t n, Hash hash, Equal equal, Number* numbers, int64_t* firsts, Checkpoints& checkpoints) {
  constexpr int64_t kFewSlots = 512, kGrowth = 4;
  HashSlots slots(kFewSlots);
  int64_t count = 0;
  checkpoints.in_parts(n, 8, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      int64_t& found = slots.find(
          hash(i), [&](int64_t number) { return equal(i, firsts[number]); }, checkpoints);
      numbers[i] = Number(found < 0 ? count : found);
      if (found >= 0) continue;
      found = count;
      firsts[count++] = i;
      if (4 * count <= slots.size()) continue;
      slots = HashSlots(checked_mul(kGrowth, slots.size()));
      const auto never = [](int64_t) { return false; };
      for (int64_t k = 0; k < count; ++k) slots.find(hash(firsts[k]), never, checkpoints) = k;
    }
  });
  return count;
}

}  // namespace linnet
