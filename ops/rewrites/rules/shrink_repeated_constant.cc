#include <cstring>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/broadcasting.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

constexpr int64_t kFewElements = 1024;  // a constant of so many elements is read from the first-level cache

/// A tensor as `outer` blocks of `count` slices along an axis, of `bytes` each.
struct Slices {
  Slices(const Tensor& tensor, int axis)
      : data(static_cast<const std::byte*>(tensor.raw())),
        outer(tensor.shape().elements(0, axis)),
        count(tensor.shape()[axis]),
        bytes(tensor.bytes() / size_t(checked_mul(outer, count))) {}

  const std::byte* at(int64_t block, int64_t slice) const { return data + size_t(block * count + slice) * bytes; }
  bool are_equal() const {
    for (int64_t block = 0; block < outer; ++block) {
      for (int64_t slice = 1; slice < count; ++slice) {
        if (std::memcmp(at(block, 0), at(block, slice), bytes) != 0) return false;
      }
    }
    return true;
  }

  const std::byte* data;
  int64_t outer, count;
  size_t bytes;
};

Tensor first_slices(const Tensor& tensor, int axis) {
  Shape shape = tensor.shape();
  shape[axis] = 1;
  Tensor result(tensor.dtype(), shape);
  const Slices slices(tensor, axis);
  auto* to = static_cast<std::byte*>(result.raw());
  for (int64_t block = 0; block < slices.outer; ++block, to += slices.bytes) {
    std::memcpy(to, slices.at(block, 0), slices.bytes);
  }
  return result;
}

/// The constant with one slice along each axis whose slices are equal bit by bit; nullopt if it has no such axis.
std::optional<Tensor> shrunk(const Tensor& constant) {
  Tensor result = constant;
  for (int axis = 0; axis < constant.rank(); ++axis) {
    if (result.shape()[axis] > 1 && Slices(result, axis).are_equal()) result = first_slices(result, axis);
  }
  return result.size() < constant.size() ? std::optional(result) : std::nullopt;
}

bool is_large_constant(const Fact& fact) {
  return fact.constant && fact.constant.size() > kFewElements && dtype_bits(fact.dtype) >= 8;
}

/// Whether an input other than `input` has the shape of the output.
bool another_has_all(const Graph& graph, const Node& node, size_t input) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != input && same_dims(graph.input_fact(node, int(i)), graph.fact(node.outputs[0]))) return true;
  }
  return false;
}

}  // namespace

// f(x, c) -> f(x, c with one slice along an axis), for an element-wise f and a constant c whose slices along the axis
// are equal, where x has the shape of the result: f broadcasts. An embedding of types is such a constant: one row for
// all positions. Plans of many shapes then need no table each.
LINNET_DEFINE_REWRITE(shrink_repeated_constant)(const Graph& graph, const Node& node) {
  if (!broadcasts(node)) return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Fact& fact = graph.input_fact(node, int(i));
    if (!is_large_constant(fact) || !another_has_all(graph, node, i)) continue;
    const std::optional<Tensor> constant = shrunk(fact.constant);
    if (!constant) continue;
    Patch patch(graph);
    std::vector<ValueId> inputs = node.inputs;
    inputs[i] = patch.constant(graph.value(node.inputs[i]).name, *constant);
    patch.replace(node, patch.add_for(node, node.spec, std::move(inputs)));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
