#pragma once

#include "linnet/executor.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "pool/pool_shape.h"

namespace linnet {

/// An output element of a pool, and the one behind it.
struct PoolPosition {
  int64_t image, c, at[3];

  PoolPosition(const PoolShape& s, int64_t i) {
    const auto take = [&i](int64_t extent) {
      const int64_t index = i % extent;
      i /= extent;
      return index;
    };
    if (s.channels_last) c = take(s.channels);
    for (int axis = 2; axis >= 0; --axis) at[axis] = take(s.axes[axis].out);
    if (!s.channels_last) c = take(s.channels);
    image = i;
  }
  void advance(const PoolShape& s) {
    if (s.channels_last && ++c < s.channels) return;
    if (s.channels_last) c = 0;
    for (int axis = 2; axis >= 0; --axis) {
      if (++at[axis] < s.axes[axis].out) return;
      at[axis] = 0;
    }
    if (!s.channels_last && ++c < s.channels) return;
    if (!s.channels_last) c = 0;
    ++image;
  }
};

/// Pools element by element: any dtype, any reduction, either layout. For every output element i,
///   State state = initial; state.add(x[offset], offset) for each element of the window in row-major order;
///   store(i, state, inside, counted)
/// where `inside` elements lie in the input and `counted` in the padded input.
template <class T, class State, class Store>
void pool_scalar(const PoolShape& s, const T* x, const State& initial, Executor& executor, const Store& store) {
  const int64_t pixel = s.channels_last ? s.channels : 1, line = s.axes[2].in * pixel, slice = s.axes[1].in * line;
  const int64_t image = s.channels * s.in_pixels(), channel = s.channels_last ? 1 : s.in_pixels();
  const auto compute = [&](int64_t i, const PoolPosition& p, Checkpoints& checkpoints) {
    const PoolWindow& w = s.windows[2][size_t(p.at[2])];
    const PoolWindow& h = s.windows[1][size_t(p.at[1])];
    const PoolWindow& d = s.windows[0][size_t(p.at[0])];
    const int64_t base = p.image * image + p.c * channel;
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
  parallel_items(executor, outputs, s.taps(), [&](int64_t i, int64_t end, int) {
    Checkpoints checkpoints;
    for (PoolPosition position(s, i); i < end; ++i, position.advance(s)) compute(i, position, checkpoints);
  });
}

}  // namespace linnet
