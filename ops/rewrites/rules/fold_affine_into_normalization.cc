#include <functional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// A LayerNormalization or RMSNormalization with constant parameters of the normalised shape.
struct Normalization {
  const Node* node;
  const Tensor *scale, *bias;  ///< bias may be null
};

bool has_shape(const Tensor& parameter, const Fact& x, int64_t axis) {
  const int first = normalize_axis(axis, x.rank());
  if (parameter.rank() != x.rank() - first) return false;
  for (int i = 0; i < parameter.rank(); ++i) {
    if (!certainly_equal(x.dim(first + i), parameter.dim(i))) return false;
  }
  return true;
}

std::optional<Normalization> normalization_before(const Graph& graph, const Node& node, int input) {
  const Node* found = producer(graph, node, input, "LayerNormalization");
  if (!found) found = producer(graph, node, input, "RMSNormalization");
  if (!found || found->outputs.size() != 1 || graph.only_consumer(found->outputs[0]) != &node) return std::nullopt;
  const Normalization result{found, graph.constant_input(*found, 1), graph.constant_input(*found, 2)};
  const Fact& x = graph.input_fact(*found, 0);
  const int64_t axis = found->spec.attr_or("axis", -1);
  if (x.dtype != DType::kFloat32 || !x.has_rank() || !result.scale || !has_shape(*result.scale, x, axis)) {
    return std::nullopt;
  }
  if (graph.input_fact(*found, 2).present() && (!result.bias || !has_shape(*result.bias, x, axis))) return std::nullopt;
  return result;
}

// Whether c is one number, or has the parameter's shape after leading dims of 1, and does not change the shape of x.
bool applies_to_rows(const Tensor& c, const Tensor& parameter, const Fact& x) {
  if (c.dtype() != DType::kFloat32 || c.rank() > x.rank()) return false;
  if (c.size() == 1) return true;
  if (c.size() != parameter.size() || c.rank() < parameter.rank()) return false;
  for (int i = 0; i < parameter.rank(); ++i) {
    if (c.dim(c.rank() - parameter.rank() + i) != parameter.dim(i)) return false;
  }
  return true;
}

template <class F>
Tensor combine(const Tensor& a, const Tensor& c, F f) {
  Tensor result(DType::kFloat32, a.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    result.data<float>()[i] = f(a.data<float>()[i], c.data<float>()[c.size() == 1 ? 0 : i]);
  }
  return result;
}

Tensor zeros_like(const Tensor& a) {
  return combine(a, a, [](float, float) { return 0.f; });
}

std::vector<ValueId> folded_parameters(Patch& patch, const Normalization& found, const Node& node, const Tensor& c) {
  const std::string& name = found.node->spec.name;
  std::vector<ValueId> inputs = found.node->inputs;
  if (is_op(node, "Mul")) {
    inputs[1] = patch.constant(name + ".scale", combine(*found.scale, c, std::multiplies<float>()));
    if (found.bias) inputs[2] = patch.constant(name + ".bias", combine(*found.bias, c, std::multiplies<float>()));
  } else {
    inputs.resize(3, kNoValue);
    const Tensor bias = found.bias ? *found.bias : zeros_like(*found.scale);
    inputs[2] = patch.constant(name + ".bias", combine(bias, c, std::plus<float>()));
  }
  return inputs;
}

}  // namespace

// Mul or Add of a normalisation and a constant row -> the normalisation with changed scale and bias. RMSNormalization
// has no bias.
LINNET_DEFINE_REWRITE(fold_affine_into_normalization, "Mul", "Add")(const Graph& graph, const Node& node) {
  for (int input = 0; input < 2; ++input) {
    const Tensor* c = graph.constant_input(node, 1 - input);
    const auto found = c ? normalization_before(graph, node, input) : std::nullopt;
    if (!found || !applies_to_rows(*c, *found->scale, graph.input_fact(node, input))) continue;
    if (is_op(node, "Add") && is_op(*found->node, "RMSNormalization")) continue;
    Patch patch(graph);
    patch.replace(node.outputs[0], patch.add(found->node->spec, folded_parameters(patch, *found, node, *c)));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
