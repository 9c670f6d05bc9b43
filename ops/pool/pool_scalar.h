#pragma once

#include <array>

#include "linnet/executor.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "pool/pool_shape.h"

namespace linnet {

/// Where an element of the output lies: counted on, as divisions take longer than windows of a few elements.
struct OutputPosition {
  OutputPosition(const PoolShape& s, int64_t element)
      : extent{s.channels_last ? s.channels : 1, s.axes[2].out, s.axes[1].out, s.axes[0].out,
               s.channels_last ? 1 : s.channels} {
    for (size_t k = 0; k < extent.size(); element /= extent[k++]) index[k] = element % extent[k];
    image = element;
  }
  void advance() {
    for (size_t k = 0; k < extent.size(); index[k++] = 0) {
      if (++index[k] < extent[k]) return;
    }
    ++image;
  }

  std::array<int64_t, 5> extent, index;  ///< of channels where they are last, the spatial axes, channels
  int64_t image;
};

/// Pools element by element: any dtype, any reduction, either layout. For every output element i,
///   State state = initial; state.add(x[offset], offset) for each element of the window in row-major order;
///   store(i, state, inside, counted)
/// where `inside` elements lie in the input and `counted` in the padded input.
template <class T, class State, class Store>
void pool_scalar(const PoolShape& s, const T* x, const State& initial, Executor& executor, const Store& store) {
  const int64_t pixel = s.channels_last ? s.channels : 1, line = s.axes[2].in * pixel, slice = s.axes[1].in * line;
  const int64_t image = s.channels * s.in_pixels();
  const auto compute = [&](const OutputPosition& at, int64_t i, Checkpoints& checkpoints) {
    const PoolWindow& w = s.windows[2][size_t(at.index[1])];
    const PoolWindow& h = s.windows[1][size_t(at.index[2])];
    const PoolWindow& d = s.windows[0][size_t(at.index[3])];
    const int64_t channel = s.channels_last ? at.index[0] : at.index[4] * s.in_pixels();
    const int64_t base = at.image * image + channel;
    State state = initial;
    const bool any = h.begin < h.end && w.begin < w.end;
    for (int64_t kd = d.begin; any && kd < d.end; ++kd) {
      for (int64_t kh = h.begin; kh < h.end; ++kh) {
        const int64_t row =
            base + (d.origin + kd * s.axes[0].dilation) * slice + (h.origin + kh * s.axes[1].dilation) * line;
        for (int64_t kw = w.begin; kw < w.end; ++kw) {
          const int64_t offset = row + (w.origin + kw * s.axes[2].dilation) * pixel;
          state.add(x[offset], offset);
        }
        checkpoints.add(w.end - w.begin);
      }
    }
    const int64_t inside = (d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin);
    store(i, state, inside, d.counted * h.counted * w.counted);
  };
  const int64_t outputs = s.batch * s.channels * s.out_pixels();
  parallel_items(executor, outputs, s.taps(), [&](int64_t begin, int64_t end, int) {
    Checkpoints checkpoints;
    OutputPosition at(s, begin);
    for (int64_t i = begin; i < end; ++i, at.advance()) compute(at, i, checkpoints);
  });
}

}  // namespace linnet
