#include "gemm/fused_activation.h"

#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "linnet/error.h"

namespace linnet {

Epilogue make_epilogue(const Activation& activation, Isa isa) {
  const auto& [function, alpha, beta] = activation;
  Epilogue epilogue;
  if (!function) return epilogue;
  if (function->clamp) {
    const Range range = function->clamp(alpha, beta);
    epilogue.low = range.low;
    epilogue.high = range.high;
  } else {
    epilogue.activation = kernels_for<UnaryKernels>(isa).*function->kernel;
  }
  epilogue.alpha = alpha;
  epilogue.beta = beta;
  return epilogue;
}

FusedActivation::FusedActivation(const NodeSpec& node, const std::string& prefix) {
  const std::string name = node.attr_or(prefix + "activation", "None");
  if (name.empty() || name == "None") return;
  function = unary_function(name);
  if (!function || !function->kernel) throw Error(ErrorKind::kModel, str("activation '", name, "' is unknown"));
  alpha = node.attr_or(prefix + "activation_alpha", 0.f);
  beta = node.attr_or(prefix + "activation_beta", 0.f);
}

}  // namespace linnet
