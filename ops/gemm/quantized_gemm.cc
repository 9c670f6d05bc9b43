#include "gemm/quantized_gemm.h"

#include <algorithm>

#include "kernels/kernel_table.h"

namespace linnet {
namespace {

/// Where value k of a column lies.
std::ptrdiff_t depth_offset(const GemmWeights<int8_t>& w, int64_t k) {
  return w.run > 0 ? k / w.run * w.run_stride + k % w.run * w.depth_stride : k * w.depth_stride;
}

/// Packs the columns of a panel: [tap][step][column][unit].
template <class Type>
void pack_panel(const GemmWeights<int8_t>& w, const GemmPanels& panels, int64_t panel, typename Type::B* to) {
  using B = typename Type::B;
  constexpr int kUnit = Type::kUnit;
  const int64_t first = panels.first_column(panel), columns = panels.end_column(panel + 1) - first;
  const int64_t pitch = kUnit * (panels.first_column(panel + 1) - first);
  for (int64_t t = 0; t < w.taps; ++t) {
    for (int64_t k = 0; k < w.depth; k += kUnit, to += pitch) {
      const int64_t units = std::min<int64_t>(kUnit, w.depth - k);
      std::fill_n(to, pitch, B{0});
      for (int64_t u = 0; u < units; ++u) {
        const int8_t* from = w.data + t * w.tap_stride + depth_offset(w, k + u) + first * w.column_stride;
        for (int64_t j = 0; j < columns; ++j) to[j * kUnit + u] = from[j * w.column_stride];
      }
    }
  }
}

/// The sum of column j, modulo 2^32.
int32_t column_sum(const GemmWeights<int8_t>& w, int64_t j) {
  uint32_t sum = 0;
  for (int64_t t = 0; t < w.taps; ++t) {
    const int8_t* from = w.data + t * w.tap_stride + j * w.column_stride;
    for (int64_t k = 0; k < w.depth; ++k) sum += uint32_t(from[depth_offset(w, k)]);
  }
  return int32_t(sum);
}

}  // namespace

bool multiplies_bytes(Isa isa) {
  const GemmKernels<GemmU8>& kernels = kernel_table(isa).gemm_u8;
  return kernels.strip && !kernels.narrow;
}

template <class Type>
QuantizedGemm<Type>::QuantizedGemm(const CompileInput& in, const GemmSizes& sizes, const QuantizedMatrices& w,
                                   const GemmWeights<int8_t>& matrix, int64_t count)
    : w_(w.input),
      matrix_(matrix),
      count_(count),
      a_shift_(kernel_table(in.isa()).gemm<Type>().a_shift),
      plan_(kernel_table(in.isa()).gemm<Type>(), sizes) {
  packed_size_ = packed_size(plan_.panels(), matrix.taps, matrix.depth, Type::kUnit);
  checked_mul(checked_mul(count, packed_size_), int64_t{sizeof(B)});
  begin_offset_ = plan_.scratch_bytes();
  packed_offset_ =
      begin_offset_ + (kBytes ? aligned(dtype_bytes(DType::kInt32, checked_mul(count, matrix.columns))) : 0);
  scratch_bytes_ = packed_offset_;
  if (!w.constant) {
    scratch_bytes_ += packed_bytes();
    return;
  }
  const std::vector<int64_t> more{count, matrix.taps, matrix.depth, matrix.column_stride, Type::kUnit};
  packed_ = in.packed(w.constant, packed_form("quantized panels", plan_.panels(), more), [&] {
    Tensor packed = in.packed_memory(DType::kUint8, Shape{int64_t(packed_bytes())});
    pack(w.constant.data<int8_t>(), static_cast<std::byte*>(packed.raw()), in.executor());
    return packed;
  });
}

template <class Type>
size_t QuantizedGemm<Type>::packed_bytes() const {
  return panels_bytes() + (kBytes ? dtype_bytes(DType::kInt32, checked_mul(count_, matrix_.columns)) : 0);
}

template <class Type>
void QuantizedGemm<Type>::pack(const int8_t* w, std::byte* packed, Executor& executor) const {
  const GemmPanels& panels = plan_.panels();
  auto* sums = reinterpret_cast<int32_t*>(packed + panels_bytes());
  executor.parallel_for(count_ * panels.count(), [&](int64_t i, int) {
    const int64_t index = i / panels.count(), panel = i % panels.count();
    GemmWeights<int8_t> matrix = matrix_;
    matrix.data = w + index * matrix.taps * matrix.depth * matrix.columns;
    B* to = reinterpret_cast<B*>(packed) + index * packed_size_ +
            panel_begin(panels, panel, matrix.taps, matrix.depth, Type::kUnit);
    pack_panel<Type>(matrix, panels, panel, to);
    for (int64_t j = panels.first_column(panel); kBytes && j < panels.end_column(panel + 1); ++j) {
      sums[index * matrix.columns + j] = column_sum(matrix, j);
    }
  });
}

template <class Type>
const std::byte* QuantizedGemm<Type>::pack_in_scratch(KernelContext& context) const {
  std::byte* packed = context.scratch() + packed_offset_;
  pack(context.input(w_).data<int8_t>(), packed, context.executor());
  return packed;
}

/// Rows are not less by x_zero but by what the kernels subtract: the sums begin with the difference.
template <class Type>
const int32_t* QuantizedGemm<Type>::begin_sums(KernelContext& context, const std::byte* packed, int32_t x_zero,
                                               const int32_t* bias) const {
  if (!kBytes) return bias;
  auto* begin = reinterpret_cast<int32_t*>(context.scratch() + begin_offset_);
  const auto* sums = reinterpret_cast<const int32_t*>(packed + panels_bytes());
  for (int64_t j = 0; j < count_ * matrix_.columns; ++j) {
    begin[j] = int32_t(uint32_t(a_shift_ - x_zero) * uint32_t(sums[j]) + (bias ? uint32_t(bias[j]) : 0));
  }
  return begin;
}

template class QuantizedGemm<GemmU8>;
template class QuantizedGemm<GemmS16>;

}  // namespace linnet
