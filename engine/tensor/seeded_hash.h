#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tensor/counted_vector.h"

namespace linnet {

/// The hash of every table whose keys come from a file or a caller. It depends on random numbers that each process
/// draws, so that nobody can choose keys that collide. So the order of such a table is another in every process:
/// nothing may depend on it.
class SeededHash {
 public:
  using is_transparent = void;

  SeededHash();

  /// XXH3. It may throw, by its type, so that tables of the standard library keep the hashes of texts.
  size_t operator()(std::string_view text) const { return size_t(hash_text(text)); }
  /// All bits count in the upper ones.
  uint64_t operator()(uint64_t number) const {
    number = (number ^ salt_->numbers[0]) * salt_->numbers[1];
    return (number ^ number >> 32) * salt_->numbers[2];
  }

 private:
  struct Salt {
    Salt();
    uint64_t secret[24];  ///< of XXH3
    uint64_t numbers[3];  ///< but for the first, odd
  };

  static const Salt& process_salt();
  uint64_t hash_text(std::string_view text) const;

  const Salt* salt_;
};

/// Tables by texts or numbers that a file or a caller chooses, counted but for what texts hold.
template <class Key, class Value>
using SeededMap =
    std::unordered_map<Key, Value, SeededHash, std::equal_to<>, CountedAllocator<std::pair<const Key, Value>>>;
template <class Key>
using SeededSet = std::unordered_set<Key, SeededHash, std::equal_to<>, CountedAllocator<Key>>;

}  // namespace linnet
