#include <algorithm>
#include <functional>
#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/channel_affine.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// The MatMul that produces an input, if only this node reads its result and its epilogue has at most a bias; else
// nullptr.
const Node* matmul_before(const Graph& graph, const Node& node, int input) {
  const Node* matmul = producer(graph, node, input, "MatMul");
  if (!matmul) matmul = producer(graph, node, input, "MatMul", kInternalDomain);
  if (!matmul || graph.only_consumer(matmul->outputs[0]) != &node) return nullptr;
  const bool plain = matmul->inputs.size() <= 3 && matmul->spec.attr_or("activation", "").empty();
  return plain && graph.fact(matmul->outputs[0]).dtype == DType::kFloat32 ? matmul : nullptr;
}

bool scales(const ChannelAffine& affine) {
  return std::any_of(affine.scale.begin(), affine.scale.end(), [](float factor) { return factor != 1; });
}

Tensor scaled_columns(const Tensor& b, const ChannelAffine& affine) {
  const int64_t columns = b.dim(1);
  std::vector<float> scale;
  for (int64_t j = 0; j < columns; ++j) scale.push_back(affine.scale_of(j));
  Tensor result(DType::kFloat32, b.shape());
  const float* from = b.data<float>();
  float* to = result.data<float>();
  for (int64_t i = 0; i < b.dim(0); ++i, from += columns, to += columns) {
    std::transform(from, from + columns, scale.begin(), to, std::multiplies<float>());
  }
  return result;
}

}  // namespace

// scale * MatMul(a, b) + shift -> linnet::MatMul(a, b * scale, shift) for a constant matrix b and arithmetic with one
// constant per column: a bias, or a layer scale after it.
LINNET_DEFINE_REWRITE(fold_affine_into_matmul, "Add", "Mul", "Sub", "Div")(const Graph& graph, const Node& node) {
  const auto affine = constant_channel_arithmetic(graph, node, -1);
  if (!affine || !affine->finite()) return std::nullopt;
  const Node* matmul = matmul_before(graph, node, affine->input);
  if (!matmul) return std::nullopt;
  const Tensor* b = constant_weights(graph, *matmul);
  const Tensor* bias = graph.constant_input(*matmul, 2);
  const bool has_bias = graph.input_fact(*matmul, 2).present();
  if (!b || b->rank() != 2 || has_bias != (bias != nullptr) || !affine->fits(b->dim(1))) return std::nullopt;
  Patch patch(graph);
  const std::string& name = matmul->spec.name;
  const ValueId columns =
      scales(*affine) ? patch.constant(name + ".weight", scaled_columns(as_float32(*b), *affine)) : matmul->inputs[1];
  const ValueId shift = patch.constant(name + ".bias", affine->folded_bias(bias, b->dim(1)));
  patch.replace(node.outputs[0], patch.add(internal_spec(*matmul, "MatMul"), {matmul->inputs[0], columns, shift}));
  return patch;
}

}  // namespace linnet
