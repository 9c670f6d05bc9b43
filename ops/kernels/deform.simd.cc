#include "kernels/deform.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The pixels inside the image around a point, with their weights.
struct Neighbours {
  const float* pixel[4];
  float weight[4];
  int count = 0;  // 1, 2 or 4

  void add(const float* p, float w) {
    pixel[count] = p;
    weight[count++] = w;
  }
};

template <int kCount>
void blend(const Neighbours& n, int64_t channels, float* y) {
  F32 weight[kCount];
#pragma GCC unroll 4
  for (int k = 0; k < kCount; ++k) weight[k] = F32(n.weight[k]);
  const auto vector_at = [&](int64_t c) __attribute__((always_inline)) {
    F32 sum = weight[0] * load(n.pixel[0] + c);
#pragma GCC unroll 4
    for (int k = 1; k < kCount; ++k) sum = xsimd::fma(weight[k], load(n.pixel[k] + c), sum);
    store(y + c, sum);
  };
  int64_t c = 0;
  for (; c + kLanes <= channels; c += kLanes) vector_at(c);
  if (c == channels) return;
  if (channels >= kLanes) return vector_at(channels - kLanes);
  for (; c < channels; ++c) {
    float sum = n.weight[0] * n.pixel[0][c];
    for (int k = 1; k < kCount; ++k) sum += n.weight[k] * n.pixel[k][c];
    y[c] = sum;
  }
}

void fill_row(float* y, int64_t n, float value) {
  for (int64_t i = 0; i < n; ++i) y[i] = value;
}

struct Image {
  const float* pixels;
  int64_t height, width, pitch;
};

/// The point lies in (-1, height) x (-1, width).
inline Neighbours neighbours_of(const Image& image, const DeformSample& p) {
  const float floor_y = __builtin_floorf(p.y), floor_x = __builtin_floorf(p.x);
  const auto top = int64_t(floor_y), left = int64_t(floor_x);
  const float down = p.y - floor_y, right = p.x - floor_x;
  const int64_t first = (top * image.width + left) * image.pitch, below = first + image.width * image.pitch;
  const bool has_top = top >= 0, has_bottom = top + 1 < image.height;
  const bool has_left = left >= 0, has_right = left + 1 < image.width;
  Neighbours n;
  if (has_top && has_left) n.add(image.pixels + first, (1.0f - down) * (1.0f - right) * p.weight);
  if (has_top && has_right) n.add(image.pixels + first + image.pitch, (1.0f - down) * right * p.weight);
  if (has_bottom && has_left) n.add(image.pixels + below, down * (1.0f - right) * p.weight);
  if (has_bottom && has_right) n.add(image.pixels + below + image.pitch, down * right * p.weight);
  return n;
}

void sample_point(const Image& image, int64_t channels, const DeformSample& p, float* y) {
  const bool outside = p.y <= -1.0f || p.y >= float(image.height) || p.x <= -1.0f || p.x >= float(image.width);
  if (outside) return fill_row(y, channels, 0.0f * p.weight);
  if (p.y != p.y || p.x != p.x) return fill_row(y, channels, __builtin_nanf(""));
  const Neighbours n = neighbours_of(image, p);
  if (n.count == 4) return blend<4>(n, channels, y);
  if (n.count == 2) return blend<2>(n, channels, y);
  blend<1>(n, channels, y);
}

void sample_f32(const float* image, int64_t height, int64_t width, int64_t pixel_pitch, int64_t channels,
                const DeformSample* points, int64_t count, float* column, int64_t column_pitch) {
  const Image source{image, height, width, pixel_pitch};
  for (int64_t i = 0; i < count; ++i) sample_point(source, channels, points[i], column + i * column_pitch);
}

}  // namespace

void fill(DeformKernels& kernels);
void fill(DeformKernels& kernels) { kernels.sample_f32 = sample_f32; }

}  // namespace linnet::LINNET_SIMD_NS
