#pragma once

#include <memory>
#include <optional>

#include "indexing/first_numbers.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"
#include "tensor/seeded_hash.h"

namespace linnet {

/// Which keys are equal, and which of equal ones counts.
struct KeyRules {
  bool last_counts = false;  ///< the last place of a repeated key, else its first one
  bool by_bits = false;      ///< floats are equal where their bits are; else all NaNs are, and so are 0 and -0
};

/// Numbers as keys of places, in open addressing; of keys that are close to each other also in an array.
class NumberTable {
 public:
  /// For at most so many keys.
  explicit NumberTable(int64_t keys = 0);

  /// The place of a key, to be set; -1 where it is new.
  int64_t& at(uint64_t key, Checkpoints& checkpoints);
  /// Makes an array of the places of all keys from the least to the greatest, where there are few. No key may be added
  /// after that.
  void finish();
  /// -1: not found.
  int64_t find(uint64_t key) const {
    if (!near_.empty()) return key - least_ < near_.size() ? near_[size_t(key - least_)] : -1;
    size_t at = first(key);
    while (slots_[at].place >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at].place;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    int64_t place = -1;
  };
  size_t first(uint64_t key) const { return size_t(seeded_(key) >> shift_); }

  CountedVector<Slot> slots_;  ///< a power of two
  uint64_t least_ = 0;
  CountedVector<int64_t> near_;  ///< by key - least_, or empty
  SeededHash seeded_;
  int shift_;
};

/// Finds elements among keys: strings byte by byte, numbers by value or bit by bit.
class KeyTable {
 public:
  /// keys: one-dimensional, of string, int64, int32, int16, float32 or float64.
  explicit KeyTable(const Tensor& keys, KeyRules rules = {});

  /// The place among the keys of each of the elements [begin, end) of x, which has the keys' dtype; -1: not found.
  void find(const Tensor& x, int64_t begin, int64_t end, int64_t* places) const;
  /// The place of one number among keys of int64; -1: not found.
  int64_t find(int64_t number) const;

 private:
  void add_texts(bool last_counts);
  int64_t find_text(const std::string& text, Checkpoints& checkpoints) const;

  Tensor texts_;                     // the keys, where they are strings
  std::optional<HashSlots> places_;  // of those that count
  SeededHash seeded_;
  NumberTable numbers_;  // by number_key() in key_table.cc
  bool by_bits_;
};

/// A kernel that replaces each element of X: those found in the table at place p by element p of `values`, the others
/// by its last element. `values` has one element more than the table has keys, and the dtype of the output.
KernelPtr make_lookup_kernel(std::shared_ptr<const KeyTable> table, const Tensor& values);

/// Throws Error(kModel) unless exactly one of the counts is not 0: of attributes that exclude each other.
/// names: "keys_strings, keys_int64s".
void require_exactly_one(std::initializer_list<bool> given, const std::string& names);

}  // namespace linnet
