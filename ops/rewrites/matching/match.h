#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/patch.h"
#include "registration.h"

// Words that rewrites are written in.
namespace linnet {

/// The name of an operator, or of a domain. How long a literal is is known when it is compiled: rewrites compare names
/// for each node, and are compiled for size.
struct OpName {
  consteval OpName(const char* literal) : text(literal) {}  // NOLINT: a literal is a name
  constexpr OpName(std::string_view name) : text(name) {}   // NOLINT
  OpName(const std::string& name) : text(name) {}           // NOLINT

  std::string_view text;
};

/// True for an operator of ai.onnx (or of `domain`).
inline bool is_op(const Node& node, OpName op_type, OpName domain = "") {
  return node.spec.op_type == op_type.text && node.spec.domain == domain.text;
}

/// True for a deformable convolution as models write it.
inline bool is_deform_conv(const Node& node) {
  return is_op(node, "DeformConv") || is_op(node, "deform_conv2d", "custom");
}

/// The node behind an input when it is that operator, else nullptr.
const Node* producer(const Graph& graph, const Node& node, int input, OpName op_type, OpName domain = "");

/// An input that the node may omit, at the end as well.
inline ValueId optional_input(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoValue;
}

/// The value of an input when it is a constant float32 of one element.
std::optional<float> scalar_input(const Graph& graph, const Node& node, int input);

/// The constant weights of a product of float32, which may be narrower still (kWeightTypes); nullptr where they are not
/// constant.
const Tensor* constant_weights(const Graph& graph, const Node& product);
/// A tensor of one of kWeightTypes as float32.
Tensor as_float32(const Tensor& x);

/// The input of a two-input node that is not `value`; kNoValue unless exactly one is.
ValueId other_input(const Node& node, ValueId value);

/// The axes of a reduction, an attribute or a constant input, where they are known and not empty.
std::optional<std::vector<int64_t>> reduced_axes(const Graph& graph, const Node& node);

/// True when both facts have equal, certain dims.
bool same_dims(const Fact& a, const Fact& b);
/// True when, besides, both are float32.
bool same_shape(const Fact& a, const Fact& b);

/// The spec of a new node in place of `old`: its name and attributes, another operator.
NodeSpec internal_spec(const Node& old, std::string_view op_type);
/// The spec of a new standard node named after `old`, of the same opset, or of `since` where that is newer: the opset
/// from which on the operator means what the rewrite wants.
NodeSpec standard_spec(const Node& old, std::string_view op_type, int64_t since);

}  // namespace linnet
