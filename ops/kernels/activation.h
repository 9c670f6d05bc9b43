#pragma once

#include <string_view>

namespace linnet {

/// The activations that can be fused into the operator before them, with their parameters alpha and beta:
/// kClip to [alpha, beta]; kLeakyRelu, kElu: slope alpha; kHardSigmoid: max(0, min(1, alpha * x + beta));
/// kSwish: x * sigmoid(alpha * x); kGelu with erf, kGeluTanh with the tanh approximation; the others have none.
enum class Activation {
  kNone,
  kRelu,
  kClip,
  kLeakyRelu,
  kElu,
  kSigmoid,
  kHardSigmoid,
  kHardSwish,
  kSwish,
  kGelu,
  kGeluTanh,
  kTanh,
  kMish,
  kSoftplus,
};

/// From the name that internal operators carry in their attribute "activation": "" or "None", else the enumerator's
/// name without k ("Relu", "GeluTanh"). Throws Error(kModel) for any other.
Activation activation_from_name(std::string_view name);

}  // namespace linnet
