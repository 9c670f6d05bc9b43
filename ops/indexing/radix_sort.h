#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "indexing/order_key.h"
#include "partition/checkpoints.h"

namespace linnet {

/// The number of elements from which radix_sort() is faster than a comparison sort.
inline constexpr int64_t kLeastRadixElements = 256;

/// Divides keys into digits. Only `bits` bits of the keys, from bit `shift` on, differ: bits below are equal in all
/// keys, bits above are zero.
struct RadixDigits {
  static constexpr int kBits = 11;
  using Counts = std::array<int64_t, size_t{1} << kBits>;

  int shift = 0, bits = 64;

  int count() const { return (bits + kBits - 1) / kBits; }
  size_t of(uint64_t key, int digit) const { return size_t(key >> shift >> digit * kBits) % std::tuple_size_v<Counts>; }
};

/// Sorts n elements (of WideElements or NarrowElements) by key. The sort is stable. Returns the buffer that contains
/// the result, `elements` or `room`.
template <class Elements, class Element = typename Elements::Element>
Element* radix_sort(Element* elements, Element* room, int64_t n, const RadixDigits& digits, Checkpoints& checkpoints) {
  for (int digit = 0; digit < digits.count(); ++digit, std::swap(elements, room)) {
    RadixDigits::Counts places{};
    for (int64_t i = 0; i < n; ++i) ++places[digits.of(Elements::key(elements[i]), digit)];
    int64_t before = 0;
    for (int64_t& place : places) before += std::exchange(place, before);
    checkpoints.in_parts(n, 4, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) room[places[digits.of(Elements::key(elements[i]), digit)]++] = elements[i];
    });
  }
  return elements;
}

}  // namespace linnet
