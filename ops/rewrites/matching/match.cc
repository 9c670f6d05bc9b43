#include "rewrites/matching/match.h"

#include <algorithm>

#include "gemm/product_types.h"
#include "infer/infer.h"

namespace linnet {

const Node* producer(const Graph& graph, const Node& node, int input, OpName op_type, OpName domain) {
  if (input >= int(node.inputs.size())) return nullptr;
  const Node* found = graph.producer(node.inputs[size_t(input)]);
  return found && is_op(*found, op_type, domain) ? found : nullptr;
}

std::optional<float> scalar_input(const Graph& graph, const Node& node, int input) {
  const Tensor* constant = graph.constant_input(node, input);
  if (!constant || constant->dtype() != DType::kFloat32 || constant->size() != 1) return std::nullopt;
  return *constant->data<float>();
}

const Tensor* constant_weights(const Graph& graph, const Node& product) {
  const Node* cast = producer(graph, product, 1, "Cast", kInternalDomain);
  const Tensor* w = cast ? graph.constant_input(*cast, 0) : graph.constant_input(product, 1);
  return w && is_weight_type(w->dtype()) ? w : nullptr;
}

Tensor as_float32(const Tensor& x) {
  Tensor y = x.dtype() == DType::kFloat32 ? x : Tensor(DType::kFloat32, x.shape());
#define LINNET_GEMM_WEIGHTS(name, B) \
  if (x.dtype() == dtype_of<B>) std::ranges::copy(x.values<B>(), y.data<float>());
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
  return y;
}

ValueId other_input(const Node& node, ValueId value) {
  if (node.inputs.size() != 2 || (node.inputs[0] == value) == (node.inputs[1] == value)) return kNoValue;
  return node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
}

std::optional<std::vector<int64_t>> reduced_axes(const Graph& graph, const Node& node) {
  const auto* attribute = node.spec.find<std::vector<int64_t>>("axes");
  auto axes = attribute ? std::optional(*attribute) : constant_ints(graph.input_fact(node, 1));
  if (axes && axes->empty()) return std::nullopt;
  return axes;
}

bool same_dims(const Fact& a, const Fact& b) { return a.dims && b.dims && certainly_equal(*a.dims, *b.dims); }

bool same_shape(const Fact& a, const Fact& b) {
  return a.dtype == DType::kFloat32 && b.dtype == DType::kFloat32 && same_dims(a, b);
}

NodeSpec internal_spec(const Node& old, std::string_view op_type) {
  NodeSpec spec = old.spec;
  spec.op_type = op_type;
  spec.domain = kInternalDomain;
  return spec;
}

NodeSpec standard_spec(const Node& old, std::string_view op_type, int64_t since) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.name = old.spec.name;
  spec.opset = std::max(since, old.spec.opset);
  return spec;
}

}  // namespace linnet
