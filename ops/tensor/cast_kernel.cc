#include "tensor/cast_kernel.h"

#include "kernels/kernel_table.h"
#include "partition/parallel.h"
#include "tensor/number_text.h"
#include "tensor/view.h"
#include "tensor/wide.h"

namespace linnet {
namespace {

/// Elements that are held in between. A divisor of kChunkElements and a multiple of 4, as the smallest dtypes have 4
/// elements in a byte.
constexpr int64_t kBlock = 256;

class NumberCast final : public Kernel {
 public:
  NumberCast(const CompileInput& in, const SmallFloatRounding& rounding)
      : elements_(in.shape(0).elements()),
        read_(wide_reader(in.dtype(0))),
        write_(wide_writer(wide_kind(in.dtype(0)), in.output_dtype(0), rounding)) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), elements_, 1, [&](int64_t begin, int64_t end, int) {
      Wide block[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        read_(x, first, n, block);
        write_(block, y, first, n);
      }
    });
  }

 private:
  int64_t elements_;
  WideReader read_;
  WideWriter write_;
};

class CastFromString final : public Kernel {
 public:
  CastFromString(const CompileInput& in, const SmallFloatRounding& rounding)
      : kind_(wide_kind(in.output_dtype(0))), write_(wide_writer(kind_, in.output_dtype(0), rounding)) {}

  void run(KernelContext& context) const override {
    const std::span<const std::string> x = context.input(0).values<std::string>();
    void* y = context.output(0).raw();
    Wide block[kBlock];
    for (size_t first = 0; first < x.size(); first += kBlock) {
      const size_t n = std::min(size_t(kBlock), x.size() - first);
      for (size_t i = 0; i < n; ++i) block[i] = number_from_text(x[first + i], kind_);
      write_(block, y, int64_t(first), int64_t(n));
    }
  }

 private:
  WideKind kind_;
  WideWriter write_;
};

class CastToString final : public Kernel {
 public:
  explicit CastToString(const CompileInput& in) : dtype_(in.dtype(0)), read_(wide_reader(dtype_)) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    std::string* y = context.output(0).data<std::string>();
    for (int64_t i = 0; i < x.size(); ++i) {
      Wide value;
      read_(x.raw(), i, 1, &value);
      y[i] = text_of_number(value, dtype_);
    }
  }

 private:
  DType dtype_;
  WideReader read_;
};

template <class From, class To>
class KernelCast final : public Kernel {
  using Convert = void (*)(const From* x, To* y, int64_t n);

 public:
  KernelCast(int64_t elements, Convert convert) : elements_(elements), convert_(convert) {}

  void run(KernelContext& context) const override {
    const From* x = context.input(0).data<From>();
    To* y = context.output(0).data<To>();
    parallel_items(context.executor(), elements_, 1,
                   [&](int64_t begin, int64_t end, int) { convert_(x + begin, y + begin, end - begin); });
  }

 private:
  int64_t elements_;
  Convert convert_;
};

/// Between float32 and the 16-bit floats; nullptr for other pairs.
KernelPtr kernel_cast(DType from, DType to, int64_t elements, const ConvertKernels& kernels) {
  const auto make = [elements]<class From, class To>(void (*convert)(const From*, To*, int64_t)) {
    return std::make_unique<KernelCast<From, To>>(elements, convert);
  };
  if (from == DType::kFloat32 && to == DType::kFloat16) return make(kernels.half_of_float);
  if (from == DType::kFloat32 && to == DType::kBFloat16) return make(kernels.bfloat16_of_float);
  if (from == DType::kFloat16 && to == DType::kFloat32) return make(kernels.float_of_half);
  if (from == DType::kBFloat16 && to == DType::kFloat32) return make(kernels.float_of_bfloat16);
  return nullptr;
}

}  // namespace

SmallFloatRounding rounding_of(const NodeSpec& node) {
  using Mode = SmallFloatRounding::Mode;
  const std::string mode = node.attr_or("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    throw Error(ErrorKind::kModel, str("round_mode must be 'up', 'down' or 'nearest', got '", mode, "'"));
  }
  return {.saturate = node.attr_or("saturate", true),
          .mode = mode == "up"     ? Mode::kUp
                  : mode == "down" ? Mode::kDown
                                   : Mode::kNearest};
}

KernelPtr cast_kernel(const CompileInput& in, const SmallFloatRounding& rounding) {
  const DType from = in.dtype(0), to = in.output_dtype(0);
  if (from == to) return make_view();
  const ConvertKernels& kernels = kernel_table(in.isa()).convert;
  if (KernelPtr kernel = kernel_cast(from, to, in.shape(0).elements(), kernels)) return kernel;
  if (from == DType::kString) return std::make_unique<CastFromString>(in, rounding);
  if (to == DType::kString) return std::make_unique<CastToString>(in);
  return std::make_unique<NumberCast>(in, rounding);
}

}  // namespace linnet
