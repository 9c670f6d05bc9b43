#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "functions/function_table.h"

namespace linnet {

/// Returns the activations of all directions, `defaults.size()` for each. They come from the attributes activations
/// (functions of the table that have a kernel, case-insensitive), activation_alpha and activation_beta. Throws
/// Error(kModel) for unknown names and wrong counts.
/// Source: https://onnx.ai/onnx/operators/onnx__LSTM.html
std::vector<Activation> gate_activations(const NodeSpec& node, const std::vector<std::string>& defaults,
                                         int directions);

/// Computes x[i] = f(x[i]) for n values.
template <class C>
using GateFunction = std::function<void(C* x, int64_t n)>;

GateFunction<float> make_gate_function(const Activation& activation, const UnaryKernels& kernels, float);
GateFunction<double> make_gate_function(const Activation& activation, const UnaryKernels& kernels, double);

}  // namespace linnet
