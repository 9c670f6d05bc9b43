#include "tensor/resize_lines.h"

#include <utility>

namespace linnet {

ResizeLines::ResizeLines(std::vector<ResizeAxis> axes) {
  while (axes.size() > 1 && axes.back().identity()) {
    inner_ *= axes.back().in;
    axes.pop_back();
  }
  axis_ = std::move(axes.back());
  axes.pop_back();
  outer_ = std::move(axes);
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
void ResizeLines::gather(int64_t index, Sources<Real>& sources) const {
  sources.count = 1;
  sources.outside = false;
  sources.offset[0] = 0;
  sources.weight[0] = 1;
  for (size_t d = outer_.size(); d-- > 0;) {
    const ResizeAxis& axis = outer_[d];
    const int64_t out = index % axis.out, before = sources.count;
    index /= axis.out;
    if (axis.outside[size_t(out)]) sources.outside = true;
    if (axis.taps == 1) {
      for (int64_t i = 0; i < before; ++i) {
        sources.offset[i] += axis.index[size_t(out)] * strides_[d];
        sources.weight[i] *= axis.weights<Real>()[size_t(out)];
      }
      continue;
    }
    // Tap 0 is applied last, in place, so that the others start from the values before this axis.
    for (int64_t t = axis.taps - 1; t >= 0; --t) {
      const auto entry = size_t(out * axis.taps + t);
      for (int64_t i = 0; i < before; ++i) {
        sources.offset[t * before + i] = sources.offset[i] + axis.index[entry] * strides_[d];
        sources.weight[t * before + i] = sources.weight[i] * axis.weights<Real>()[entry];
      }
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < before * axis.taps; ++i) {
      if (sources.weight[i] == 0) continue;
      sources.offset[kept] = sources.offset[i];
      sources.weight[kept++] = sources.weight[i];
    }
    sources.count = kept;
  }
}

template void ResizeLines::gather(int64_t index, Sources<float>& sources) const;
template void ResizeLines::gather(int64_t index, Sources<double>& sources) const;

}  // namespace linnet
