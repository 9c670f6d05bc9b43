#include "kernels/epilogue.h"

#include <array>

#include "kernels/kernel_table.h"
#include "linnet/error.h"

namespace linnet {
namespace {

constexpr std::array<std::string_view, 14> kNames = {"None",     "Relu",        "Clip",      "LeakyRelu", "Elu",
                                                     "Sigmoid",  "HardSigmoid", "HardSwish", "Swish",     "Gelu",
                                                     "GeluTanh", "Tanh",        "Mish",      "Softplus"};

}  // namespace

Activation activation_from_name(std::string_view name) {
  if (name.empty()) return Activation::kNone;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return Activation(i);
  }
  throw Error(ErrorKind::kModel, str("activation '", name, "' is unknown"));
}

Epilogue make_epilogue(Activation activation, float alpha, float beta, Isa isa) {
  Epilogue epilogue;
  switch (activation) {
    case Activation::kNone:
      break;
    case Activation::kRelu:
      epilogue.low = 0;
      break;
    case Activation::kClip:
      epilogue.low = alpha;
      epilogue.high = beta;
      break;
    default:
      epilogue.activation = kernel_table(isa).unary.of(activation);
  }
  epilogue.alpha = alpha;
  epilogue.beta = beta;
  return epilogue;
}

}  // namespace linnet
