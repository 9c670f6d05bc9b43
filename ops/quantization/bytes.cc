#include "quantization/bytes.h"

#include <algorithm>

#include "kernels/kernel_table.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

bool is_byte(DType dtype) { return dtype == DType::kUint8 || dtype == DType::kInt8; }

class BytesKernel : public Kernel {
 public:
  BytesKernel(const CompileInput& in, const ScaleLayout& layout, DType bytes)
      : kernels_(kernel_table(in.isa()).quantize.of(bytes)),
        layout_(layout),
        elements_(in.shape(0).elements()),
        has_zero_point_(in.has(2)) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const float* scale = context.input(1).data<float>();
    const auto* zero_point = has_zero_point_ ? static_cast<const std::byte*>(context.input(2).raw()) : nullptr;
    parallel_items(context.executor(), elements_, 1, [&](int64_t first, int64_t end, int) {
      while (first < end) {
        const ScaleRun run = layout_.run(first, end);
        const std::byte* zero = zero_point ? zero_point + run.scale : nullptr;
        if (run.each)
          convert_each(x, y, first, run.n, scale + run.scale, zero);
        else
          convert(x, y, first, run.n, scale[run.scale], zero ? as_float(zero) : 0.0f);
        first += run.n;
      }
    });
  }

 protected:
  virtual void convert(const std::byte* x, std::byte* y, int64_t first, int64_t n, float scale, float zero) const = 0;
  virtual void convert_block(const std::byte* x, std::byte* y, int64_t first, int64_t n, const float* scale,
                             const float* zero) const = 0;

  ByteKernels kernels_;

 private:
  float as_float(const std::byte* byte) const {
    float result;
    kernels_.dequantize(byte, &result, 1, 1, 0);
    return result;
  }

  void convert_each(const std::byte* x, std::byte* y, int64_t first, int64_t n, const float* scale,
                    const std::byte* zero_point) const {
    for (int64_t i = 0; i < n; i += kQuantizationBlock) {
      const int64_t count = std::min(kQuantizationBlock, n - i);
      float zero[kQuantizationBlock];
      if (zero_point)
        kernels_.dequantize(zero_point + i, zero, count, 1, 0);
      else
        std::fill_n(zero, count, 0.0f);
      convert_block(x, y, first + i, count, scale + i, zero);
    }
  }

  ScaleLayout layout_;
  int64_t elements_;
  bool has_zero_point_;
};

class Quantize final : public BytesKernel {
 public:
  using BytesKernel::BytesKernel;

 private:
  void convert(const std::byte* x, std::byte* y, int64_t first, int64_t n, float scale, float zero) const override {
    kernels_.quantize(reinterpret_cast<const float*>(x) + first, y + first, n, scale, zero);
  }
  void convert_block(const std::byte* x, std::byte* y, int64_t first, int64_t n, const float* scale,
                     const float* zero) const override {
    kernels_.quantize_each(reinterpret_cast<const float*>(x) + first, y + first, n, scale, zero);
  }
};

class Dequantize final : public BytesKernel {
 public:
  using BytesKernel::BytesKernel;

 private:
  void convert(const std::byte* x, std::byte* y, int64_t first, int64_t n, float scale, float zero) const override {
    kernels_.dequantize(x + first, reinterpret_cast<float*>(y) + first, n, scale, zero);
  }
  void convert_block(const std::byte* x, std::byte* y, int64_t first, int64_t n, const float* scale,
                     const float* zero) const override {
    kernels_.dequantize_each(x + first, reinterpret_cast<float*>(y) + first, n, scale, zero);
  }
};

template <class Conversion>
KernelPtr make(const CompileInput& in, const ScaleLayout& layout, DType floats, DType bytes) {
  const bool fits = floats == DType::kFloat32 && in.dtype(1) == DType::kFloat32 && is_byte(bytes);
  return fits ? std::make_unique<Conversion>(in, layout, bytes) : nullptr;
}

}  // namespace

KernelPtr quantize_to_bytes(const CompileInput& in, const ScaleLayout& layout) {
  return make<Quantize>(in, layout, in.dtype(0), in.output_dtype(0));
}

KernelPtr dequantize_from_bytes(const CompileInput& in, const ScaleLayout& layout) {
  return make<Dequantize>(in, layout, in.output_dtype(0), in.dtype(0));
}

}  // namespace linnet
