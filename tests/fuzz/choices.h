#pragma once

#include <cstdint>
#include <span>

namespace linnet {

/// Choices that are determined by one byte each. When there are no more bytes, the least choice is taken.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool any() const { return !bytes_.empty(); }
  int byte() {
    if (bytes_.empty()) return 0;
    const uint8_t first = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return first;
  }
  /// Returns a number from low to high.
  int integer(int low, int high) { return low + byte() % (high - low + 1); }
  bool flag() { return byte() % 2 == 1; }
  template <class List>
  const auto& of(const List& list) {
    return list[size_t(byte()) % std::size(list)];
  }

 private:
  std::span<const uint8_t> bytes_;
};

}  // namespace linnet
