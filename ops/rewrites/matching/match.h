#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/patch.h"
#include "registration.h"

// Common helpers of rewrites.
namespace linnet {

/// The name of an operator or of a domain. The length of a literal is computed at compile time: rewrites compare names
/// for each node, and are compiled for size.
struct OpName {
  consteval OpName(const char* literal) : text(literal) {}  // NOLINT: a literal is a name
  constexpr OpName(std::string_view name) : text(name) {}   // NOLINT
  OpName(const std::string& name) : text(name) {}           // NOLINT

  std::string_view text;
};

/// Whether a node is an operator of ai.onnx (or of `domain`).
inline bool is_op(const Node& node, OpName op_type, OpName domain = "") {
  return node.spec.op_type == op_type.text && node.spec.domain == domain.text;
}

/// Whether a node is a deformable convolution, in one of the two forms that models contain.
inline bool is_deform_conv(const Node& node) {
  return is_op(node, "DeformConv") || is_op(node, "deform_conv2d", "custom");
}

/// The node that produces an input if it is that operator, else nullptr.
const Node* producer(const Graph& graph, const Node& node, int input, OpName op_type, OpName domain = "");

/// An input that the node may omit, also at the end of its inputs; kNoValue if omitted.
inline ValueId optional_input(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoValue;
}

/// The value of an input that is a constant float32 of one element; nullopt for other inputs.
std::optional<float> scalar_input(const Graph& graph, const Node& node, int input);

/// The constant weights of a float32 product, which may be stored in a narrower dtype (kWeightTypes); nullptr if they
/// are not constant.
const Tensor* constant_weights(const Graph& graph, const Node& product);
/// A tensor of one of kWeightTypes as float32.
Tensor as_float32(const Tensor& x);

/// The input other than `value` of a two-input node; kNoValue unless exactly one input is `value`.
ValueId other_input(const Node& node, ValueId value);

/// The axes of a reduction, from an attribute or a constant input; nullopt if they are unknown or empty.
std::optional<std::vector<int64_t>> reduced_axes(const Graph& graph, const Node& node);

/// Whether both facts have equal dims that are certain.
bool same_dims(const Fact& a, const Fact& b);
/// Whether both facts have equal dims that are certain, and are float32.
bool same_shape(const Fact& a, const Fact& b);

/// The spec of an internal operator that replaces `old`, with its name and attributes.
NodeSpec internal_spec(const Node& old, std::string_view op_type);
/// The spec of a standard node named after `old`. Its opset is that of `old`, or `since` if that is newer: the first
/// opset in which the operator means what the rewrite needs.
NodeSpec standard_spec(const Node& old, std::string_view op_type, int64_t since);

}  // namespace linnet
