#include <algorithm>

#include "conv/gemm_conv_weights.h"
#include "conv/quantized_conv.h"
#include "conv/stacked_windows.h"
#include "conv/window_rows.h"
#include "conv/window_sums.h"
#include "gemm/byte_operands.h"
#include "gemm/quantized_gemm.h"
#include "kernels/byte_rows.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// Returns how many groups are multiplied as one, so that their channels fill a vector. Weights between different
/// groups are zeros.
int64_t merged_groups(const ConvGeometry& geometry, int64_t lanes) {
  int64_t count = 1;
  for (int64_t i = 2; i <= geometry.group && geometry.group_out() <= lanes / i; ++i) {
    if (geometry.group % i == 0) count = i;
  }
  return count;
}

/// Returns the weights [O, C / group, k...] with `count` groups merged into one.
Tensor merge_weights(const Tensor& w, const ConvGeometry& geometry, int64_t count, Tensor merged) {
  const int64_t row = w.size() / std::max<int64_t>(1, geometry.out_channels);
  int8_t* to = merged.data<int8_t>();
  std::fill_n(to, merged.size(), int8_t{0});
  for (int64_t o = 0; o < geometry.out_channels; ++o) {
    const int64_t slot = o / geometry.group_out() % count;
    std::copy_n(w.data<int8_t>() + o * row, row, to + (o * count + slot) * row);
  }
  return merged;
}

/// Scratch: the product's, the output's, the windows' sums, then the widened image, then a line of padding or stacks.
template <class Type>
class QuantizedGemmConv final : public Kernel {
  using A = typename Type::A;
  static constexpr bool kBytes = QuantizedGemm<Type>::kBytes;

 public:
  QuantizedGemmConv(const ConvGeometry& geometry, const QuantizedMatrices& w, const Activation& activation,
                    const CompileInput& in)
      : geometry_(geometry),
        windows_(geometry_),
        stacked_(geometry_, Type::kUnit, int64_t{sizeof(A)}),
        gemm_(in, sizes_of(in), w, windows_.merged(conv_matrices<int8_t>(geometry, nullptr, 0)), geometry.group),
        output_(in, geometry.out_channels, activation),
        widen_(kernels_for<ByteRowKernels>(in.isa()).widen),
        output_offset_(gemm_.scratch_bytes()),
        sums_offset_(output_offset_ + output_.scratch_bytes()),
        x_offset_(sums_offset_),
        padding_offset_(0) {
    if (output_.has_w_zero()) {
      sums_ = WindowSums(geometry, in.isa());
      x_offset_ += sums_.scratch_bytes();
    }
    padding_offset_ = x_offset_ + (kBytes ? 0 : aligned(dtype_bytes(dtype_of<A>, checked_add(x_values(), kBehind))));
    const int64_t values = stacked_.used() ? stacked_.values() : kBytes ? windows_.padding_values() : 0;
    scratch_bytes_ = padding_offset_ + dtype_bytes(dtype_of<A>, values);
  }

  void run(KernelContext& context) const override {
    const Bytes bytes(context.input(Q::kX), context.input(Q::kXZero));
    const int32_t* window_sums = output_.has_w_zero() ? sums_.compute(context.executor(), bytes.values, bytes.zero(0),
                                                                      context.scratch() + sums_offset_)
                                                      : nullptr;
    const QuantizedOutput::Bound output = output_.bind(context, context.scratch() + output_offset_, window_sums);
    const auto* x = reinterpret_cast<const A*>(bytes.values);
    auto* const padding = reinterpret_cast<A*>(context.scratch() + padding_offset_);
    const A zero = kBytes ? A(bytes.zero(0)) : A{0};
    if constexpr (!kBytes) {
      auto* wide = reinterpret_cast<A*>(context.scratch() + x_offset_);
      widen(context.executor(), bytes, wide);
      x = wide;
    }
    const auto multiply = [&](const auto& rows) {
      gemm_.run(
          context, geometry_.group, [](int64_t group) { return group; }, bytes.zero(0), output_.sum_bias(context), rows,
          QuantizedProducts(output, 0, geometry_.group_out()));
    };
    if (stacked_.used()) {
      stacked_.copy(context.executor(), x, zero, padding);
      return multiply([&](int64_t) { return StackedRows<A>(stacked_, padding); });
    }
    if (geometry_.pointwise()) {
      return multiply(
          [&](int64_t group) { return MatrixRows<A>(x + group * geometry_.group_in(), geometry_.in_channels); });
    }
    if constexpr (kBytes) std::fill_n(padding, windows_.padding_values(), zero);
    const auto edges = kBytes ? WindowPadding<A>{padding, x + x_values()} : WindowPadding<A>();
    multiply([&](int64_t group) { return WindowRows<A>(windows_, x + group * geometry_.group_in(), edges); });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != Q::kW || !gemm_.packed(); }
  std::string describe() const override { return gemm_.describe() + (stacked_.used() ? ", stacked windows" : ""); }

 private:
  GemmSizes sizes_of(const CompileInput& in) const {
    return {.rows = checked_mul(geometry_.batch, geometry_.out_pixels()),
            .columns = geometry_.group_out(),
            .taps = stacked_.used() ? 1 : windows_.taps(),
            .depth = stacked_.used() ? stacked_.depth() : windows_.depth(),
            .workers = in.executor().workers(),
            .row_scratch_bytes = stacked_.used() ? 0
                                 : geometry_.pointwise()
                                     ? MatrixRows<A>::scratch_bytes(windows_.depth(), geometry_.in_channels)
                                     : windows_.scratch_bytes(sizeof(A))};
  }
  int64_t x_values() const {
    return checked_mul(checked_mul(geometry_.batch, geometry_.in_pixels()), geometry_.in_channels);
  }

  void widen(Executor& executor, const Bytes& x, int16_t* to) const {
    const int64_t values = x_values();
    executor.parallel_for(ceil_div(values, kWidened), [&](int64_t part, int) {
      const int64_t first = part * kWidened;
      widen_(x.values + first, std::min(kWidened, values - first), uint8_t(x.flip), int16_t(x.zero(0)), to + first);
    });
    std::fill_n(to + values, kBehind, int16_t{0});
  }

  static constexpr int64_t kWidened = 4096;        // values at a time
  static constexpr int64_t kBehind = Type::kUnit;  // values read after the last row, for weights that are 0

  ConvGeometry geometry_;
  ConvWindows windows_;
  StackedWindows stacked_;
  QuantizedGemm<Type> gemm_;
  QuantizedOutput output_;
  WidenFunction widen_;
  WindowSums sums_;
  size_t output_offset_, sums_offset_, x_offset_, padding_offset_, scratch_bytes_;
};

template <class Type>
KernelPtr make(ConvGeometry geometry, const Activation& activation, const CompileInput& in) {
  QuantizedMatrices w = QuantizedMatrices::of(in, Q::kW);
  const int64_t count = merged_groups(geometry, kernels_for<GemmKernels<Type>>(in.isa()).lanes);
  if (w.constant && count > 1) {
    w.constant = in.packed(w.constant, {"merged groups", {count}}, [&] {
      Shape shape = in.shape(Q::kW);
      shape[1] = checked_mul(count, shape[1]);
      return merge_weights(*in.constant(Q::kW), geometry, count, in.packed_memory(DType::kInt8, shape));
    });
    geometry.group /= count;
  }
  return std::make_unique<QuantizedGemmConv<Type>>(geometry, w, activation, in);
}

}  // namespace

KernelPtr make_quantized_gemm_conv(const ConvGeometry& geometry, const Activation& activation, const CompileInput& in) {
  return multiplies_bytes(in, Q::kW) ? make<GemmU8>(geometry, activation, in) : make<GemmS16>(geometry, activation, in);
}

}  // namespace linnet
