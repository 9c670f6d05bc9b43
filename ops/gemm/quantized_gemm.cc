#include "gemm/quantized_gemm.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"

namespace linnet {
namespace {

/// Whether all values, less 128 where they are unsigned, are in [-64, 64].
bool have_seven_bits(const Tensor& w, const CompileInput& in) {
  const auto look = [&w] {
    const auto* bytes = static_cast<const uint8_t*>(w.raw());
    const uint8_t flip = w.dtype() == DType::kUint8 ? 0 : 0x80;
    return Tensor::scalar(
        std::all_of(bytes, bytes + w.size(), [flip](uint8_t byte) { return uint8_t((byte ^ flip) - 64) <= 128; }));
  };
  return *in.packed(w, {"seven bits", {}}, look).data<bool>();
}

/// Returns the offset of value k in a column.
std::ptrdiff_t depth_offset(const GemmWeights<int8_t>& w, int64_t k) {
  return w.run > 0 ? k / w.run * w.run_stride + k % w.run * w.depth_stride : k * w.depth_stride;
}

/// Packs values of some columns from value k on, at most kUnit of each, with some bits flipped.
template <class Type>
void pack_each(const GemmWeights<int8_t>& w, int8_t flip, const int8_t* from, int64_t k, int64_t columns,
               typename Type::B* to) {
  constexpr int kUnit = Type::kUnit;
  const int64_t units = std::min<int64_t>(kUnit, w.depth - k);
  for (int64_t u = 0; u < units; ++u) {
    const int8_t* value = from + depth_offset(w, k + u);
    for (int64_t j = 0; j < columns; ++j)
      to[j * kUnit + u] = typename Type::B(int8_t(value[j * w.column_stride] ^ flip));
  }
}

/// The same for four bytes at a time, where the four bytes, or those of a row, are contiguous. Returns false for other
/// strides.
bool pack_fours(const GemmWeights<int8_t>& w, int8_t flip, const int8_t* from, int64_t k, int64_t columns, int8_t* to) {
  if (k + 4 > w.depth || w.run != 0 || (w.depth_stride != 1 && w.column_stride != 1)) return false;
  const uint32_t flips = uint32_t(uint8_t(flip)) * 0x01010101u;
  const auto store = [&](int64_t j, uint32_t four) {
    four ^= flips;
    std::memcpy(to + j * 4, &four, sizeof four);
  };
  if (w.depth_stride == 1) {
    for (int64_t j = 0; j < columns; ++j) {
      uint32_t four;
      std::memcpy(&four, from + k + j * w.column_stride, sizeof four);
      store(j, four);
    }
    return true;
  }
  const auto* row = reinterpret_cast<const uint8_t*>(from + k * w.depth_stride);
  const uint8_t *second = row + w.depth_stride, *third = second + w.depth_stride, *last = third + w.depth_stride;
  for (int64_t j = 0; j < columns; ++j) {
    const uint8_t bytes[4] = {row[j], second[j], third[j], last[j]};
    uint32_t four;
    std::memcpy(&four, bytes, sizeof four);
    store(j, four);
  }
  return true;
}

/// Packs the columns of a panel as [tap][step][column][unit].
template <class Type>
void pack_byte_panel(const GemmWeights<int8_t>& w, int8_t flip, const GemmPanels& panels, int64_t panel,
                     typename Type::B* to) {
  using B = typename Type::B;
  constexpr int kUnit = Type::kUnit;
  const int64_t first = panels.first_column(panel), columns = panels.end_column(panel + 1) - first;
  const int64_t pitch = kUnit * (panels.first_column(panel + 1) - first);
  for (int64_t t = 0; t < w.taps; ++t) {
    const int8_t* from = w.data + t * w.tap_stride + first * w.column_stride;
    for (int64_t k = 0; k < w.depth; k += kUnit, to += pitch) {
      if (k + kUnit > w.depth || columns * kUnit < pitch) std::fill_n(to, pitch, B{0});
      if constexpr (kUnit == 4) {
        if (pack_fours(w, flip, from, k, columns, to)) continue;
      }
      pack_each<Type>(w, flip, from, k, columns, to);
    }
  }
}

/// Computes the sums of the columns of a panel of bytes, modulo 2^32, from its packed form.
void sum_panel(const int8_t* packed, int64_t steps, int64_t pitch, int64_t columns, int32_t* sums) {
  std::fill_n(sums, columns, 0);
  for (int64_t step = 0; step < steps; ++step, packed += pitch) {
    for (int64_t j = 0; j < columns; ++j) {
      uint32_t four;
      std::memcpy(&four, packed + j * 4, sizeof four);
      four ^= 0x80808080u;  // adds 128 to each byte
      const uint32_t pairs = (four & 0x00ff00ffu) + (four >> 8 & 0x00ff00ffu);
      sums[j] += int32_t((pairs + (pairs >> 16)) & 0xffffu) - 4 * 128;
    }
  }
}

constexpr int64_t kTypicalRows = 32;

/// Returns the kernels that take the least time for a product by matrices of these sizes. Tile registers do not pay for
/// short sums. The choice does not depend on the number of rows, so that packed matrices are in memory in one form.
template <class Type>
const GemmKernels<Type>& fastest_kernels(Isa isa, const GemmSizes& sizes) {
  const auto& kernels = kernels_for<GemmKernels<Type>>(isa);
  if (kernels.slice_steps == 0) return kernels;
  const auto& vectors = kernels_for<GemmKernels<Type>>(without(isa, Feature::kAmxInt8));
  if (!vectors.strip || vectors.narrow) return kernels;
  GemmSizes typical = sizes;
  typical.rows = kTypicalRows;
  return GemmBlocks(kernels, typical).cycles() <= GemmBlocks(vectors, typical).cycles() ? kernels : vectors;
}

}  // namespace

bool multiplies_bytes(Isa isa) {
  const GemmKernels<GemmU8>& kernels = kernels_for<GemmKernels<GemmU8>>(isa);
  return kernels.strip && !kernels.narrow;
}

bool multiplies_bytes(const CompileInput& in, int w) {
  const GemmKernels<GemmU8>& kernels = kernels_for<GemmKernels<GemmU8>>(in.isa());
  const Tensor* weights = in.constant(w);
  return multiplies_bytes(in.isa()) || (kernels.strip && weights && have_seven_bits(*weights, in));
}

template <class Type>
QuantizedGemm<Type>::QuantizedGemm(const CompileInput& in, const GemmSizes& sizes, const QuantizedMatrices& w,
                                   const GemmWeights<int8_t>& matrix, int64_t count)
    : kernels_(fastest_kernels<Type>(in.isa(), sizes)),
      w_(w.input),
      flip_(w.is_unsigned ? int8_t(-128) : int8_t{0}),
      matrix_(matrix),
      count_(count),
      plan_(kernels_, sizes) {
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
    pack(w.constant, static_cast<std::byte*>(packed.raw()), in.executor());
    return packed;
  });
}

template <class Type>
size_t QuantizedGemm<Type>::packed_bytes() const {
  return panels_bytes() + (kBytes ? dtype_bytes(DType::kInt32, checked_mul(count_, matrix_.columns)) : 0);
}

template <class Type>
void QuantizedGemm<Type>::pack(const Tensor& w, std::byte* packed, Executor& executor) const {
  const GemmPanels& panels = plan_.panels();
  auto* sums = reinterpret_cast<int32_t*>(packed + panels_bytes());
  executor.parallel_for(count_ * panels.count(), [&](int64_t i, int) {
    const int64_t index = i / panels.count(), panel = i % panels.count();
    GemmWeights<int8_t> matrix = matrix_;
    matrix.data = static_cast<const int8_t*>(w.raw()) + index * matrix.taps * matrix.depth * matrix.columns;
    B* to = reinterpret_cast<B*>(packed) + index * packed_size_ +
            panel_begin(panels, panel, matrix.taps, matrix.depth, Type::kUnit);
    pack_byte_panel<Type>(matrix, flip_, panels, panel, to);
    if constexpr (kBytes) {
      const int64_t first = panels.first_column(panel), end = panels.first_column(panel + 1);
      sum_panel(to, matrix.taps * ceil_div(matrix.depth, Type::kUnit), (end - first) * Type::kUnit,
                panels.end_column(panel + 1) - first, sums + index * matrix.columns + first);
    }
  });
}

template <class Type>
const std::byte* QuantizedGemm<Type>::pack_in_scratch(KernelContext& context) const {
  std::byte* packed = context.scratch() + packed_offset_;
  pack(context.input(w_), packed, context.executor());
  return packed;
}

/// Returns the initial values of the sums. The kernels subtract their own shift from rows instead of x_zero, so the
/// sums start with the difference.
template <class Type>
const int32_t* QuantizedGemm<Type>::begin_sums(KernelContext& context, const std::byte* packed, int32_t x_zero,
                                               const int32_t* bias) const {
  if (!kBytes) return bias;
  auto* begin = reinterpret_cast<int32_t*>(context.scratch() + begin_offset_);
  const auto* sums = reinterpret_cast<const int32_t*>(packed + panels_bytes());
  for (int64_t j = 0; j < count_ * matrix_.columns; ++j) {
    begin[j] = int32_t(uint32_t(kernels_.a_shift - x_zero) * uint32_t(sums[j]) + (bias ? uint32_t(bias[j]) : 0));
  }
  return begin;
}

template class QuantizedGemm<GemmU8>;
template class QuantizedGemm<GemmS16>;

}  // namespace linnet
