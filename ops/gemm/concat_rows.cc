#include "gemm/concat_rows.h"

#include <algorithm>
#include <cstring>

namespace linnet {
void ConcatRows::rows(const RowBlock& block, const float** pointers, std::byte* scratch) const {
  const int64_t pitch = row_copy_pitch<float>(block.depth), end = block.k + block.depth;
  float* const copy = reinterpret_cast<float*>(scratch);
  for (int i = 0; i < block.rows; ++i) pointers[i] = copy + i * pitch;
  int64_t first = 0;  // channel of the tensor
  for (size_t t = 0; t < channels_.size() && first < end; first += channels_[t++]) {
    const int64_t from = std::max(first, block.k), count = std::min(first + channels_[t], end) - from;
    if (count <= 0) continue;
    const float* x = tensor(int64_t(t)) + block.row * channels_[t] + (from - first);
    copy_rows({x, channels_[t], copy + (from - block.k), pitch, from, count}, block.row, block.rows);
  }
}

void ConcatRows::copy_rows(Part part, int64_t row, int64_t rows) const {
  if (!scaling_.scale) {
    for (int64_t i = 0; i < rows; ++i) {
      std::memcpy(part.y + i * part.y_pitch, part.x + i * part.x_pitch, size_t(part.channels) * sizeof(float));
    }
    return;
  }
  const float* shift = scaling_.shift ? scaling_.shift + part.channel : nullptr;
  for (const int64_t end = row + rows; row < end;) {
    const int64_t image = row / image_pixels_, count = std::min(end, (image + 1) * image_pixels_) - row;
    const float* scale = scaling_.scale + image * scaling_.image_pitch + part.channel;
    scale_rows_(part.x, part.x_pitch, part.y, part.y_pitch, count, part.channels, scale, shift, scaling_.low);
    part.x += count * part.x_pitch;
    part.y += count * part.y_pitch;
    row += count;
  }
}

void TensorTaps::rows(const RowBlock& block, const float** pointers, std::byte* /*scratch*/) const {
  for (int64_t t = 0; t < block.taps; ++t) {
    const float* x = context_.input(first_input_ + int(block.tap + t)).data<float>() + block.row * channels_ + block.k;
    for (int i = 0; i < block.rows; ++i) *pointers++ = x + i * channels_;
  }
}

}  // namespace linnet
