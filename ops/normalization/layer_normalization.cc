#include <cmath>
#include <functional>
#include <optional>

#include "elements/cast_path.h"
#include "elements/dispatch.h"
#include "infer/dtype_attribute.h"
#include "kernels/kernels_for.h"
#include "kernels/normalize.h"
#include "normalization/row_parameter.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// The mean that is subtracted from a row (0 for RMSNormalization) and the factor that it is then multiplied by.
template <class T>
struct RowStatistics {
  T mean;
  T factor;
};

/// The functions for T. Those for float64 are NormalizeKernels' own.
template <class T>
const auto& kernels_of(const NormalizeKernels& kernels) {
  if constexpr (std::is_same_v<T, float>)
    return kernels;
  else
    return kernels.doubles;
}

template <class T>
RowStatistics<T> row_statistics(const NormalizeKernels& kernels, bool centered, const T* x, int64_t n, float epsilon) {
  if (!centered) return {0, 1 / std::sqrt(kernels_of<T>(kernels).mean_square(x, n) + T(epsilon))};
  const auto [mean, variance] = kernels_of<T>(kernels).moments(x, n);
  return {mean, 1 / std::sqrt(variance + T(epsilon))};
}

struct RowNormalization {
  int64_t rows, n;
  bool centered;
  float epsilon;
  RowParameter scale, bias;
  bool has_bias, has_mean, has_factor;
  std::function<void(const void*x, void*y, int64_t n)> widen, narrow;  ///< Convert rows of x and y unless empty.
};

void store_statistic(Tensor& tensor, int64_t row, double value) {
  if (tensor.dtype() == DType::kFloat32) {
    tensor.data<float>()[row] = float(value);
  } else {
    tensor.data<BFloat16>()[row] = BFloat16(float(value));
  }
}

template <class T>
class RowNormalizationKernel final : public Kernel {
 public:
  RowNormalizationKernel(const RowNormalization& p, const NormalizeKernels& kernels)
      : p_(p),
        kernels_(kernels),
        x_pitch_(checked_mul(p.n, p.widen ? kHalfBytes : int64_t{sizeof(T)})),
        y_pitch_(checked_mul(p.n, p.narrow ? kHalfBytes : int64_t{sizeof(T)})) {}

  void run(KernelContext& context) const override {
    parallel_items(context.executor(), p_.rows, p_.n, [&](int64_t row, int64_t end, int worker) {
      for (; row < end; ++row) run_row(context, row, reinterpret_cast<T*>(context.scratch(worker)));
    });
  }
  int in_place(int output) const override { return output == 0 && !p_.widen == !p_.narrow ? 0 : -1; }
  size_t scratch_bytes() const override {
    const bool buffered = p_.widen || p_.narrow || !p_.scale.is_row() || !p_.bias.is_row();
    return buffered ? size_t(checked_mul(checked_mul(p_.n, 3), int64_t{sizeof(T)})) : 0;
  }

 private:
  static constexpr int64_t kHalfBytes = sizeof(Half);

  void run_row(KernelContext& context, int64_t row, T* buffer) const {
    T* converted = buffer + 2 * p_.n;
    const T* scale = p_.scale.row(context.input(1).template data<T>(), row, p_.n, buffer);
    const T* bias = nullptr;
    if (p_.has_bias) bias = p_.bias.row(context.input(2).template data<T>(), row, p_.n, buffer + p_.n);
    const void* stored = static_cast<const std::byte*>(context.input(0).raw()) + row * x_pitch_;
    void* result = static_cast<std::byte*>(context.output(0).raw()) + row * y_pitch_;
    if (p_.widen) p_.widen(stored, converted, p_.n);
    const T* x = p_.widen ? converted : static_cast<const T*>(stored);
    const auto statistics = row_statistics(kernels_, p_.centered, x, p_.n, p_.epsilon);
    T* y = p_.narrow ? converted : static_cast<T*>(result);
    kernels_of<T>(kernels_).normalize_row(x, scale, bias, y, p_.n, statistics.mean, statistics.factor);
    if (p_.narrow) p_.narrow(converted, result, p_.n);
    if (p_.has_mean) store_statistic(context.output(1), row, double(statistics.mean));
    if (p_.has_factor) store_statistic(context.output(2), row, double(statistics.factor));
  }

  RowNormalization p_;
  const NormalizeKernels& kernels_;
  std::ptrdiff_t x_pitch_, y_pitch_;  ///< the bytes of a row
};

/// LayerNormalization: y = (x - mean) / sqrt(variance + epsilon) * scale + b, with mean and variance over the dims from
/// the axis on.
/// RMSNormalization: y = x / sqrt(mean of x^2 + epsilon) * scale.
/// x, y: float16/bfloat16/float/double.
/// scale, b: x's dtype, broadcast to x. b may be omitted.
/// Mean, InvStdDev: the shape of x with the normalised dims 1, of dtype stash_type (float or bfloat16; float for 0,
/// which some exporters write).
/// axis: -1.
/// epsilon: 1e-5.
/// The first stage is computed in float32 or better, regardless of stash_type.
/// In domain "linnet", x is float32 or of 16 bits, the parameters are float32, and y is of the dtype `to`.
/// Sources: https://onnx.ai/onnx/operators/onnx__LayerNormalization.html,
/// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
class LayerNormalization final : public Op {
 public:
  explicit LayerNormalization(const NodeSpec& node)
      : centered_(node.op_type == "LayerNormalization"),
        internal_(node.domain == kInternalDomain),
        to_(dtype_attribute(node, "to")),
        axis_(node.attr_or("axis", -1)),
        epsilon_(node.attr_or("epsilon", 1e-5f)),
        stash_type_(dtype_attribute(node, "stash_type", DType::kFloat32)),
        num_outputs_(node.num_outputs) {
    if (stash_type_ == DType::kUndefined) stash_type_ = DType::kFloat32;
    if (num_outputs_ > 1 && stash_type_ != DType::kFloat32 && stash_type_ != DType::kBFloat16) {
      throw Error(ErrorKind::kModel, str("stash_type must be float32 or bfloat16, got ", stash_type_));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, centered_ ? 3 : 2);
    const Fact& x = in[0];
    require_floating(x, "input");
    if (internal_) {
      require_rows(x.dtype, "input");
      require_rows(to_, "output");
    }
    for (int i = 1; i < int(in.size()); ++i) {
      if (!has_input(in, i)) continue;
      require_same_dtype(internal_ ? Fact(DType::kFloat32, x.dims) : x, in[size_t(i)], "input and parameters");
      require_broadcastable_to(in[size_t(i)], x, i == 1 ? "scale" : "bias");
    }
    std::vector<Fact> out = same_as(internal_ ? Fact(to_, x.dims) : x);
    if (centered_) out.resize(3, statistics_fact(x));
    return out;
  }

  Precision computes_in(std::span<const Fact>) const override {
    return internal_ ? Precision::kAsGiven : Precision::kFloat32;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    RowNormalization p{.rows = x.elements(0, axis),
                       .n = x.elements(axis, x.rank()),
                       .centered = centered_,
                       .epsilon = epsilon_,
                       .scale = RowParameter(in.shape(1), x, axis),
                       .bias = in.has(2) ? RowParameter(in.shape(2), x, axis) : RowParameter(),
                       .has_bias = in.has(2),
                       .has_mean = in.has_output(1),
                       .has_factor = in.has_output(2),
                       .widen = conversion(in.dtype(0), in.dtype(1), in.isa()),
                       .narrow = conversion(in.dtype(1), internal_ ? to_ : in.dtype(1), in.isa())};
    const NormalizeKernels& kernels = kernels_for<NormalizeKernels>(in.isa());
    return dispatch_float(
        in.dtype(1), [&]<class T>() -> KernelPtr { return std::make_unique<RowNormalizationKernel<T>>(p, kernels); });
  }

 private:
  Fact statistics_fact(const Fact& x) const {
    if (!x.has_rank()) return Fact(stash_type_, std::nullopt);
    Dims dims = *x.dims;
    for (int i = normalize_axis(axis_, x.rank()); i < x.rank(); ++i) dims[size_t(i)] = 1;
    return Fact(stash_type_, dims);
  }

  /// Throws Error(kType) unless rows of the dtype are float32 or are converted to and from it.
  static void require_rows(DType dtype, const char* what) {
    if (dtype == DType::kFloat32 || is_half(dtype)) return;
    throw Error(ErrorKind::kType, str(what, " must be float32, float16 or bfloat16, got ", dtype));
  }

  /// Converts between the dtype of x or y, which may be the same, and that of the parameters.
  static std::function<void(const void*, void*, int64_t)> conversion(DType from, DType to, Isa isa) {
    return from == to ? nullptr : cast_path(from, to, isa)->front().convert;
  }

  bool centered_, internal_;
  DType to_;
  int64_t axis_;
  float epsilon_;
  DType stash_type_;
  int num_outputs_;
};

}  // namespace

LINNET_REGISTER(layer_normalization)(Registry& registry) {
  registry.add<LayerNormalization>("LayerNormalization", {.since = 17});
  registry.add<LayerNormalization>("RMSNormalization", {.since = 23});
  for (const char* name : {"LayerNormalization", "RMSNormalization"}) {
    registry.add<LayerNormalization>(name, {.since = 1, .domain = kInternalDomain});
  }
}

}  // namespace linnet
