#include <algorithm>

#include "gemm/quantized_output.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/quantized_product.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

bool has_one_element(const Fact& fact) { return fact.concrete() && fact.shape().elements() == 1; }

/// The nodes that a quantiser writes for a product of floats and constant weights: the integer product, and the factors
/// of its sums.
struct DynamicProduct {
  const Node* product = nullptr;
  ValueId x_scale = kNoValue;
  const Tensor* w_scale = nullptr;
};

/// Matches Mul(Cast(product), Mul(x_scale, w_scale)), with operands in any order.
std::optional<DynamicProduct> dynamic_product(const Graph& graph, const Node& mul) {
  for (int i = 0; i < 2; ++i) {
    const Node *cast = producer(graph, mul, i, "Cast"), *scales = producer(graph, mul, 1 - i, "Mul");
    if (!cast || !scales || graph.only_consumer(cast->outputs[0]) != &mul) continue;
    const Node* product = graph.producer(cast->inputs[0]);
    if (!product || graph.only_consumer(cast->inputs[0]) != cast) continue;
    if (!is_op(*product, "MatMulInteger") && !is_op(*product, "ConvInteger")) continue;
    for (int j = 0; j < 2; ++j) {
      const Tensor* w_scale = graph.constant_input(*scales, j);
      const Fact& x_scale = graph.input_fact(*scales, 1 - j);
      if (w_scale && x_scale.dtype == DType::kFloat32 && has_one_element(x_scale)) {
        return DynamicProduct{product, scales->inputs[size_t(1 - j)], w_scale};
      }
    }
  }
  return std::nullopt;
}

/// Whether x has axes for batch and channels, and one to three more.
bool is_image(const Fact& x) { return x.has_rank() && x.rank() >= 3 && x.rank() <= 5; }

/// Whether the scales, of one element and of constants, add no axes to the product.
bool keeps_rank(const Fact& x, const Fact& x_scale, const Tensor& w_scale) {
  return std::max(x_scale.rank(), w_scale.rank()) <= (x.has_rank() ? x.rank() : 1);
}

/// Whether the zero point of x is given, as one uint8.
bool has_byte_zero(const Graph& graph, const Node& product) {
  const Fact& zero = graph.input_fact(product, 2);
  return zero.dtype == DType::kUint8 && has_one_element(zero);
}

}  // namespace

// DynamicQuantizeLinear's outputs -> MatMulInteger or ConvInteger -> Cast -> Mul(x_scale * w_scale) becomes
// linnet::QLinearMatMul or linnet::QLinearConv with float outputs, for constant weights with one scale, or one per
// output channel.
LINNET_DEFINE_REWRITE(fuse_dynamic_product, "Mul")(const Graph& graph, const Node& node) {
  const auto found = dynamic_product(graph, node);
  if (!found || graph.fact(node.outputs[0]).dtype != DType::kFloat32) return std::nullopt;
  const Node& product = *found->product;
  const bool is_conv = is_op(product, "ConvInteger");
  const Tensor *w = graph.constant_input(product, 1), *w_zero = graph.constant_input(product, 3);
  const Fact& x = graph.input_fact(product, 0);
  if (!keeps_rank(x, graph.fact(found->x_scale), *found->w_scale)) return std::nullopt;
  if (!w || !has_byte_zero(graph, product)) return std::nullopt;
  if (!w_zero && optional_input(product, 3) != kNoValue) return std::nullopt;
  if (is_conv ? found->w_scale->size() != 1 || !is_image(x) : w->rank() != 2) return std::nullopt;
  const auto weights = quantized_weights(w, found->w_scale, w_zero, is_conv ? 0 : 1);
  if (!weights || weights->values.size() == 0) return std::nullopt;
  if (weights->zero && product.spec.attr_or("group", int64_t{1}) != 1) return std::nullopt;
  if (weights->values.size() / weights->values.shape()[is_conv ? 0 : 1] > most_terms(*weights)) return std::nullopt;

  Patch patch(graph);
  const std::string& name = node.spec.name;
  std::vector<ValueId> inputs(Q::kYScale);
  inputs[Q::kX] = is_conv ? add_to_channels_last(patch, node, product.inputs[0], x.rank()) : product.inputs[0];
  inputs[Q::kXScale] = found->x_scale;
  inputs[Q::kXZero] = product.inputs[2];
  inputs[Q::kW] = patch.constant(name + ".w", weights->values);
  inputs[Q::kWScale] = patch.constant(name + ".w_scale", weights->scale);
  add_weight_zero(patch, node, *weights, inputs);
  const ValueId y = patch.add(internal_spec(product, is_conv ? "QLinearConv" : "QLinearMatMul"), inputs);
  patch.replace(node.outputs[0], is_conv ? add_to_channels_first(patch, node, y, x.rank()) : y);
  return patch;
}

}  // namespace linnet
