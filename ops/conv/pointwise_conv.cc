#include "conv/pointwise_conv.h"

#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// PointwiseConv, of the internal domain: a convolution of single pixels over the concatenation of its inputs, which
/// are scaled as they are read: y = activation(w * relu?(concat(x...) * scale + shift) + bias + residual).
/// w: [O, C, 1, ...], constant. bias: [O]. residual: like y. scale: [C], or [N, 1, ..., C]. shift: [C], only with a
/// scale. x...: [N, D1, ..., Ci], where the Ci add up to C. y: [N, D1, ..., O]. All are float32; w may be float16 or
/// bfloat16.
/// Attributes: relu, 0 or 1, applies to the scaled and shifted inputs; activation, activation_alpha, activation_beta as
/// in linnet::Conv.
/// Source: J. Hu et al., squeeze-and-excitation, 2018 (a scale per image).
/// Source: G. Huang et al., DenseNet, 2017 (concatenated inputs, normalised before the convolution).
class PointwiseConv final : public Op {
 public:
  explicit PointwiseConv(const NodeSpec& node) : relu_(node.attr_or("relu", int64_t{0}) != 0), activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, int(in.size()));
    if (in.size() <= kX) throw Error(ErrorKind::kModel, str("expected at least ", kX + 1, " inputs, got ", in.size()));
    for (size_t i = 0; i < in.size(); ++i) {
      if (i != kW && (in[i].present() || i >= kX)) require_dtype(in[i], DType::kFloat32, str("input ", i));
    }
    require_weights(in[kW], "input w");
    if ((has_input(in, kShift) || relu_) && !(has_input(in, kScale) && has_input(in, kShift))) {
      throw Error(ErrorKind::kModel, "shift and relu belong to a scale and a shift");
    }
    const Fact& w = in[kW];
    if (!w.has_rank() || !in[kX].has_rank()) return {Fact(DType::kFloat32, std::nullopt)};
    Fact y = concatenated(in);
    const int last = y.rank() - 1;
    require_rank(w, y.rank(), "input w");
    merge_dim(y.dim(last), w.dim(1), "the channels of the inputs and of w");
    for (int axis = 2; axis <= last; ++axis) merge_dim(w.dim(axis), 1, "a kernel size of w and 1");
    check_parameters(in, y);
    (*y.dims)[size_t(last)] = w.dim(0);
    if (has_input(in, kBias)) require_per_channel(in[kBias], w.dim(0), "bias");
    if (has_input(in, kResidual) && !compatible(y, in[kResidual])) {
      throw Error(ErrorKind::kShape, str("the residual must be ", y, ", got ", in[kResidual]));
    }
    return {y};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(kW)); }

  KernelPtr compile(const CompileInput& in) const override {
    if (!in.constant(kW)) throw Error(ErrorKind::kUnsupported, "input w must be constant");
    const Shape x = in.shape(kX);
    PointwiseShape shape;
    shape.images = x[0];
    shape.image_pixels = x.elements(1, x.rank() - 1);
    shape.out_channels = in.shape(kW)[0];
    for (int i = kX; i < in.num_inputs(); ++i) shape.channels.push_back(in.shape(i)[x.rank() - 1]);
    shape.relu = relu_;
    return make_pointwise_conv(shape, activation_.epilogue(in.isa()), in);
  }

 private:
  static Fact concatenated(std::span<const Fact> in) {
    Fact result(DType::kFloat32, *in[kX].dims);
    const int rank = result.rank();
    if (rank < 3) throw Error(ErrorKind::kShape, str("input x must have at least 3 dims, got ", in[kX]));
    Dims& dims = *result.dims;
    for (const Fact& x : in.subspan(kX + 1)) {
      require_rank(x, rank, "input x");
      Dim& channels = dims.back();
      channels = x.has_rank() ? checked_add(channels, x.dim(rank - 1)) : Dim();
      if (!x.has_rank()) continue;
      for (int i = 0; i + 1 < rank; ++i) dims[size_t(i)] = merge_dim(dims[size_t(i)], x.dim(i), "the inputs x");
    }
    return result;
  }

  static void check_parameters(std::span<const Fact> in, const Fact& x) {
    const Dim& channels = x.dim(x.rank() - 1);
    if (has_input(in, kShift)) require_per_channel(in[kShift], channels, "shift");
    if (!has_input(in, kScale)) return;
    const Fact& scale = in[kScale];
    if (!scale.has_rank() || scale.rank() == 1) return require_per_channel(scale, channels, "scale");
    Fact expected = x;
    for (int i = 1; i + 1 < x.rank(); ++i) (*expected.dims)[size_t(i)] = 1;
    if (!compatible(expected, scale)) throw Error(ErrorKind::kShape, str("scale must be ", expected, ", got ", scale));
  }

  bool relu_;
  FusedActivation activation_;
};

}  // namespace

LINNET_REGISTER(pointwise_conv)(Registry& registry) {
  registry.add<PointwiseConv>("PointwiseConv", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
