#pragma once

#include <string>

#include "expansion/graph_writer.h"

namespace linnet {

/// x * Sigmoid(alpha * x).
ValueId swish(GraphWriter& graph, ValueId x, float alpha = 1);

/// The function that an operator of com.microsoft applies to its result. Attribute `activation` is the name of an
/// operator; if it is absent, there is no function.
class OutputActivation {
 public:
  /// Parameters are separate attributes: activation_alpha is attribute alpha of the function's operator. The functions
  /// are those of one input in ONNX up to opset 23, Softmax and LogSoftmax.
  static OutputActivation of_attributes(const NodeSpec& node);
  /// Parameters are one list, activation_params. The functions are Relu, Silu, Sigmoid and Tanh without parameters,
  /// LeakyRelu with alpha, HardSigmoid with alpha and beta, and Clip with min and max.
  static OutputActivation of_list(const NodeSpec& node);

  ValueId applied(GraphWriter& graph, ValueId y) const;

 private:
  OutputActivation(std::string function, Attributes attributes)
      : function_(std::move(function)), attributes_(std::move(attributes)) {}

  std::string function_;
  Attributes attributes_;
};

}  // namespace linnet
