#include "gemm/fused_activation.h"
#include "gemm/half_weights.h"
#include "gemm/matmul_shape.h"
#include "gemm/product_types.h"
#include "infer/infer.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// MatMul: y = a * b like numpy.matmul. Matrices are the last two dims, and the others are broadcast. A vector a is a
/// row, a vector b is a column, and that dim is removed from y. float and 32/64-bit integer types.
/// In the internal domain "linnet": y = activation(a * b + bias + residual), with inputs a, b, bias [N]?, residual (y's
/// shape)? and attributes activation, activation_alpha, activation_beta. It is float32 only, but a constant b may be
/// float16 or bfloat16.
/// Source: https://onnx.ai/onnx/operators/onnx__MatMul.html
class MatMul final : public Op {
 public:
  explicit MatMul(const NodeSpec& node) : fused_(node.domain == kInternalDomain), activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, fused_ ? 4 : 2);
    require_dtype_in(in[0], fused_ ? std::span(kProductTypes).first(1) : std::span(kProductTypes), "input A");
    fused_ ? require_weights(in[1], "input B") : require_same_dtype(in[0], in[1], "inputs A and B");
    require_rank_at_least(in[0], 1, "input A");
    require_rank_at_least(in[1], 1, "input B");
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    const Fact y(in[0].dtype, matmul_dims(*in[0].dims, *in[1].dims));
    if (has_input(in, 2)) check_bias(in[2], in[0], in[1]);
    if (has_input(in, 3) && !compatible(y, in[3])) {
      throw Error(ErrorKind::kShape, str("the residual must be ", y, ", got ", in[3]));
    }
    return {y};
  }

  Precision computes_in(std::span<const Fact>) const override {
    return fused_ ? Precision::kAsGiven : Precision::kFloat32;
  }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(0)); }

  KernelPtr compile(const CompileInput& in) const override {
    require_constant_narrow(in, 1, "input B");
    const Shape a = in.shape(0), b = in.shape(1);
    MatrixProduct product = matmul_product(a, b);
    if (product.b_count == 1 && a.rank() >= b.rank()) fold_batch(product);
    std::vector<Addend> addends;
    if (in.has(2)) addends.push_back({2, 1, product.n, 1});
    if (in.has(3)) addends.push_back({3, product.batch() * product.m, product.n, 1, true});
    return make_product(product, addends, activation_.epilogue(in.isa()), in);
  }

 private:
  static void check_bias(const Fact& bias, const Fact& a, const Fact& b) {
    require_same_dtype(a, bias, "inputs B and bias");
    require_rank(bias, 1, "input bias");
    if (bias.has_rank())
      merge_dim(b.rank() == 1 ? Dim(1) : b.dim(b.rank() - 1), bias.dim(0),
                "the columns of B and the length of the bias");
  }

  /// Replaces a product for each matrix of A by one tall product.
  static void fold_batch(MatrixProduct& product) {
    product.m = checked_mul(product.m, product.batch());
    product.a_index = product.b_index = {0};
  }

  bool fused_;
  FusedActivation activation_;
};

}  // namespace

LINNET_REGISTER(matmul)(Registry& registry) {
  registry.add<MatMul>("MatMul", {.since = 1});
  registry.add<MatMul>("MatMul", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
