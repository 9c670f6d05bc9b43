#include "resize/resize_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace linnet {

ResizeLines::ResizeLines(std::vector<ResizeAxis> axes) {
  while (axes.size() > 1 && axes.back().identity()) {
    inner_ *= axes.back().in;
    axes.pop_back();
  }
  axis_ = std::move(axes.back());
  axes.pop_back();
  const auto changes = std::ranges::find_if(axes, [](const ResizeAxis& axis) { return !axis.identity(); });
  for (auto axis = axes.begin(); axis != changes; ++axis) planes_ = checked_mul(planes_, axis->in);
  outer_.assign(std::make_move_iterator(changes), std::make_move_iterator(axes.end()));
  strides_.resize(outer_.size());
  int64_t stride = in_elements();
  for (size_t d = outer_.size(); d-- > 0;) {
    strides_[d] = stride;
    stride *= outer_[d].in;
    lines_ *= outer_[d].out;
    in_lines_ *= outer_[d].in;
    max_sources_ = checked_mul(max_sources_, outer_[d].taps);
  }
}

std::ptrdiff_t ResizeLines::source(int64_t index) const {
  int64_t offset = 0;
  for (size_t d = outer_.size(); d-- > 0;) {
    const ResizeAxis& axis = outer_[d];
    const auto out = size_t(index % axis.out);
    index /= axis.out;
    if (axis.outside[out]) return -1;
    offset += axis.index[out] * strides_[d];
  }
  return offset;
}

template <class Real>
ResizeLines::Sources<Real> ResizeLines::gather(int64_t index, int64_t* offset, Real* weight) const {
  int64_t count = 1;
  bool outside = false;
  offset[0] = 0;
  weight[0] = 1;
  for (size_t d = outer_.size(); d-- > 0;) {
    const ResizeAxis& axis = outer_[d];
    const int64_t out = index % axis.out, before = count;
    index /= axis.out;
    if (axis.outside[size_t(out)]) outside = true;
    if (axis.taps == 1) {
      const int64_t shift = checked_mul(axis.index[size_t(out)], strides_[d]);
      for (int64_t i = 0; i < before; ++i) {
        offset[i] += shift;
        weight[i] *= axis.weights<Real>()[size_t(out)];
      }
      continue;
    }
    // Tap 0 is applied last, in place, because the other taps start from the values before this axis.
    for (int64_t t = axis.taps - 1; t >= 0; --t) {
      const auto entry = size_t(out * axis.taps + t);
      const int64_t shift = checked_mul(axis.index[entry], strides_[d]);
      for (int64_t i = 0; i < before; ++i) {
        offset[t * before + i] = offset[i] + shift;
        weight[t * before + i] = weight[i] * axis.weights<Real>()[entry];
      }
    }
    count = 0;
    const int64_t all = checked_mul(before, axis.taps);
    for (int64_t i = 0; i < all; ++i) {
      if (weight[i] == 0) continue;
      offset[count] = offset[i];
      weight[count++] = weight[i];
    }
  }
  return {offset, weight, count, outside};
}

template ResizeLines::Sources<float> ResizeLines::gather(int64_t index, int64_t* offset, float* weight) const;
template ResizeLines::Sources<double> ResizeLines::gather(int64_t index, int64_t* offset, double* weight) const;

}  // namespace linnet
