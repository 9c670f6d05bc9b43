#include "kernels/deform.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// What kLanes taps read: the pixel above and to the left of each point, which of the four pixels around it are inside
/// (bits: above left, above right, below left, below right), and their weights.
struct Points {
  alignas(64) int32_t pixel[kLanes], inside[kLanes];
  alignas(64) float weight[4][kLanes];
};

constexpr int32_t kAllInside = 0b1111;

inline I32 bits_where(xsimd::batch_bool<int32_t, Arch> condition, int32_t bits) {
  return xsimd::select(condition, I32(bits), I32(0));
}

/// Returns which neighbours are inside, for the floor of points in (-1, height) x (-1, width), or for -2, which has
/// none.
inline I32 neighbours_inside(const DeformImage& image, I32 top, I32 left) {
  const I32 height(int32_t(image.height)), width(int32_t(image.width));
  const I32 rows = bits_where(top >= I32(0), 0b0011) | bits_where((top >= I32(-1)) & (top + I32(1) < height), 0b1100);
  const I32 columns =
      bits_where(left >= I32(0), 0b0101) | bits_where((left >= I32(-1)) & (left + I32(1) < width), 0b1010);
  return rows & columns;
}

inline void locate(const DeformImage& image, F32 y, F32 x, F32 mask, Points& points) {
  const F32 height(float(image.height)), width(float(image.width)), zero(0.f), one(1.f);
  const auto outside = (y <= F32(-1.f)) | (y >= height) | (x <= F32(-1.f)) | (x >= width);
  // The comparisons are false for NaN, so `outside` is too.
  const auto inside = (y > F32(-1.f)) & (y < height) & (x > F32(-1.f)) & (x < width);
  const F32 floor_y = xsimd::floor(y), floor_x = xsimd::floor(x);
  const I32 top = xsimd::to_int(xsimd::select(inside, floor_y, F32(-2.f)));
  const I32 left = xsimd::to_int(xsimd::select(inside, floor_x, F32(-2.f)));
  (top * I32(int32_t(image.width)) + left).store_aligned(points.pixel);
  neighbours_inside(image, top, left).store_aligned(points.inside);
  const F32 down = xsimd::select(outside, zero, y - floor_y), right = xsimd::select(outside, zero, x - floor_x);
  const F32 above = (one - down) * mask, below = down * mask;
  store(points.weight[0], above * (one - right));
  store(points.weight[1], above * right);
  store(points.weight[2], below * (one - right));
  store(points.weight[3], below * right);
}

/// Locates taps [first, first + count) of the window, count <= kLanes.
inline void locate_taps(const DeformImage& image, const DeformWindow& w, int64_t first, int64_t count, Points& points) {
  alignas(64) float y[kLanes] = {}, x[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) {
    y[i] = w.y + w.tap_y[first + i] + w.offset[2 * (first + i)];
    x[i] = w.x + w.tap_x[first + i] + w.offset[2 * (first + i) + 1];
  }
  F32 mask(1.f);
  if (w.mask) {
    mask = count == kLanes ? load(w.mask + first) : load_part(w.mask + first, count);
    if (w.sigmoid) mask = sigmoid(mask);
  }
  locate(image, load(y), load(x), mask, points);
}

/// Sets y to the weighted sum of four pixels.
inline void blend(const float* const (&pixel)[4], const float (&w)[4], int64_t channels, float* y) {
  const F32 weight[4] = {F32(w[0]), F32(w[1]), F32(w[2]), F32(w[3])};
  const auto sum_of = [&](auto read) __attribute__((always_inline)) {
    F32 sum = weight[0] * read(pixel[0]);
    LINNET_UNROLL for (int k = 1; k < 4; ++k) sum = xsimd::fma(weight[k], read(pixel[k]), sum);
    return sum;
  };
  const auto vector_at = [&](int64_t c) __attribute__((always_inline)) {
    store(y + c, sum_of([&](const float* p) __attribute__((always_inline)) { return load(p + c); }));
  };
  int64_t c = 0;
  for (; c + kLanes <= channels; c += kLanes) vector_at(c);
  if (c == channels) return;
  if (channels >= kLanes) return vector_at(channels - kLanes);
  store_part(y, sum_of([&](const float* p) __attribute__((always_inline)) { return load_part(p, channels); }),
             channels);
}

void sample_f32(const DeformImage& image, const DeformWindow& window, int64_t channels, float* column,
                int64_t column_pitch) {
  const int64_t below = image.width * image.pixel_pitch;
  const int64_t away[3] = {image.pixel_pitch, below, below + image.pixel_pitch};
  Points points;
  for (int64_t first = 0; first < window.taps; first += kLanes) {
    const int64_t count = window.taps - first < kLanes ? window.taps - first : kLanes;
    locate_taps(image, window, first, count, points);
    for (int64_t i = 0; i < count; ++i, column += column_pitch) {
      const float* corner = image.pixels + points.pixel[i] * image.pixel_pitch;
      const float* pixel[4] = {corner, corner + away[0], corner + away[1], corner + away[2]};
      if (__builtin_expect(points.inside[i] != kAllInside, 0)) {
        LINNET_UNROLL for (int k = 0; k < 4; ++k) {
          if (!(points.inside[i] >> k & 1)) pixel[k] = image.zeros;
        }
      }
      const float weight[4] = {points.weight[0][i], points.weight[1][i], points.weight[2][i], points.weight[3][i]};
      blend(pixel, weight, channels, column);
    }
  }
}

}  // namespace

void fill(DeformKernels& kernels);
void fill(DeformKernels& kernels) { kernels.sample_f32 = sample_f32; }

}  // namespace linnet::LINNET_SIMD_NS
