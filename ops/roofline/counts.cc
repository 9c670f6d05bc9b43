#include "roofline/counts.h"

#include <algorithm>

namespace linnet {

int64_t conv_multiply_adds(const Tensor& y, const Tensor& w) {
  return checked_mul(y.size(), w.shape().elements(1, w.rank()));
}

int64_t matmul_multiply_adds(const Tensor& y, const Tensor& a) { return checked_mul(y.size(), a.dim(a.rank() - 1)); }

int64_t pixels_of(const Tensor& channels_last) { return channels_last.shape().elements(0, channels_last.rank() - 1); }

int64_t bytes_of_selection(const NodeValues& values) {
  const int64_t all = NodeValues::bytes(values.in(0));
  return values.bytes() - all + std::min(all, NodeValues::bytes(values.out(0)));
}

int64_t bytes_of_scatter(const NodeValues& values, int updates) {
  if (values.in(0).raw() != values.out(0).raw()) return values.bytes();
  return values.bytes() - checked_mul(2, NodeValues::bytes(values.in(0))) + NodeValues::bytes(values.in(updates));
}

}  // namespace linnet
