#include "movement/slice_groups.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string_view>

#include "indexing/first_numbers.h"
#include "indexing/radix_sort.h"

namespace linnet {
namespace {

/// The largest number of columns for which slices are sorted column by column instead of by comparison.
constexpr int64_t kMostColumns = 16;

/// Groups slices that are in order: order(i) is the number of the i-th slice, starts(i) whether it differs from the one
/// before.
template <class Order, class Starts>
SliceGroups in_order(int64_t slices, Order order, Starts starts, const Tensor& memory, Checkpoints& checkpoints) {
  SliceGroups groups(slices, memory);
  int64_t *first = groups.first.data<int64_t>(), *counts = groups.counts.data<int64_t>();
  int64_t *inverse = groups.inverse.data<int64_t>(), group = -1;
  checkpoints.in_parts(slices, 4, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t slice = order(i);
      if (i == 0 || starts(i)) {
        first[++group] = slice;
        counts[group] = 0;
      }
      ++counts[group];
      inverse[slice] = group;
    }
  });
  groups.count = group + 1;
  return groups;
}

template <class Elements>
SliceGroups in_order(const typename Elements::Element* elements, int64_t slices, const Tensor& memory,
                     Checkpoints& checkpoints) {
  const auto order = [&](int64_t i) { return Elements::index(elements[i]); };
  const auto starts = [&](int64_t i) { return Elements::key(elements[i]) != Elements::key(elements[i - 1]); };
  return in_order(slices, order, starts, memory, checkpoints);
}

/// Subtracts the smallest key of a column from all keys. Returns the digits that differ.
RadixDigits reduce(uint64_t* keys, int64_t slices, int64_t columns) {
  uint64_t least = UINT64_MAX, varying = 0;
  for (int64_t i = 0; i < slices; ++i) least = std::min(least, keys[i * columns]);
  for (int64_t i = 0; i < slices; ++i) varying |= keys[i * columns] -= least;
  const int shift = varying ? std::countr_zero(varying) : 0;
  return {shift, int(std::bit_width(varying)) - shift};
}

/// Groups slices of one column whose keys are narrow enough to share a word with their indices. Overwrites the keys.
SliceGroups group_narrow(uint64_t* keys, int64_t slices, const RadixDigits& digits, const Tensor& memory,
                         Checkpoints& checkpoints) {
  using Elements = NarrowElements;
  for (int64_t i = 0; i < slices; ++i) keys[i] = Elements::make(uint32_t(keys[i] >> digits.shift), i);
  if (slices < kLeastRadixElements) {
    std::sort(keys, keys + slices);
    return in_order<Elements>(keys, slices, memory, checkpoints);
  }
  Tensor room(DType::kUint64, Shape{slices});
  const uint64_t* sorted = radix_sort<Elements>(keys, room.data<uint64_t>(), slices, {0, digits.bits}, checkpoints);
  return in_order<Elements>(sorted, slices, memory, checkpoints);
}

/// Sorts by the last column first. The sort is stable, so earlier columns keep the order of later ones among equal
/// keys. Keys are stored with their indices because that is several times faster than reading them through indices.
const KeyedIndex* sort_by_columns(uint64_t* keys, int64_t slices, int64_t columns, KeyedIndex* elements,
                                  Checkpoints& checkpoints) {
  KeyedIndex* room = elements + slices;
  for (int64_t i = 0; i < slices; ++i) elements[i].index = i;
  for (int64_t column = columns - 1; column >= 0; --column) {
    const RadixDigits digits = reduce(keys + column, slices, columns);
    for (int64_t i = 0; i < slices; ++i) elements[i].key = keys[elements[i].index * columns + column];
    KeyedIndex* sorted = radix_sort<WideElements>(elements, room, slices, digits, checkpoints);
    if (sorted == room) std::swap(elements, room);
  }
  return elements;
}

SliceGroups group_by_columns(uint64_t* keys, int64_t slices, int64_t columns, const Tensor& memory,
                             Checkpoints& checkpoints) {
  Tensor pairs(DType::kUint64, Shape{checked_mul(4, slices)});
  auto* elements = reinterpret_cast<KeyedIndex*>(pairs.data<uint64_t>());
  const KeyedIndex* sorted = sort_by_columns(keys, slices, columns, elements, checkpoints);
  if (columns == 1) return in_order<WideElements>(sorted, slices, memory, checkpoints);
  const auto starts = [&](int64_t i) {
    const uint64_t* slice = keys + sorted[i].index * columns;
    return !std::equal(slice, slice + columns, keys + sorted[i - 1].index * columns);
  };
  return in_order(
      slices, [&](int64_t i) { return sorted[i].index; }, starts, memory, checkpoints);
}

SliceGroups group_by_comparing(const uint64_t* keys, int64_t slices, int64_t columns, const Tensor& memory,
                               Checkpoints& checkpoints) {
  Tensor order_tensor(DType::kInt64, Shape{slices});
  int64_t* order = order_tensor.data<int64_t>();
  std::iota(order, order + slices, int64_t{0});
  const auto compare = [&](int64_t a, int64_t b) {
    checkpoints.add(columns);
    const uint64_t *x = keys + a * columns, *y = keys + b * columns;
    return std::lexicographical_compare_three_way(x, x + columns, y, y + columns);
  };
  const auto less = [&](int64_t a, int64_t b) {
    const auto result = compare(a, b);
    return result < 0 || (result == 0 && a < b);
  };
  checkpoints.sort(order, order + slices, less, 16);
  return in_order(
      slices, [&](int64_t i) { return order[i]; }, [&](int64_t i) { return compare(order[i - 1], order[i]) != 0; },
      memory, checkpoints);
}

}  // namespace

SliceGroups::SliceGroups(int64_t slices, const Tensor& memory)
    : first(DType::kInt64, Shape{slices}),
      counts(DType::kInt64, Shape{slices}),
      inverse(memory ? memory : Tensor(DType::kInt64, Shape{slices})) {}

SliceGroups groups_by_key(Tensor& keys_tensor, int64_t slices, int64_t columns, const Tensor& memory,
                          Checkpoints& checkpoints) {
  auto* keys = keys_tensor.data<uint64_t>();
  if (columns == 1 && slices <= NarrowElements::kMostIndices) {
    const RadixDigits digits = reduce(keys, slices, 1);
    if (digits.bits <= 32) return group_narrow(keys, slices, digits, memory, checkpoints);
  }
  if (columns <= kMostColumns && slices >= kLeastRadixElements) {
    return group_by_columns(keys, slices, columns, memory, checkpoints);
  }
  return group_by_comparing(keys, slices, columns, memory, checkpoints);
}

SliceGroups groups_by_first(const Tensor& keys_tensor, int64_t slices, int64_t columns, const Tensor& memory,
                            Checkpoints& checkpoints) {
  const auto* keys = keys_tensor.data<uint64_t>();
  SliceGroups groups(slices, memory);
  int64_t *inverse = groups.inverse.data<int64_t>(), *first = groups.first.data<int64_t>();
  if (columns == 1) {
    const auto equal = [](int64_t, int64_t) { return true; };  // The hash is the key.
    groups.count = number_by_first(
        slices, [keys](int64_t i) { return keys[i]; }, equal, inverse, first, checkpoints);
  } else {
    const auto equal = [&](int64_t i, int64_t k) {
      checkpoints.add(columns / 4);
      return std::equal(keys + i * columns, keys + (i + 1) * columns, keys + k * columns);
    };
    const auto hash = [&, seeded = SeededHash()](int64_t i) {
      checkpoints.add(columns / 2);
      const auto bytes = std::as_bytes(std::span(keys + i * columns, size_t(columns)));
      return seeded(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
    groups.count = number_by_first(slices, hash, equal, inverse, first, checkpoints);
  }
  int64_t* counts = groups.counts.data<int64_t>();
  std::fill_n(counts, groups.count, int64_t{0});
  checkpoints.in_parts(slices, 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) ++counts[inverse[i]];
  });
  return groups;
}

}  // namespace linnet
