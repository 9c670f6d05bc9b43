#include "infer.h"
#include "math/matrix_product.h"
#include "math/product_types.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Of each output matrix of a batched product: which matrix of an operand with these batch dims it uses.
std::vector<int64_t> batch_index(const Shape& batch, const Shape& operand) {
  std::vector<int64_t> index{0};
  int64_t matrices = 1;
  for (int i = 0; i < operand.rank(); ++i) matrices *= operand[i];
  for (int axis = 0; axis < batch.rank(); ++axis) {
    const int own = axis - (batch.rank() - operand.rank());
    const int64_t extent = own < 0 ? 1 : operand[own];
    if (own >= 0 && extent > 0) matrices /= extent;
    std::vector<int64_t> next;
    for (const int64_t base : index) {
      for (int64_t i = 0; i < batch[axis]; ++i) next.push_back(base + (extent == 1 ? 0 : i * matrices));
    }
    index = std::move(next);
  }
  return index;
}

Shape without_last(const Shape& shape, int count) {
  return Shape(shape.dims().first(size_t(std::max(0, shape.rank() - count))));
}

/// MatMul: y = a * b as numpy.matmul: matrices in the last two dims, the others broadcast; a vector a is a row, a
/// vector b a column, and that dim is dropped from y. float and 32/64-bit integer types.
/// In the internal domain "linnet" (float32): inputs a, b, bias [N]?, residual (y's shape)? and the attributes
/// activation, activation_alpha, activation_beta: y = activation(a * b + bias + residual).
/// Source: https://onnx.ai/onnx/operators/onnx__MatMul.html
class MatMul final : public Op {
 public:
  explicit MatMul(const NodeSpec& node)
      : fused_(node.domain == "linnet"),
        activation_(activation_from_name(node.attr_or("activation", ""))),
        alpha_(node.attr_or("activation_alpha", 0.f)),
        beta_(node.attr_or("activation_beta", 0.f)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, fused_ ? 4 : 2);
    require_dtype_in(in[0], fused_ ? std::span(kProductTypes).first(1) : std::span(kProductTypes), "input A");
    require_same_dtype(in[0], in[1], "inputs A and B");
    require_rank_at_least(in[0], 1, "input A");
    require_rank_at_least(in[1], 1, "input B");
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    return {Fact(in[0].dtype, output_dims(*in[0].dims, *in[1].dims))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape a = in.shape(0), b = in.shape(1);
    MatrixProduct product;
    product.k = a[a.rank() - 1];
    product.m = a.rank() == 1 ? 1 : a[a.rank() - 2];
    product.n = b.rank() == 1 ? 1 : b[b.rank() - 1];
    set_batch(product, without_last(a, 2), without_last(b, 2));
    std::vector<Addend> addends;
    if (in.has(2)) addends.push_back({2, 1, product.n, 1});
    if (in.has(3)) addends.push_back({3, product.batch() * product.m, product.n, 1});
    return make_product(product, addends, make_epilogue(activation_, alpha_, beta_, in.isa()), in);
  }

 private:
  static Dims output_dims(const Dims& a, const Dims& b) {
    const Dim& b_depth = b[b.size() - std::min<size_t>(2, b.size())];
    merge_dim(a.back(), b_depth, "the last dim of A and the last but one of B");
    const auto batch = [](const Dims& dims) {
      return Dims(dims.begin(), dims.end() - std::min<ptrdiff_t>(2, dims.end() - dims.begin()));
    };
    Dims y = *broadcast_dims(batch(a), batch(b));
    if (a.size() > 1) y.push_back(a[a.size() - 2]);
    if (b.size() > 1) y.push_back(b.back());
    return y;
  }

  static void set_batch(MatrixProduct& product, const Shape& a, const Shape& b) {
    product.b_count = b.elements();
    if (product.b_count == 1 && a.rank() >= b.rank()) {  // one tall product
      product.m = checked_mul(product.m, a.elements());
      return;
    }
    const Dims dims = *broadcast_dims(Dims(a.begin(), a.end()), Dims(b.begin(), b.end()));
    const Shape batch = Fact(DType::kFloat32, dims).shape();
    product.a_index = batch_index(batch, a);
    product.b_index = batch_index(batch, b);
  }

  bool fused_;
  Activation activation_;
  float alpha_, beta_;
};

}  // namespace

void register_matmul(Registry& registry) {
  registry.add<MatMul>("MatMul", {.since = 1});
  registry.add<MatMul>("MatMul", {.since = 1, .domain = "linnet"});
}

}  // namespace linnet
