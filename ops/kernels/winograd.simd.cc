#include "kernels/winograd.h"

#include "kernels/byte_vectors.h"
#include "kernels/winograd_axis.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Transforms one vector of channels. The rows of the tile are transformed as they are loaded, then the columns. Row:
/// the transform along a row. Column: the transform along a column.
template <class Column, class Row, class Load>
[[gnu::always_inline]] inline void input_vector(const Load& load_pixel, float* v, int64_t v_pitch) {
  constexpr int height = Column::kInputs, width = Row::kInputs;
  F32 rows[height][width];
  LINNET_UNROLL for (int i = 0; i < height; ++i) {
    F32 x[width];
    LINNET_UNROLL for (int j = 0; j < width; ++j) x[j] = load_pixel(i * width + j);
    Row::input(x, rows[i]);
  }
  LINNET_UNROLL for (int j = 0; j < width; ++j) {
    F32 x[height], t[height];
    LINNET_UNROLL for (int i = 0; i < height; ++i) x[i] = rows[i][j];
    Column::input(x, t);
    LINNET_UNROLL for (int i = 0; i < height; ++i) store(v + (i * width + j) * v_pitch, t[i]);
  }
}

template <class Column, class Row>
void input(const float* const* pixels, const float* const* next, int64_t channels, float* v, int64_t v_pitch) {
  constexpr int height = Column::kInputs, width = Row::kInputs, kShared = width - Row::kOutputs;  // by adjacent tiles
  int64_t c = 0;
  for (; c + kLanes <= channels; c += kLanes) {
    LINNET_UNROLL for (int i = 0; i < height; ++i) {
      LINNET_UNROLL for (int j = kShared; j < width; ++j) __builtin_prefetch(next[i * width + j] + c);
    }
    input_vector<Column, Row>([&](int pixel) { return load(pixels[pixel] + c); }, v + c, v_pitch);
  }
  if (c == channels) return;
  input_vector<Column, Row>([&](int pixel) { return load_part(pixels[pixel] + c, channels - c); }, v + c, v_pitch);
}

/// Computes the outputs of one vector of channels and stores `lanes` of its lanes.
template <class Column, class Row>
[[gnu::always_inline]] inline void output_vector(const float* m, int64_t m_pitch, const WinogradOutput& o, int64_t c,
                                                 int64_t lanes) {
  constexpr int height = Column::kInputs, width = Row::kInputs;
  F32 columns[width][Column::kOutputs];
  LINNET_UNROLL for (int j = 0; j < width; ++j) {
    F32 x[height];
    LINNET_UNROLL for (int i = 0; i < height; ++i) x[i] = load(m + (i * width + j) * m_pitch + c);
    Column::output(x, columns[j]);
  }
  const Epilogue& e = o.epilogue;
  const F32 bias = !e.bias ? F32(0.0f) : load_part(e.bias + c, lanes), low(e.low), high(e.high);
  const F32 slope = !e.slope ? F32(1.0f) : load_part(e.slope + c, lanes);
  LINNET_UNROLL for (int i = 0; i < Column::kOutputs; ++i) {
    if (i >= o.rows) return;
    F32 x[width], y[Row::kOutputs];
    LINNET_UNROLL for (int j = 0; j < width; ++j) x[j] = columns[j][i];
    Row::output(x, y);
    LINNET_UNROLL for (int j = 0; j < Row::kOutputs; ++j) {
      if (j >= o.columns) break;
      const int64_t at = i * o.row_pitch + j * o.column_pitch + c;
      F32 sum = y[j] + bias;
      if (e.residual) sum += lanes == kLanes ? load(e.residual + at) : load_part(e.residual + at, lanes);
      if (e.slope) sum = prelu(sum, slope);
      sum = at_most(high, at_least(low, sum));
      if (lanes == kLanes) {
        store(o.y + at, sum);
      } else {
        store_part(o.y + at, sum, lanes);
      }
    }
  }
}

template <class Column, class Row>
void output(const float* m, int64_t m_pitch, const WinogradOutput& o) {
  int64_t c = 0;
  for (; c + kLanes <= o.channels; c += kLanes) output_vector<Column, Row>(m, m_pitch, o, c, kLanes);
  if (c < o.channels) output_vector<Column, Row>(m, m_pitch, o, c, o.channels - c);
  const Epilogue& e = o.epilogue;
  if (!e.activation) return;
  for (int i = 0; i < o.rows; ++i) {
    for (int j = 0; j < o.columns; ++j) {
      float* y = o.y + i * o.row_pitch + j * o.column_pitch;
      e.activation(y, y, o.channels, e.alpha, e.beta);
    }
  }
}

/// The number of doubles in a vector; the functions convert as many floats to doubles, and back.
constexpr int kDoubles = int(F64::size);

inline F64 widen(const float* x) {
  double values[kDoubles];
  LINNET_UNROLL for (int i = 0; i < kDoubles; ++i) values[i] = double(x[i]);
  return F64::load_unaligned(values);
}

inline void narrow(F64 v, float* y) {
  double values[kDoubles];
  v.store_unaligned(values);
  LINNET_UNROLL for (int i = 0; i < kDoubles; ++i) y[i] = float(values[i]);
}

template <class Column, class Row>
void filter(const float* const* g, int64_t count, float* u, int64_t u_pitch) {
  constexpr int height = Column::kInputs, width = Row::kInputs;
  for (int64_t j = 0; j < count; j += kDoubles) {
    F64 rows[Column::kTaps][width];
    LINNET_UNROLL for (int i = 0; i < Column::kTaps; ++i) {
      F64 taps[Row::kTaps];
      LINNET_UNROLL for (int k = 0; k < Row::kTaps; ++k) taps[k] = widen(g[i * Row::kTaps + k] + j);
      Row::filter(taps, rows[i]);
    }
    LINNET_UNROLL for (int k = 0; k < width; ++k) {
      F64 column[Column::kTaps], elements[height];
      LINNET_UNROLL for (int i = 0; i < Column::kTaps; ++i) column[i] = rows[i][k];
      Column::filter(column, elements);
      LINNET_UNROLL for (int i = 0; i < height; ++i) narrow(elements[i], u + (i * width + k) * u_pitch + j);
    }
  }
}

constexpr int kWords = 2 * kLanes;
typedef uint8_t Bytes __attribute__((vector_size(kWords)));
typedef int16_t Words __attribute__((vector_size(2 * kWords)));

/// Loads n <= kWords bytes less `zero`.
inline Words load_words(const uint8_t* x, int64_t n, int16_t zero) {
  Bytes bytes{};
  if (n == kWords) {
    __builtin_memcpy(&bytes, x, kWords);
  } else {
    __builtin_memcpy(&bytes, x, size_t(n));
  }
  return __builtin_convertvector(bytes, Words) - zero;
}

/// F(2, 3) in whole numbers. Filters are transformed by twice the matrix of F2.
struct WholeF2 : F2 {
  static I32 sum(I32 y) { return y >> 2; }
};

/// F(4, 3) in whole numbers along one axis, for the points 0, 1, -1, 2, -2. Filters are transformed by their matrix
/// without its denominators, 4, -6, -6, 24, 24 and 1; outputs are 24 times the sums.
/// Source: A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016.
struct WholeF4 {
  static constexpr int kOutputs = 4, kInputs = 6;

  template <class V>
  [[gnu::always_inline]] static inline void input(const V* x, V* t) {
    const V a = x[4] - (x[2] << 2), b = x[3] - (x[1] << 2), c = x[4] - x[2], d = (x[3] - x[1]) << 1;
    t[0] = ((x[0] - x[2]) << 2) + c;
    t[1] = a + b;
    t[2] = a - b;
    t[3] = c + d;
    t[4] = c - d;
    t[5] = ((x[1] - x[3]) << 2) - x[3] + x[5];
  }

  template <class V>
  [[gnu::always_inline]] static inline void output(const V* m, V* y) {
    const V ones = m[1] + m[2], odd_ones = m[1] - m[2], twos = m[3] + m[4], odd_twos = m[3] - m[4];
    y[0] = ((m[0] + (m[0] << 1) - (ones << 1)) << 1) + twos;
    y[1] = (odd_twos - (odd_ones << 1)) << 1;
    y[2] = (twos - ones) << 2;
    y[3] = ((odd_twos << 1) - odd_ones + (m[5] << 2) + (m[5] << 1)) << 2;
  }

  static I32 sum(I32 y) {
    using U32 = xsimd::batch<uint32_t, Arch>;
    constexpr uint32_t kNinth = 0x38e38e39;  // 9 * kNinth == 1 modulo 2^32
    return __builtin_bit_cast(I32, __builtin_bit_cast(U32, y) * U32(kNinth)) >> 6;
  }
};

template <class F>
void input_bytes(const uint8_t* const* pixels, int64_t channels, int32_t zero, int16_t* v, int64_t v_pitch) {
  constexpr int n = F::kInputs;
  for (int64_t c = 0; c < channels; c += kWords) {
    const int64_t count = channels - c < kWords ? channels - c : kWords;
    Words rows[n][n];
    LINNET_UNROLL for (int i = 0; i < n; ++i) {
      Words x[n];
      LINNET_UNROLL for (int j = 0; j < n; ++j) x[j] = load_words(pixels[i * n + j] + c, count, int16_t(zero));
      F::input(x, rows[i]);
    }
    LINNET_UNROLL for (int j = 0; j < n; ++j) {
      Words x[n], t[n];
      LINNET_UNROLL for (int i = 0; i < n; ++i) x[i] = rows[i][j];
      F::input(x, t);
      LINNET_UNROLL for (int i = 0; i < n; ++i) __builtin_memcpy(v + (i * n + j) * v_pitch + c, &t[i], sizeof t[i]);
    }
  }
}

template <class F>
void output_sums(const int32_t* m, int64_t m_pitch, int64_t channels, const int32_t* bias, int32_t* y,
                 int64_t y_pitch) {
  constexpr int n = F::kInputs, kOutputs = F::kOutputs;
  for (int64_t c = 0; c < channels; c += kLanes) {
    const int64_t count = channels - c;
    I32 columns[n][kOutputs];
    LINNET_UNROLL for (int j = 0; j < n; ++j) {
      I32 x[n];
      LINNET_UNROLL for (int i = 0; i < n; ++i) x[i] = I32::load_unaligned(m + (i * n + j) * m_pitch + c);
      F::output(x, columns[j]);
    }
    const I32 first = !bias ? I32(0) : count < kLanes ? load_part(bias + c, count) : I32::load_unaligned(bias + c);
    LINNET_UNROLL for (int i = 0; i < kOutputs; ++i) {
      I32 x[n], sum[kOutputs];
      LINNET_UNROLL for (int j = 0; j < n; ++j) x[j] = columns[j][i];
      F::output(x, sum);
      LINNET_UNROLL for (int j = 0; j < kOutputs; ++j) {
        const I32 value = F::sum(sum[j]) + first;
        int32_t* to = y + i * y_pitch + j * channels + c;
        if (count < kLanes) {
          store_part(to, value, count);
        } else {
          value.store_unaligned(to);
        }
      }
    }
  }
}

template <class Column, class Row>
constexpr WinogradTransforms kTransforms{input<Column, Row>, output<Column, Row>, filter<Column, Row>};

}  // namespace

void fill(WinogradKernels& kernels);

void fill(WinogradKernels& kernels) {
  kernels = {.squares = {kTransforms<F2, F2>, kTransforms<F3, F3>, kTransforms<F4, F4>, kTransforms<F5, F5>},
             .rows = {kTransforms<F1, F2>, kTransforms<F1, F3>, kTransforms<F1, F4>, kTransforms<F1, F5>},
             .columns = {kTransforms<F2, F1>, kTransforms<F3, F1>, kTransforms<F4, F1>, kTransforms<F5, F1>},
             .bytes2 = {input_bytes<WholeF2>, output_sums<WholeF2>},
             .bytes4 = {input_bytes<WholeF4>, output_sums<WholeF4>}};
}

}  // namespace linnet::LINNET_SIMD_NS
