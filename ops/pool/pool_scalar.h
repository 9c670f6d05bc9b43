#pragma once

#include <algorithm>
#include <limits>

#include "linnet/executor.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "pool/pool_shape.h"

namespace linnet {

/// The least value of T.
template <class T>
inline constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                  : std::numeric_limits<T>::lowest();

/// The windows of one row of output. A row has the elements of axis 2 and, where channels are last, of the channels.
struct PoolRow {
  PoolRow(const PoolShape& s, int64_t row) : plane(row / s.axes[1].out / s.axes[0].out) {
    set(s, row / s.axes[1].out % s.axes[0].out, row % s.axes[1].out);
  }

  /// Advances to the next row, without divisions.
  void advance(const PoolShape& s) {
    if (y_ + 1 < s.axes[1].out) return set(s, z_, y_ + 1);
    if (z_ + 1 == s.axes[0].out) ++plane;
    set(s, z_ + 1 < s.axes[0].out ? z_ + 1 : 0, 0);
  }

  const PoolWindow *depth, *height;
  int64_t plane;  ///< plane of the input; one channel where channels are first

 private:
  void set(const PoolShape& s, int64_t z, int64_t y) {
    z_ = z, y_ = y;
    depth = &s.windows[0][size_t(z)], height = &s.windows[1][size_t(y)];
  }

  int64_t z_, y_;
};

/// Pools element by element, for any dtype, any reduction and either layout. For every output element i it calls
///   State state = initial; state.add(element) for each element of the window in row-major order;
///   store(i, state, inside, counted)
/// where `inside` elements are in the input and `counted` in the padded input.
template <class T, class State, class Store>
void pool_scalar(const PoolShape& s, const T* x, const State& initial, Executor& executor, const Store& store) {
  const int64_t pixel = s.channels_last ? s.channels : 1, line = s.axes[2].in * pixel, slice = s.axes[1].in * line;
  const int64_t row_elements = s.axes[2].out * pixel, step = s.axes[2].dilation * pixel;
  const auto compute = [&](const PoolRow& row, const PoolWindow& w, int64_t channel, int64_t i,
                           Checkpoints& checkpoints) {
    const PoolWindow &d = *row.depth, &h = *row.height;
    const int64_t first = row.plane * s.axes[0].in * slice + channel + w.origin * pixel + w.begin * step;
    State state = initial;
    const bool any = h.begin < h.end && w.begin < w.end;
    for (int64_t kd = d.begin; any && kd < d.end; ++kd) {
      for (int64_t kh = h.begin; kh < h.end; ++kh) {
        const int64_t z = d.origin + kd * s.axes[0].dilation, y = h.origin + kh * s.axes[1].dilation;
        const T* element = x + first + z * slice + y * line;
        for (int64_t kw = w.begin; kw < w.end; ++kw, element += step) state.add(*element);
        checkpoints.add(w.end - w.begin);
      }
    }
    const int64_t inside = (d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin);
    store(i, state, inside, d.counted * h.counted * w.counted);
  };
  const int64_t outputs = s.batch * s.channels * s.out_pixels();
  parallel_items(executor, outputs, s.taps(), [&](int64_t i, int64_t end, int) {
    Checkpoints checkpoints;
    PoolRow row(s, i / row_elements);
    for (; i < end; row.advance(s)) {
      int64_t column = i % row_elements / pixel, channel = i % pixel;
      const int64_t row_end = std::min(end, (i / row_elements + 1) * row_elements);
      for (; i < row_end; ++i) {
        compute(row, s.windows[2][size_t(column)], channel, i, checkpoints);
        if (++channel < pixel) continue;
        channel = 0;
        ++column;
      }
    }
  });
}

}  // namespace linnet
