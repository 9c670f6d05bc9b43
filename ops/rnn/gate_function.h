#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/unary.h"
#include "linnet/node_spec.h"

namespace linnet {

/// An activation of a recurrent operator: its name in lower case and its parameters.
struct GateActivation {
  std::string name;
  float alpha = 0;
  float beta = 0;
};

/// The activations of all directions, `defaults.size()` for each, from the attributes activations, activation_alpha
/// and activation_beta. Throws Error(kModel) for unknown names and wrong counts.
/// Source: https://onnx.ai/onnx/operators/onnx__LSTM.html
std::vector<GateActivation> gate_activations(const NodeSpec& node, const std::vector<std::string>& defaults,
                                             int directions);

/// x[i] = f(x[i]) for n values.
template <class C>
using GateFunction = std::function<void(C* x, int64_t n)>;

GateFunction<float> make_gate_function(const GateActivation& activation, const UnaryKernels& kernels, float);
GateFunction<double> make_gate_function(const GateActivation& activation, const UnaryKernels& kernels, double);

}  // namespace linnet
