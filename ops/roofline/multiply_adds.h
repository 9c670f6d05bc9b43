#pragma once

#include <cstdint>
#include <span>

#include "linnet/node_spec.h"
#include "linnet/tensor.h"

namespace linnet {

/// A node with its values.
struct NodeValues {
  const NodeSpec& node;
  std::span<const Tensor*const> inputs, outputs;

  bool has(int i) const { return i < int(inputs.size()) && *inputs[size_t(i)]; }
  const Tensor& in(int i) const { return *inputs[size_t(i)]; }
  bool has_output(int i) const { return i < int(outputs.size()) && *outputs[size_t(i)]; }
  const Tensor& out(int i) const { return *outputs[size_t(i)]; }
};

/// NodeCost::multiply_adds. Taps of a convolution that lie in its padding count; pairs that attention's window leaves
/// out do not, nor do steps beyond the length of a sequence.
int64_t multiply_adds(const NodeValues& values);

}  // namespace linnet
