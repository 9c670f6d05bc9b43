#pragma once

#include <string>

#include "kernels/epilogue.h"
#include "linnet/node_spec.h"

namespace linnet {

/// The activation that an operator of the internal domain applies to its result: attributes activation,
/// activation_alpha and activation_beta, their names behind `prefix`.
struct FusedActivation {
  explicit FusedActivation(const NodeSpec& node, const std::string& prefix = "")
      : activation(activation_from_name(node.attr_or(prefix + "activation", ""))),
        alpha(node.attr_or(prefix + "activation_alpha", 0.f)),
        beta(node.attr_or(prefix + "activation_beta", 0.f)) {}

  Epilogue epilogue(Isa isa) const { return make_epilogue(activation, alpha, beta, isa); }

  Activation activation;
  float alpha, beta;
};

}  // namespace linnet
