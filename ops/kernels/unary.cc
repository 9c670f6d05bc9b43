#include "kernels/unary.h"

#include "kernels/activation.h"

namespace linnet {

UnaryKernels::F UnaryKernels::of(Activation activation) const {
  switch (activation) {
    case Activation::kNone:
      return copy;
    case Activation::kRelu:
      return relu;
    case Activation::kClip:
      return clip;
    case Activation::kLeakyRelu:
      return leaky_relu;
    case Activation::kElu:
      return elu;
    case Activation::kSigmoid:
      return sigmoid;
    case Activation::kHardSigmoid:
      return hard_sigmoid;
    case Activation::kHardSwish:
      return hard_swish;
    case Activation::kSwish:
      return swish;
    case Activation::kGelu:
      return gelu;
    case Activation::kGeluTanh:
      return gelu_tanh;
    case Activation::kTanh:
      return tanh;
    case Activation::kMish:
      return mish;
    case Activation::kSoftplus:
      return softplus;
  }
  return copy;
}

}  // namespace linnet
