#include "quantization/integers.h"

#include <algorithm>

#include "elements/bit_stream.h"
#include "elements/cast_path.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

/// Reads elements as float32: directly from the tensor, or at most kQuantizationBlock converted ones.
class FloatReader {
 public:
  FloatReader(DType dtype, Isa isa) : bytes_(dtype_bytes(dtype, 1)) {
    if (dtype != DType::kFloat32) path_ = *cast_path(dtype, DType::kFloat32, isa);
  }
  bool converts() const { return !path_.empty(); }
  const float* read(const void* x, int64_t first, int64_t n, float* room) const {
    const auto* from = static_cast<const std::byte*>(x) + size_t(first) * bytes_;
    if (!converts()) return reinterpret_cast<const float*>(from);
    convert_block(path_, from, room, n);
    return room;
  }

 private:
  size_t bytes_;
  std::vector<Conversion> path_;
};

/// Whether a dtype below 8 bits is signed.
bool is_signed(DType dtype) { return dtype == DType::kInt2 || dtype == DType::kInt4; }

bool is_short_float(DType dtype) { return dtype == DType::kFloat32 || is_half(dtype); }

/// Iterates over runs of elements with consecutive scales. If something is converted, runs are divided into parts that
/// fit the buffers.
class IntegersKernel : public Kernel {
 public:
  IntegersKernel(const CompileInput& in, const ScaleLayout& layout, DType integers, bool converts)
      : layout_(layout),
        elements_(in.shape(0).elements()),
        scales_(in.dtype(1), in.isa()),
        zero_bits_(in.has(2) ? dtype_bits(integers) : 0),
        zero_signed_(is_signed(integers)),
        converts_(converts || scales_.converts() || zero_bits_ % 8 > 0) {}

  void run(KernelContext& context) const override {
    const Operands operands{context.input(0).raw(), context.input(1).raw(),
                            zero_bits_ > 0 ? context.input(2).raw() : nullptr, context.output(0).raw()};
    parallel_items(context.executor(), elements_, 1, [&](int64_t first, int64_t end, int) {
      while (first < end) {
        const ScaleRun run = layout_.run(first, end);
        for (int64_t i = 0, n = 0; i < run.n; i += n, first += n) {
          n = converts_ ? std::min(run.n - i, part(run.block, i)) : run.n;
          convert(operands, {first, n, run.block, run.scale + i / run.block});
        }
      }
    });
  }

 protected:
  struct Operands {
    const void *x, *scale, *zero_point;
    void* y;
  };
  /// The n elements from `first` on, with one scale for each block, from `scale` on.
  struct Elements {
    int64_t first, n, block, scale;
  };
  struct Scales {
    const float* scale;
    const void* zero_points;  ///< nullptr if they are 0.
  };
  virtual void convert(const Operands& operands, const Elements& elements, const Scales& scales) const = 0;

 private:
  /// The number of elements from position i of a run on, at most kQuantizationBlock: whole blocks, or a part of one.
  static int64_t part(int64_t block, int64_t i) {
    return block > kQuantizationBlock ? std::min(kQuantizationBlock, block - i % block)
                                      : kQuantizationBlock / block * block;
  }

  void convert(const Operands& operands, const Elements& e) const {
    float room[kQuantizationBlock];
    uint8_t bytes[kQuantizationBlock];
    const int64_t count = (e.n - 1) / e.block + 1;
    const void* zero_points = operands.zero_point;
    if (zero_points && zero_bits_ < 8) {
      read_integers(zero_points, e.scale, count, zero_bits_, zero_signed_, bytes);
      zero_points = bytes;
    } else if (zero_points) {
      zero_points = static_cast<const std::byte*>(zero_points) + e.scale * (zero_bits_ / 8);
    }
    convert(operands, e, {scales_.read(operands.scale, e.scale, count, room), zero_points});
  }

  ScaleLayout layout_;
  int64_t elements_;
  FloatReader scales_;
  int zero_bits_;  ///< 0 if omitted.
  bool zero_signed_;
  bool converts_;
};

class Quantize final : public IntegersKernel {
 public:
  Quantize(const CompileInput& in, const ScaleLayout& layout, DType precision)
      : IntegersKernel(in, layout, in.output_dtype(0), in.dtype(0) != DType::kFloat32 || is_half(precision)),
        x_(in.dtype(0), in.isa()),
        kernels_(*kernels_for<QuantizeKernels>(in.isa()).grid(in.output_dtype(0))),
        div_(kernels_for<BinaryKernels>(in.isa()).div),
        y_bytes_(dtype_bytes(in.output_dtype(0), 1)) {
    if (!is_half(precision)) return;
    narrow_ = *cast_path(DType::kFloat32, precision, in.isa());
    widen_ = *cast_path(precision, DType::kFloat32, in.isa());
  }

 private:
  void convert(const Operands& operands, const Elements& e, const Scales& scales) const override {
    float room[kQuantizationBlock];
    const float* x = x_.read(operands.x, e.first, e.n, room);
    auto* y = static_cast<std::byte*>(operands.y) + size_t(e.first) * y_bytes_;
    if (narrow_.empty()) return kernels_.quantize_blocks(x, y, e.n, e.block, scales.scale, scales.zero_points);
    float quotient[kQuantizationBlock], ones[kQuantizationBlock];
    divide(x, e, scales.scale, quotient);
    std::fill_n(ones, kQuantizationBlock, 1.0f);
    kernels_.quantize_blocks(quotient, y, e.n, e.block, ones, scales.zero_points);
  }

  void divide(const float* x, const Elements& e, const float* scale, float* quotient) const {
    const int64_t block = std::min(e.block, kQuantizationBlock);
    if (block == 1) div_.vector_vector(x, scale, quotient, e.n);
    for (int64_t i = 0; block > 1 && i < e.n; i += block, ++scale) {
      div_.vector_scalar(x + i, scale, quotient + i, std::min(block, e.n - i));
    }
    uint16_t rounded[kQuantizationBlock];
    convert_block(narrow_, quotient, rounded, e.n);
    convert_block(widen_, rounded, quotient, e.n);
  }

  FloatReader x_;
  GridKernels kernels_;
  BinaryForms div_;
  size_t y_bytes_;
  std::vector<Conversion> narrow_, widen_;  ///< The rounding of quotients, if any.
};

class Dequantize final : public IntegersKernel {
 public:
  Dequantize(const CompileInput& in, const ScaleLayout& layout, const GridKernels& kernels)
      : IntegersKernel(in, layout, in.dtype(0), dtype_bits(in.dtype(0)) < 8 || is_half(in.output_dtype(0))),
        kernels_(kernels),
        x_(in.dtype(0)),
        y_bytes_(dtype_bytes(in.output_dtype(0), 1)) {
    if (in.output_dtype(0) == DType::kFloat32) return;
    narrow_ = *cast_path(DType::kFloat32, in.output_dtype(0), in.isa());
  }

 private:
  void convert(const Operands& operands, const Elements& e, const Scales& scales) const override {
    uint8_t bytes[kQuantizationBlock];
    float room[kQuantizationBlock];
    const void* x = static_cast<const std::byte*>(operands.x) + e.first * dtype_bits(x_) / 8;
    if (dtype_bits(x_) < 8) {
      read_integers(operands.x, e.first, e.n, dtype_bits(x_), is_signed(x_), bytes);
      x = bytes;
    }
    auto* y = static_cast<std::byte*>(operands.y) + size_t(e.first) * y_bytes_;
    float* floats = narrow_.empty() ? reinterpret_cast<float*>(y) : room;
    kernels_.dequantize_blocks(x, floats, e.n, e.block, scales.scale, scales.zero_points);
    if (!narrow_.empty()) convert_block(narrow_, room, y, e.n);
  }

  GridKernels kernels_;
  DType x_;
  size_t y_bytes_;
  std::vector<Conversion> narrow_;  ///< The conversions of y, if any.
};

}  // namespace

KernelPtr quantize_to_integers(const CompileInput& in, const ScaleLayout& layout, DType precision) {
  const GridKernels* kernels = kernels_for<QuantizeKernels>(in.isa()).grid(in.output_dtype(0));
  const bool takes_x = is_short_float(in.dtype(0)) || in.dtype(0) == DType::kInt32;
  if (!kernels || !kernels->quantize || !takes_x || !is_short_float(in.dtype(1)) || !is_short_float(precision)) {
    return nullptr;
  }
  return std::make_unique<Quantize>(in, layout, precision);
}

KernelPtr dequantize_from_integers(const CompileInput& in, const ScaleLayout& layout) {
  const DType x = in.dtype(0);
  const bool divides_bytes = is_integer(x) && dtype_bits(x) < 8;
  const DType stored = !divides_bytes ? x : is_signed(x) ? DType::kInt8 : DType::kUint8;
  const GridKernels* kernels = kernels_for<QuantizeKernels>(in.isa()).grid(stored);
  if (!kernels || !is_short_float(in.dtype(1)) || !is_short_float(in.output_dtype(0))) return nullptr;
  return std::make_unique<Dequantize>(in, layout, *kernels);
}

}  // namespace linnet
