#pragma once

#include <string>

#include "expansion/graph_writer.h"

namespace linnet {

/// x * Sigmoid(alpha * x)
ValueId swish(GraphWriter& graph, ValueId x, float alpha = 1);

/// The function that an operator of com.microsoft applies to its result: attribute activation, the name of an operator;
/// none where it is absent.
class OutputActivation {
 public:
  /// The parameters are attributes of their own: activation_alpha is attribute alpha of the function's operator.
  /// Functions: those of one input that ONNX has up to opset 23; Softmax, LogSoftmax.
  static OutputActivation of_attributes(const NodeSpec& node);
  /// The parameters are one list, activation_params: Relu, Silu, Sigmoid, Tanh have none, LeakyRelu alpha, HardSigmoid
  /// alpha and beta, Clip min and max.
  static OutputActivation of_list(const NodeSpec& node);

  ValueId applied(GraphWriter& graph, ValueId y) const;

 private:
  OutputActivation(std::string function, Attributes attributes)
      : function_(std::move(function)), attributes_(std::move(attributes)) {}

  std::string function_;
  Attributes attributes_;
};

}  // namespace linnet
