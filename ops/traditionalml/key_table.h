#pragma once

#include <memory>
#include <optional>

#include "indexing/first_numbers.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"
#include "tensor/seeded_hash.h"

namespace linnet {

/// Determines which keys are equal, and which of equal keys is used.
struct KeyRules {
  bool last_counts = false;  ///< Uses the last place of a repeated key, else its first one.
  bool by_bits = false;      ///< Compares floats by their bits. Otherwise all NaNs are equal, and so are 0 and -0.
};

/// Maps numbers to places. It is a hash table with open addressing, or an array if the keys are close to each other.
class NumberTable {
 public:
  /// Allocates a table for at most `keys` keys.
  explicit NumberTable(int64_t keys = 0);

  /// Returns the place of a key, for the caller to set; -1 if the key is new.
  int64_t& at(uint64_t key, Checkpoints& checkpoints);
  /// Builds an array from the least to the greatest key if that range is small: at most `most` or about twice as many
  /// as there are keys. No key may be added afterwards.
  void finish(uint64_t most = 0);
  /// Returns -1 if the key is not found.
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

  CountedVector<Slot> slots_;  ///< The size is a power of two.
  uint64_t least_ = 0;
  CountedVector<int64_t> near_;  ///< Indexed by key - least_, or empty.
  SeededHash seeded_;
  int shift_;
};

/// Finds elements among keys: strings byte by byte, numbers by value or by bits.
class KeyTable {
 public:
  /// keys: one-dimensional, of string, int64, int32, int16, float32 or float64.
  explicit KeyTable(const Tensor& keys, KeyRules rules = {});

  /// Writes the place among the keys of each of the elements [begin, end) of x, which has the keys' dtype; -1 if not
  /// found.
  void find(const Tensor& x, int64_t begin, int64_t end, int64_t* places) const;

  /// Returns the place of one number among int64 keys; -1 if not found.
  int64_t find(int64_t number) const;

 private:
  void add_texts(bool last_counts);
  int64_t find_text(const std::string& text, Checkpoints& checkpoints) const;

  Tensor texts_;                     // The keys if they are strings.
  std::optional<HashSlots> places_;  // The places of the keys that are used.
  SeededHash seeded_;
  NumberTable numbers_;  // The keys by number_key() in key_table.cc.
  bool by_bits_;
};

/// Returns a kernel that replaces each element of X: an element at place p of the table by element p of `values`,
/// others by the last element of `values`. `values` has one element more than the table has keys, and the dtype of the
/// output.
KernelPtr make_lookup_kernel(std::shared_ptr<const KeyTable> table, const Tensor& values);

/// Throws Error(kModel) unless exactly one of `given` is true. Used for attributes that exclude each other. names:
/// "keys_strings, keys_int64s".
void require_exactly_one(std::initializer_list<bool> given, const std::string& names);

}  // namespace linnet
