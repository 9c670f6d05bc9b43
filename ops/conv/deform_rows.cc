#include "conv/deform_rows.h"

#include <algorithm>

namespace linnet {
namespace {

// The sampling kernel requires coordinates that are exact in float32 and pixel numbers of 32 bits.
void check_image(const ConvAxis& height, const ConvAxis& width) {
  constexpr int64_t kMostExtent = int64_t{1} << 24, kMostPixels = (int64_t{1} << 31) - 1;
  if (std::max(height.in, width.in) <= kMostExtent && height.in * width.in <= kMostPixels) return;
  throw Error(ErrorKind::kUnsupported, str("images of at most 2^24 rows and columns and 2^31 - 1 pixels are supported, "
                                           "got ",
                                           height.in, "x", width.in));
}

}  // namespace

DeformWindows::DeformWindows(const DeformShape& shape) : shape_(shape) {
  check_image(shape.height(), shape.width());
  const ConvAxis &height = shape.height(), &width = shape.width();
  for (int64_t y = 0; y < height.kernel; ++y) {
    for (int64_t x = 0; x < width.kernel; ++x) {
      tap_y_.push_back(float(y * height.dilation));
      tap_x_.push_back(float(x * width.dilation));
    }
  }
  zeros_.resize(size_t(std::min(shape.channels_per_offset_group(), shape.conv.group_in())));
}

size_t DeformWindows::scratch_bytes() const {
  return dtype_bytes(DType::kFloat32, checked_mul(shape_.conv.taps(), shape_.conv.group_in()));
}

void DeformRows::rows(const RowBlock& block, const float** pointers, std::byte* scratch) const {
  const DeformShape& s = windows_.shape_;
  auto* samples = reinterpret_cast<float*>(scratch);
  for (int64_t i = 0; i < block.taps * block.rows; ++i) pointers[i] = samples + i * block.depth;
  const int64_t first = group_ * s.conv.group_in() + block.k, end = first + block.depth;
  const int64_t together = s.channels_per_offset_group();
  for (int64_t offset_group = first / together, c = first; c < end; ++offset_group) {
    const int64_t next = std::min(end, (offset_group + 1) * together);
    sample_channels(block, offset_group, c, next - c, samples + (c - first));
    c = next;
  }
}

void DeformRows::sample_channels(const RowBlock& block, int64_t offset_group, int64_t channel, int64_t channels,
                                 float* samples) const {
  const DeformShape& s = windows_.shape_;
  const ConvAxis &height = s.height(), &width = s.width();
  const int64_t line = block.row / width.out, image_floats = s.conv.in_pixels() * s.conv.in_channels;
  int64_t n = line / height.out, y = line % height.out, x = block.row % width.out;
  DeformImage image{field_.x + n * image_floats + channel, height.in, width.in, s.conv.in_channels,
                    windows_.zeros_.data()};
  DeformWindow window;
  window.tap_y = windows_.tap_y_.data() + block.tap;
  window.tap_x = windows_.tap_x_.data() + block.tap;
  window.sigmoid = s.mask_in_offset;
  window.taps = block.taps;
  const int64_t point = offset_group * s.conv.taps() + block.tap;
  for (int64_t row = block.row; row < block.row + block.rows; ++row, samples += block.depth) {
    window.y = float(y * height.stride - height.pad_begin);
    window.x = float(x * width.stride - width.pad_begin);
    window.offset = field_.offset + row * field_.offset_pitch + 2 * point;
    if (field_.mask) window.mask = field_.mask + row * field_.mask_pitch + point;
    kernels_.sample_f32(image, window, channels, samples, block.rows * block.depth);
    if (++x < width.out) continue;
    x = 0;
    if (++y < height.out) continue;
    y = 0;
    image.pixels += image_floats;
  }
}

}  // namespace linnet
