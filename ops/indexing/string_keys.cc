#include "indexing/string_keys.h"

#include <algorithm>
#include <numeric>

#include "indexing/first_numbers.h"
#include "linnet/tensor.h"

namespace linnet {
namespace {

/// Turns numbers into ranks: `firsts` are the places of the `count` strings that they stand for.
void rank(const std::string* x, const int64_t* firsts, int64_t count, int64_t n, uint64_t* keys,
          Checkpoints& checkpoints) {
  Tensor order_tensor(DType::kInt64, Shape{count}), ranks_tensor(DType::kUint64, Shape{count});
  int64_t* order = order_tensor.data<int64_t>();
  std::iota(order, order + count, int64_t{0});
  const auto less = [&](int64_t a, int64_t b) {
    const std::string &left = x[firsts[a]], &right = x[firsts[b]];
    checkpoints.add(int64_t(std::min(left.size(), right.size())) / 8);
    return left < right;
  };
  checkpoints.sort(order, order + count, less, 64);
  uint64_t* ranks = ranks_tensor.data<uint64_t>();
  for (int64_t i = 0; i < count; ++i) ranks[order[i]] = uint64_t(i);
  checkpoints.in_parts(n, 2, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) keys[i] = ranks[keys[i]];
  });
}

}  // namespace

void string_keys(const std::string* x, int64_t n, bool sorted, uint64_t* keys, Checkpoints& checkpoints) {
  Tensor firsts_tensor(DType::kInt64, Shape{n});
  int64_t* firsts = firsts_tensor.data<int64_t>();
  const auto hash = [&, seeded = SeededHash()](int64_t i) {
    checkpoints.add(16 + int64_t(x[i].size()) / 4);
    return seeded(x[i]);
  };
  const auto equal = [&](int64_t i, int64_t k) {
    checkpoints.add(int64_t(x[i].size()) / 8);
    return x[i] == x[k];
  };
  const int64_t count = number_by_first(n, hash, equal, keys, firsts, checkpoints);
  if (sorted) rank(x, firsts, count, n, keys, checkpoints);
}

}  // namespace linnet
