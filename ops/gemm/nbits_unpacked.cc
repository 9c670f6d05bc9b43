#include "gemm/nbits_unpacked.h"

#include <algorithm>

#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr std::ptrdiff_t kPanels = 2;
constexpr int64_t kDepth = 256;  // unpacked at a time; stays in the first-level cache for all strips

static_assert(kDepth >= kLongestNBitsBlock);

int64_t most_blocks(const NBitsForm& form) { return kDepth / form.block; }
// A row of two panels is short, so its size cannot overflow.
std::ptrdiff_t pitch(const NBitsForm& form) { return kPanels * form.lanes; }
std::ptrdiff_t most_codes(const NBitsForm& form) { return kDepth * pitch(form); }
std::ptrdiff_t most_scales(const NBitsForm& form) { return most_blocks(form) * pitch(form); }

}  // namespace

UnpackedNBits::UnpackedNBits(const NBitsFloatKernels& kernels, const NBitsForm& form, std::byte* scratch)
    : kernels_(kernels),
      form_(form),
      codes_(reinterpret_cast<float*>(scratch)),
      scales_(codes_ + most_codes(form)),
      totals_(scales_ + most_scales(form)) {}

size_t UnpackedNBits::scratch_bytes(const NBitsForm& form, int64_t rows) {
  const int64_t totals = checked_mul(rows, int64_t{pitch(form)});
  return aligned(dtype_bytes(DType::kFloat32, checked_add(most_codes(form) + most_scales(form), totals)));
}

const float* UnpackedNBits::multiply(const NBitsStrips<float>& strips, const std::byte* panels, int count) const {
  const std::ptrdiff_t width = int64_t{count} * form_.lanes, panel_bytes = form_.blocks * form_.block_bytes();
  std::fill_n(totals_, strips.rows() * width, 0.0f);
  for (int64_t first = 0; first < form_.blocks; first += most_blocks(form_)) {
    const int64_t blocks = std::min(most_blocks(form_), form_.blocks - first);
    for (int p = 0; p < count; ++p) {
      const std::byte* from = panels + p * panel_bytes + first * form_.block_bytes();
      kernels_.unpack(form_, from, blocks, width, codes_ + int64_t{p} * form_.lanes,
                      scales_ + int64_t{p} * form_.lanes);
    }
    multiply_blocks(strips, first, blocks, count);
  }
  return totals_;
}

void UnpackedNBits::multiply_blocks(const NBitsStrips<float>& strips, int64_t first, int64_t blocks, int count) const {
  NBitsUnpackedTile tile{.form = &form_, .panels = count, .blocks = blocks, .codes = codes_, .scales = scales_};
  for (int64_t s = 0; s < strips.count(); ++s) {
    const Span rows = strips.rows(s);
    tile.rows = int(rows.size());
    tile.a = strips[s].values + first * form_.block * rows.size();
    tile.totals = totals_ + rows.begin * count * form_.lanes;
    kernels_.multiply_unpacked(tile);
  }
}

}  // namespace linnet
