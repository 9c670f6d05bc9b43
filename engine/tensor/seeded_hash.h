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

/// The hash for tables whose keys come from a file or a caller. It depends on random numbers that differ in each
/// process, so that colliding keys cannot be chosen. The order of such a table therefore differs in each process, and
/// nothing may depend on it.
class SeededHash {
 public:
  using is_transparent = void;

  SeededHash();

  /// XXH3. It is not noexcept, so that tables of the standard library store the hashes of texts.
  size_t operator()(std::string_view text) const { return size_t(hash_text(text)); }
  /// Every bit of the number affects the upper bits.
  uint64_t operator()(uint64_t number) const {
    number = (number ^ salt_->numbers[0]) * salt_->numbers[1];
    return (number ^ number >> 32) * salt_->numbers[2];
  }

 private:
  struct Salt {
    Salt();
    uint64_t secret[24];  ///< for XXH3
    uint64_t numbers[3];  ///< all but the first are odd
  };

  static const Salt& process_salt();
  uint64_t hash_text(std::string_view text) const;

  const Salt* salt_;
};

/// Tables whose keys are texts or numbers from a file or a caller. Their memory is counted, except that of texts.
template <class Key, class Value>
using SeededMap =
    std::unordered_map<Key, Value, SeededHash, std::equal_to<>, CountedAllocator<std::pair<const Key, Value>>>;
template <class Key>
using SeededSet = std::unordered_set<Key, SeededHash, std::equal_to<>, CountedAllocator<Key>>;

}  // namespace linnet
