#include "microsoft/integer_product.h"

#include "infer/infer.h"

namespace linnet {
namespace {

void check_columns(GraphWriter& graph, const IntegerProduct& product, ValueId parameter, const std::string& name) {
  const Fact &b = graph.fact(product.b), &fact = graph.fact(parameter);
  if (!b.has_rank() || b.rank() < 2 || !fact.has_rank()) return;
  if (fact.rank() == 0 || (certainly_equal(fact.dim(0), 1) && name != "bias")) return;
  merge_dim(b.dim(b.rank() - 1), fact.dim(0), "the columns of B and the length of its " + name);
}

}  // namespace

ValueId integer_product(GraphWriter& graph, const IntegerProduct& product) {
  check_columns(graph, product, product.b_scale, "scale");
  if (product.b_zero != kNoValue) check_columns(graph, product, product.b_zero, "zero point");
  const ValueId sums = graph.op("MatMulInteger", {product.a, product.b, product.a_zero, product.b_zero});
  const ValueId scale = graph.op("Mul", {product.a_scale, product.b_scale});
  const ValueId y = graph.op("Mul", {graph.cast(sums, DType::kFloat32), scale});
  if (product.bias == kNoValue) return y;
  require_dtype(graph.fact(product.bias), DType::kFloat32, "bias");
  require_rank(graph.fact(product.bias), 1, "bias");
  check_columns(graph, product, product.bias, "bias");
  return graph.op("Add", {y, product.bias});
}

}  // namespace linnet
