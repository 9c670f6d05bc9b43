#include "conv/window_sums.h"

#include <algorithm>

#include "kernels/byte_rows.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "tensor/alignment.h"

namespace linnet {

WindowSums::WindowSums(const ConvGeometry& geometry, Isa isa)
    : geometry_(geometry), sum_rows_(kernels_for<ByteRowKernels>(isa).sum_rows) {}

size_t WindowSums::scratch_bytes() const {
  const int64_t in = checked_mul(geometry_.batch, geometry_.in_pixels());
  const int64_t out = checked_mul(geometry_.batch, geometry_.out_pixels());
  return aligned(dtype_bytes(DType::kInt32, in)) + aligned(dtype_bytes(DType::kInt32, out));
}

const int32_t* WindowSums::compute(Executor& executor, const uint8_t* x, int32_t zero, std::byte* scratch) const {
  auto* pixels = reinterpret_cast<int32_t*>(scratch);
  sum_channels(executor, x, zero, pixels);
  if (geometry_.pointwise()) return pixels;
  const size_t offset = aligned(dtype_bytes(DType::kInt32, checked_mul(geometry_.batch, geometry_.in_pixels())));
  auto* sums = reinterpret_cast<int32_t*>(scratch + offset);
  const int64_t width = geometry_.axes[2].out, lines = geometry_.batch * geometry_.axes[0].out * geometry_.axes[1].out;
  parallel_items(executor, lines, width * geometry_.taps(), [&](int64_t begin, int64_t end, int) {
    for (int64_t line = begin; line < end; ++line) sum_line(line, pixels, sums + line * width);
  });
  return sums;
}

void WindowSums::sum_channels(Executor& executor, const uint8_t* x, int32_t zero, int32_t* sums) const {
  const int64_t channels = geometry_.in_channels;
  const auto zeros = int32_t(zero * channels);
  parallel_items(executor, geometry_.batch * geometry_.in_pixels(), channels, [&](int64_t begin, int64_t end, int) {
    sum_rows_(x + begin * channels, end - begin, channels, sums + begin);
    for (int64_t i = begin; i < end; ++i) sums[i] -= zeros;
  });
}

void WindowSums::sum_line(int64_t line, const int32_t* pixels, int32_t* sums) const {
  const auto& [depth, height, width] = geometry_.axes;
  const int64_t n = line / (depth.out * height.out), z = line / height.out % depth.out, y = line % height.out;
  const auto at = [](const ConvAxis& axis, int64_t out, int64_t k) -> std::ptrdiff_t {
    return out * axis.stride + k * axis.dilation - axis.pad_begin;
  };
  const auto lies_in = [](const ConvAxis& axis, int64_t i) { return i >= 0 && i < axis.in; };
  Checkpoints checkpoints;
  std::fill_n(sums, width.out, 0);
  for (int64_t i = 0, taps = geometry_.taps(); i < taps; ++i) {
    const int64_t from_z = at(depth, z, i / (height.kernel * width.kernel));
    const int64_t from_y = at(height, y, i / width.kernel % height.kernel);
    if (!lies_in(depth, from_z) || !lies_in(height, from_y)) continue;
    checkpoints.add(width.out);
    const int32_t* from = pixels + ((n * depth.in + from_z) * height.in + from_y) * width.in;
    for (int64_t x = 0; x < width.out; ++x) {
      const int64_t from_x = at(width, x, i % width.kernel);
      if (lies_in(width, from_x)) sums[x] += from[from_x];
    }
  }
}

}  // namespace linnet
