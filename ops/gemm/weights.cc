#include "gemm/weights.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "partition/checkpoints.h"
#include "partition/parts.h"

namespace linnet {
namespace {

/// A number of rows of a panel that stay in the first-level cache while they are filled column by column.
constexpr int64_t kPackDepth = 64;
constexpr int64_t kBufferValues = 4 * 1024;
constexpr int64_t kParallelValues = 32 * 1024;

typedef float Four __attribute__((vector_size(4 * sizeof(float))));

Four load(const float* x) {
  Four v;
  std::memcpy(&v, x, sizeof v);
  return v;
}

void store(Four v, float* y) { std::memcpy(y, &v, sizeof v); }

void transpose_4x4(const float* x, int64_t ldx, float* y, int64_t ldy) {
  const Four a = load(x), b = load(x + ldx), c = load(x + 2 * ldx), d = load(x + 3 * ldx);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), y);
  store(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), y + ldy);
  store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), y + 2 * ldy);
  store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), y + 3 * ldy);
}

template <class T>
void transpose(const T* x, int64_t rows, int64_t columns, int64_t ldx, T* y, int64_t ldy) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) y[c * ldy + r] = x[r * ldx + c];
  }
}

/// Sets y[c * ldy + r] = x[r * ldx + c].
void transpose(const float* x, int64_t rows, int64_t columns, int64_t ldx, float* y, int64_t ldy) {
  const int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4) {
    for (int64_t c = 0; c < whole_columns; c += 4) transpose_4x4(x + r * ldx + c, ldx, y + c * ldy + r, ldy);
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) y[c * ldy + r] = x[r * ldx + c];
  }
}

/// Packs a panel with `columns` columns of weights. first: its first column.
template <class T>
class PanelPacker {
 public:
  PanelPacker(const GemmWeights<T>& weights, int64_t pitch, int64_t columns, const T* first, T* to)
      : w_(weights), pitch_(pitch), columns_(columns), first_(first), to_(to) {}

  void pack(Checkpoints& checkpoints) const {
    const int64_t fit = kBufferValues / std::max<int64_t>(1, w_.taps * pitch_);
    const bool taps_inside = w_.taps > 1 && w_.tap_stride == 1 && w_.depth_stride == w_.taps && fit > 0;
    const int64_t step = taps_inside ? fit : kPackDepth;
    for (int64_t k = 0; k < w_.depth; k += step) {
      const int64_t depth = std::min(step, w_.depth - k);
      if (taps_inside) {
        pack_taps(k, depth);
      } else {
        for (int64_t t = 0; t < w_.taps; ++t) pack_tap(t, k, depth);
      }
      checkpoints.add(w_.taps * depth * pitch_);
    }
    finish();
  }

 private:
  T* row(int64_t t, int64_t k) const { return to_ + (t * w_.depth + k) * pitch_; }

  void pack_tap(int64_t t, int64_t k, int64_t depth) const {
    const T* from = first_ + t * w_.tap_stride + k * w_.depth_stride;
    if (w_.column_stride == 1) {
      const size_t bytes = size_t(columns_) * sizeof(T);
      for (int64_t i = 0; i < depth; ++i) std::memcpy(row(t, k + i), from + i * w_.depth_stride, bytes);
    } else if (w_.depth_stride == 1) {
      transpose(from, columns_, depth, w_.column_stride, row(t, k), pitch_);
    } else {
      for (int64_t j = 0; j < columns_; ++j) {
        for (int64_t i = 0; i < depth; ++i) row(t, k + i)[j] = from[j * w_.column_stride + i * w_.depth_stride];
      }
    }
  }

  /// Packs taps that are contiguous for each value of the depth. All are transposed together and then copied to their
  /// rows.
  void pack_taps(int64_t k, int64_t depth) const {
    T buffer[kBufferValues];
    transpose(first_ + k * w_.taps, columns_, depth * w_.taps, w_.column_stride, buffer, pitch_);
    const size_t bytes = size_t(columns_) * sizeof(T);
    for (int64_t i = 0; i < depth * w_.taps; ++i) {
      std::memcpy(row(i % w_.taps, k + i / w_.taps), buffer + i * pitch_, bytes);
    }
  }

  /// Scales the weights and clears the unused columns.
  void finish() const {
    const int64_t rows = w_.taps * w_.depth;
    if constexpr (std::is_floating_point_v<T>) {
      if (w_.scale != 1) scale(rows);
    }
    if (columns_ == pitch_) return;
    for (int64_t i = 0; i < rows; ++i) std::fill(to_ + i * pitch_ + columns_, to_ + (i + 1) * pitch_, T());
  }

  void scale(int64_t rows) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns_; ++j) to_[i * pitch_ + j] *= T(w_.scale);
    }
  }

  const GemmWeights<T>& w_;
  int64_t pitch_, columns_;
  const T* first_;
  T* to_;
};

}  // namespace

int64_t panel_rows(int64_t taps, int64_t depth, int unit) { return checked_mul(taps, ceil_div(depth, unit)); }

int64_t packed_size(const GemmPanels& panels, int64_t taps, int64_t depth, int unit) {
  return panel_begin(panels, panels.count(), taps, depth, unit);
}

int64_t panel_begin(const GemmPanels& panels, int64_t panel, int64_t taps, int64_t depth, int unit) {
  return checked_mul(checked_mul(panel_rows(taps, depth, unit), unit), panels.first_column(panel));
}

PackedColumn packed_column(const GemmPanels& panels, int64_t column, int64_t depth) {
  int64_t first = 0;  // column of the run, then of the panel
  for (const GemmPanels::Run& run : panels.runs) {
    const int64_t width = checked_mul(run.width, panels.lanes), columns = checked_mul(width, run.count);
    if (column >= first + columns) {
      first += columns;
      continue;
    }
    first = column - (column - first) % width;
    return {checked_mul(depth, first) + column - first, width};
  }
  return {};
}

template <class T>
void pack_panel(const GemmWeights<T>& w, const GemmPanels& panels, int64_t panel, T* to, Checkpoints& checkpoints) {
  if (w.taps == 0 || w.depth == 0) return;
  const int64_t first = panels.first_column(panel);
  PanelPacker(w, panels.first_column(panel + 1) - first, panels.end_column(panel + 1) - first,
              w.data + first * w.column_stride, to)
      .pack(checkpoints);
}

template <class T>
void pack_weights(const GemmWeights<T>& w, const GemmPanels& panels, T* packed, Executor* executor) {
  const int64_t count = panels.count();
  const auto pack = [&](int64_t panel, Checkpoints& checkpoints) {
    pack_panel(w, panels, panel, packed + panel_begin(panels, panel, w.taps, w.depth), checkpoints);
  };
  if (executor && packed_size(panels, w.taps, w.depth) > kParallelValues) {
    executor->parallel_for(count, [&](int64_t panel, int) {
      Checkpoints checkpoints;
      pack(panel, checkpoints);
    });
  } else {
    Checkpoints checkpoints;
    for (int64_t panel = 0; panel < count; ++panel) pack(panel, checkpoints);
  }
}

#define LINNET_INSTANTIATE(T)                                                                    \
  template void pack_panel(const GemmWeights<T>&, const GemmPanels&, int64_t, T*, Checkpoints&); \
  template void pack_weights(const GemmWeights<T>&, const GemmPanels&, T*, Executor*);
LINNET_INSTANTIATE(float)
LINNET_INSTANTIATE(double)
#define LINNET_GEMM_WEIGHTS(name, B) LINNET_INSTANTIATE(B)
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
#undef LINNET_INSTANTIATE

PackedForm packed_form(const std::string& name, const GemmPanels& panels, const std::vector<int64_t>& more) {
  PackedForm form{name, {panels.lanes}};
  for (const GemmPanels::Run& run : panels.runs) form.numbers.insert(form.numbers.end(), {run.width, run.count});
  form.numbers.insert(form.numbers.end(), more.begin(), more.end());
  return form;
}

}  // namespace linnet
