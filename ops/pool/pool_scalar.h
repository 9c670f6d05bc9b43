#pragma once

#include "linnet/executor.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "pool/pool_shape.h"

namespace linnet {

/// Pools element by element: any dtype, any reduction, either layout. For every output element i,
///   State state = initial; state.add(x[offset], offset) for each element of the window in row-major order;
///   store(i, state, inside, counted)
/// where `inside` elements lie in the input and `counted` in the padded input.
template <class T, class State, class Store>
void pool_scalar(const PoolShape& s, const T* x, const State& initial, Executor& executor, const Store& store) {
  const int64_t pixel = s.channels_last ? s.channels : 1, line = s.axes[2].in * pixel, slice = s.axes[1].in * line;
  const int64_t image = s.channels * s.in_pixels();
  const auto compute = [&](int64_t i, Checkpoints& checkpoints) {
    int64_t rest = i, c = 0;
    const auto take = [&rest](int64_t extent) {
      const int64_t index = rest % extent;
      rest /= extent;
      return index;
    };
    if (s.channels_last) c = take(s.channels);
    const PoolWindow& w = s.windows[2][size_t(take(s.axes[2].out))];
    const PoolWindow& h = s.windows[1][size_t(take(s.axes[1].out))];
    const PoolWindow& d = s.windows[0][size_t(take(s.axes[0].out))];
    if (!s.channels_last) c = take(s.channels);
    const int64_t base = rest * image + c * (s.channels_last ? 1 : s.in_pixels());
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
    for (int64_t i = begin; i < end; ++i) compute(i, checkpoints);
  });
}

}  // namespace linnet
