#include "attention/attention_geometry.h"

#include <algorithm>
#include <limits>

#include "elements/dispatch.h"

namespace linnet {
namespace {

/// Copies mask values as biases of scores: a boolean mask becomes 0 and -infinity.
template <class C>
void convert_bias(const Tensor& mask, int64_t first, int64_t n, C* bias) {
  if (mask.dtype() == DType::kBool) {
    const bool* from = mask.data<bool>() + first;
    for (int64_t j = 0; j < n; ++j) bias[j] = from[j] ? C(0) : -std::numeric_limits<C>::infinity();
    return;
  }
  dispatch_number(mask.dtype(), [&]<class T>() {
    const T* from = mask.data<T>() + first;
    for (int64_t j = 0; j < n; ++j) bias[j] = C(from[j]);
  });
}

}  // namespace

KeyRange AttentionWindow::keys_of(int64_t i, int64_t offset, int64_t keys) const {
  const int64_t position = offset + i;
  KeyRange range{0, keys};
  if (right != kUnbounded && right < keys - position) range.end = std::max<int64_t>(0, position + right + 1);
  range.end = std::min(range.end, keys);
  if (left != kUnbounded && left < position) range.begin = std::min(position - left, range.end);
  return range;
}

AttentionMask::AttentionMask(const Shape& mask, const AttentionSizes& sizes, bool padded) : given_(true) {
  const std::array<int64_t, 4> full{sizes.batch, sizes.q_heads, sizes.q_length, sizes.kv_length};
  const int64_t last = mask[mask.rank() - 1];
  one_column_ = last == 1 && !padded;
  columns_ = one_column_ ? sizes.kv_length : last;
  int64_t stride = last;
  for (int axis = 2, own = mask.rank() - 2; axis >= 0 && own >= 0; --axis, --own) {
    strides_[size_t(axis)] = mask[own] == 1 && full[size_t(axis)] != 1 ? 0 : stride;
    stride *= mask[own];
  }
}

template <class C>
const C* AttentionMask::bias(const Tensor& mask, int64_t b, int64_t h, int64_t i, const KeyRange& keys,
                             C* buffer) const {
  const int64_t row = b * strides_[0] + h * strides_[1] + i * strides_[2];
  if (mask.dtype() == dtype_of<C> && !one_column_) return mask.data<C>() + row + keys.begin;
  const int64_t n = keys.end - keys.begin;
  if (one_column_ && n > 0) {
    convert_bias(mask, row, 1, buffer);
    std::fill(buffer + 1, buffer + n, buffer[0]);
  } else {
    convert_bias(mask, row + keys.begin, n, buffer);
  }
  return buffer;
}

template const float* AttentionMask::bias(const Tensor&, int64_t, int64_t, int64_t, const KeyRange&, float*) const;
template const double* AttentionMask::bias(const Tensor&, int64_t, int64_t, int64_t, const KeyRange&, double*) const;

}  // namespace linnet
