#include "gemm/widened_products.h"

#include <algorithm>

#include "gemm/byte_operands.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "partition/checkpoints.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

/// Packs a panel of the matrix whose first value and zero point are those of b.
void pack_pairs(const Bytes& b, const GemmWeights<uint8_t>& w, int64_t zero_stride, const GemmPanels& panels,
                int64_t panel, int16_t* to, Checkpoints& checkpoints) {
  const int64_t first = panels.first_column(panel), columns = panels.end_column(panel + 1) - first;
  const int64_t pitch = 2 * (panels.first_column(panel + 1) - first);
  for (int64_t t = 0; t < w.taps; ++t) {
    for (int64_t k = 0; k < w.depth; k += 2, to += pitch) {
      const uint8_t* from = b.values + t * w.tap_stride + k * w.depth_stride + first * w.column_stride;
      const uint8_t* zeros = b.zeros + first * zero_stride;
      const bool whole = k + 1 < w.depth;
      for (int64_t j = 0; j < columns; ++j) {
        const int32_t zero = zeros[j * zero_stride] ^ b.flip;
        to[2 * j] = int16_t((from[j * w.column_stride] ^ b.flip) - zero);
        to[2 * j + 1] = int16_t(whole ? (from[j * w.column_stride + w.depth_stride] ^ b.flip) - zero : 0);
      }
      std::fill(to + 2 * columns, to + pitch, int16_t{0});
      checkpoints.add(pitch);
    }
  }
}

PackedForm form_of(const ByteMatrices& b, const GemmPanels& panels, const Tensor* zeros) {
  const GemmWeights<uint8_t>& w = b.matrix;
  PackedForm form = packed_form("int16 pairs", panels, {b.count, w.taps, w.depth, w.column_stride});
  for (int64_t i = 0; zeros && i < zeros->size(); ++i) form.numbers.push_back(byte_at(*zeros, i));
  return form;
}

}  // namespace

WidenedProducts::WidenedProducts(const CompileInput& in, const GemmSizes& sizes, const ByteMatrices& b)
    : b_(b),
      plan_(kernels_for<GemmKernels<GemmS16>>(in.isa()), sizes),
      packed_size_(packed_size(plan_.panels(), b.matrix.taps, b.matrix.depth, GemmS16::kUnit)) {
  const int64_t size = checked_mul(b.count, packed_size_);
  packed_offset_ = plan_.scratch_bytes();
  scratch_bytes_ = packed_offset_;
  const Tensor *values = in.constant(b.input), *zeros = in.constant(b.zero_input);
  if (values && (zeros || !in.has(b.zero_input))) {
    packed_ = in.packed(*values, form_of(b, plan_.panels(), zeros), [&] {
      Tensor packed = in.packed_memory(DType::kInt16, Shape{size});
      pack(*values, zeros ? *zeros : Tensor(), in.executor(), packed.data<int16_t>());
      return packed;
    });
  } else {
    scratch_bytes_ += aligned(dtype_bytes(DType::kInt16, size));
  }
}

void WidenedProducts::pack(const Tensor& b, const Tensor& zeros, Executor& executor, int16_t* packed) const {
  const GemmWeights<uint8_t>& w = b_.matrix;
  const GemmPanels& panels = plan_.panels();
  executor.parallel_for(b_.count * panels.count(), [&](int64_t i, int) {
    const int64_t matrix = i / panels.count(), panel = i % panels.count();
    Bytes bytes(b, zeros);
    bytes.values += matrix * w.taps * w.depth * w.columns;
    bytes.zeros += b_.zero.at(matrix, 0, 0);
    int16_t* to = packed + matrix * packed_size_ + panel_begin(panels, panel, w.taps, w.depth, GemmS16::kUnit);
    Checkpoints checkpoints;
    pack_pairs(bytes, w, b_.zero.column, panels, panel, to, checkpoints);
  });
}

const int16_t* WidenedProducts::pack_in_scratch(KernelContext& context) const {
  auto* packed = reinterpret_cast<int16_t*>(context.scratch() + packed_offset_);
  pack(context.input(b_.input), context.input(b_.zero_input), context.executor(), packed);
  return packed;
}

}  // namespace linnet
