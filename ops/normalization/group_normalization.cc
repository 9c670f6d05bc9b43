#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/normalize.h"
#include "normalization/channel_normalization.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// A tensor [n, channels, spatial] whose channels are normalised in groups.
struct Groups {
  int64_t n, channels, spatial;
  int64_t groups;
  int64_t channels_per_parameter;  ///< The number of consecutive channels that share a scale and a bias.
  float epsilon;
};

template <class T>
class GroupNormalizationKernel final : public Kernel {
 public:
  GroupNormalizationKernel(const Groups& p, const NormalizeKernels& kernels) : p_(p), kernels_(kernels) {}

  void run(KernelContext& context) const override {
    const int64_t elements = p_.channels / p_.groups * p_.spatial;
    parallel_items(context.executor(), checked_mul(p_.n, p_.groups), elements, [&](int64_t group, int64_t end, int) {
      for (; group < end; ++group) run_group(context, group);
    });
  }
  int in_place(int) const override { return 0; }

 private:
  void run_group(KernelContext& context, int64_t group) const {
    const int64_t channels = p_.channels / p_.groups;
    const int64_t offset = group * channels * p_.spatial;
    const T* x = context.input(0).template data<T>() + offset;
    const T* scale = context.input(1).template data<T>();
    const T* bias = context.input(2).template data<T>();
    T* y = context.output(0).template data<T>() + offset;
    const auto [mean, variance] = moments(kernels_, x, channels * p_.spatial);
    const T factor = 1 / std::sqrt(variance + T(p_.epsilon));
    for (int64_t c = 0; c < channels; ++c) {
      const std::ptrdiff_t parameter = (group % p_.groups * channels + c) / p_.channels_per_parameter;
      normalize_channel(kernels_, x + c * p_.spatial, y + c * p_.spatial, p_.spatial, mean, factor * scale[parameter],
                        bias[parameter]);
    }
  }

  Groups p_;
  const NormalizeKernels& kernels_;
};

KernelPtr make_kernel(DType dtype, const Groups& p, const NormalizeKernels& kernels) {
  return dispatch_float(
      dtype, [&]<class T>() -> KernelPtr { return std::make_unique<GroupNormalizationKernel<T>>(p, kernels); });
}

void check_inputs(std::span<const Fact> in) {
  require_inputs(in, 3, 3);
  require_floating(in[0], "input");
  require_rank_at_least(in[0], 2, "input");
  for (const size_t i : {1, 2}) {
    require_same_dtype(in[0], in[i], "input, scale and bias");
    require_rank(in[i], 1, i == 1 ? "scale" : "bias");
  }
}

void require_parameters(std::span<const Fact> in, const Dim& size) {
  for (const size_t i : {1, 2}) {
    if (in[i].has_rank()) merge_dim(in[i].dim(0), size, "the sizes of scale and bias and the channels they are for");
  }
}

Groups groups_of(const Shape& x, int64_t groups, int64_t channels_per_parameter, float epsilon) {
  return {x[0], x[1], x.elements(2, x.rank()), groups, channels_per_parameter, epsilon};
}

/// InstanceNormalization: normalises every channel of every instance by its mean and variance: y = scale (x - mean) /
/// sqrt(variance + epsilon) + B.
/// x, y: float16/bfloat16/float/double [N,C,...].
/// scale, B: [C].
/// epsilon: 1e-5.
/// Source: https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html
class InstanceNormalization final : public Op {
 public:
  explicit InstanceNormalization(const NodeSpec& node) : epsilon_(node.attr_or("epsilon", 1e-5f)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    check_inputs(in);
    if (in[0].has_rank()) require_parameters(in, in[0].dim(1));
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    return make_kernel(in.dtype(0), groups_of(x, x[1], 1, epsilon_), kernels_for<NormalizeKernels>(in.isa()));
  }

 private:
  float epsilon_;
};

/// GroupNormalization: divides the channels of every instance into num_groups groups and normalises each by its mean
/// and variance: y = scale (x - mean) / sqrt(variance + epsilon) + bias.
/// x, y: float16/bfloat16/float/double [N,C,...].
/// scale, bias: [C]; before opset 21 [num_groups].
/// epsilon: 1e-5.
/// The first stage is computed in float32 or better, regardless of stash_type.
/// Source: https://onnx.ai/onnx/operators/onnx__GroupNormalization.html
class GroupNormalization final : public Op {
 public:
  explicit GroupNormalization(const NodeSpec& node)
      : per_group_(node.opset < 21),
        groups_(node.attr<int64_t>("num_groups")),
        epsilon_(node.attr_or("epsilon", 1e-5f)) {
    if (groups_ < 1) throw Error(ErrorKind::kModel, str("num_groups must be positive, got ", groups_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    check_inputs(in);
    if (!in[0].has_rank()) return same_as(in[0]);
    const Dim& channels = in[0].dim(1);
    if (channels.known() && channels.value() % groups_ != 0) {
      throw Error(ErrorKind::kShape, str("num_groups must divide the channels, got ", groups_, " for ", in[0]));
    }
    require_parameters(in, per_group_ ? Dim(groups_) : channels);
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int64_t shared = per_group_ ? std::max<int64_t>(1, x[1] / groups_) : 1;
    return make_kernel(in.dtype(0), groups_of(x, groups_, shared, epsilon_), kernels_for<NormalizeKernels>(in.isa()));
  }

 private:
  bool per_group_;
  int64_t groups_;
  float epsilon_;
};

}  // namespace

LINNET_REGISTER(group_normalization)(Registry& registry) {
  registry.add<InstanceNormalization>("InstanceNormalization");
  registry.add<GroupNormalization>("GroupNormalization", {.since = 18});
}

}  // namespace linnet
