#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "gemm/matrix_product.h"
#include "gemm/product_types.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// Gemm: y = alpha * op(a) * op(b) + beta * c, where op transposes if transA or transB is set. a: [M, K], b: [K, N], c:
/// broadcastable to [M, N] or omitted; float and 32/64-bit integer types.
/// In the internal domain "linnet" the attributes activation, activation_alpha and activation_beta add an activation.
/// It is float32 only, but a constant b may be float16 or bfloat16 if alpha is 1.
/// Source: https://onnx.ai/onnx/operators/onnx__Gemm.html
class Gemm final : public Op {
 public:
  explicit Gemm(const NodeSpec& node)
      : fused_(node.domain == kInternalDomain),
        transpose_a_(node.attr_or("transA", 0) != 0),
        transpose_b_(node.attr_or("transB", 0) != 0),
        alpha_(node.attr_or("alpha", 1.f)),
        beta_(node.attr_or("beta", 1.f)),
        activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    require_dtype_in(in[0], fused_ ? std::span(kProductTypes).first(1) : std::span(kProductTypes), "input A");
    fused_ ? require_weights(in[1], "input B") : require_same_dtype(in[0], in[1], "inputs A and B");
    if (in[1].dtype != in[0].dtype && alpha_ != 1)
      throw Error(ErrorKind::kUnsupported, str("alpha must be 1 where B is ", in[1].dtype));
    require_rank(in[0], 2, "input A");
    require_rank(in[1], 2, "input B");
    Dims y(2);
    if (in[0].has_rank()) y[0] = in[0].dim(transpose_a_ ? 1 : 0);
    if (in[1].has_rank()) y[1] = in[1].dim(transpose_b_ ? 0 : 1);
    if (in[0].has_rank() && in[1].has_rank()) {
      merge_dim(in[0].dim(transpose_a_ ? 0 : 1), in[1].dim(transpose_b_ ? 1 : 0), "the inner dims of A and B");
    }
    if (has_input(in, 2)) check_addend(in[0], in[2], y);
    return {Fact(in[0].dtype, y)};
  }

  Precision computes_in(std::span<const Fact>) const override {
    return fused_ ? Precision::kAsGiven : Precision::kFloat32;
  }

  int64_t multiply_adds(const NodeValues& v) const override {
    return checked_mul(v.out(0).size(), v.in(0).dim(transpose_a_ ? 0 : 1));
  }

  KernelPtr compile(const CompileInput& in) const override {
    require_constant_narrow(in, 1, "input B");
    const Shape a = in.shape(0), b = in.shape(1);
    MatrixProduct product;
    product.m = a[transpose_a_ ? 1 : 0];
    product.k = a[transpose_a_ ? 0 : 1];
    product.n = b[transpose_b_ ? 0 : 1];
    product.transpose_a = transpose_a_;
    product.transpose_b = transpose_b_;
    product.alpha = alpha_;
    std::vector<Addend> addends;
    if (in.has(2) && beta_ != 0) addends.push_back(addend(in.shape(2), in.constant(2) != nullptr));
    return make_product(product, addends, activation_.epilogue(in.isa()), in);
  }

 private:
  static void check_addend(const Fact& a, const Fact& c, const Dims& y) {
    require_same_dtype(a, c, "inputs A and C");
    if (!c.has_rank()) return;
    const int missing = 2 - c.rank();
    for (int i = 0; i < c.rank(); ++i) {
      const bool fits = missing >= 0 && broadcasts_to(c.dim(i), y[size_t(i + missing)]);
      if (!fits) throw Error(ErrorKind::kShape, str("input C must broadcast to ", Fact(a.dtype, y), ", got ", c));
    }
  }

  Addend addend(const Shape& c, bool is_constant) const {
    const int64_t columns = c.rank() < 1 ? 1 : c[c.rank() - 1], rows = c.rank() < 2 ? 1 : c[0];
    return {2, rows, columns, beta_, rows > 1 || (c.rank() == 2 && !is_constant)};
  }

  bool fused_;
  bool transpose_a_, transpose_b_;
  float alpha_, beta_;
  FusedActivation activation_;
};

}  // namespace

LINNET_REGISTER(gemm)(Registry& registry) {
  registry.add<Gemm>("Gemm", {.since = 1});
  registry.add<Gemm>("Gemm", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
