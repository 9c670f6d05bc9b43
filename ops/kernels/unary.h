#pragma once

#include <cstdint>

namespace linnet {

enum class Activation;

/// Element-wise float32 functions y[i] = f(x[i]). x == y is allowed, other overlap is not. What an element becomes
/// depends on its value alone, never on its position. NaN gives NaN. Functions of one or two parameters take them as
/// alpha and beta; the others ignore both. Error bounds are in units in the last place (ulp) of the exact result.
struct UnaryKernels {
  using F = void (*)(const float* x, float* y, int64_t n, float alpha, float beta);

  F copy;
  F relu;              ///< x < 0 ? 0 : x
  F clip;              ///< min(max(x, alpha), beta); beta wins where alpha > beta
  F leaky_relu;        ///< x < 0 ? alpha x : x
  F thresholded_relu;  ///< x > alpha ? x : 0
  F elu;               ///< x < 0 ? alpha (e^x - 1) : x; 1.5 ulp for alpha = 1
  F selu;              ///< beta * elu(x, alpha); 3 ulp
  F celu;              ///< x < 0 ? alpha (e^(x / alpha) - 1) : x; 2.5 ulp
  F sigmoid;           ///< 1 / (1 + e^-x), in [0, 1]; 2.5 ulp
  F hard_sigmoid;      ///< min(max(alpha x + beta, 0), 1)
  F hard_swish;        ///< x min(max(x / 6 + 1/2, 0), 1)
  F swish;             ///< x sigmoid(alpha x); 4 ulp where sigmoid(alpha x) is normal
  F mish;              ///< x tanh(softplus(x)); 4 ulp for x > -86
  F softplus;          ///< log(1 + e^x); 2 ulp
  F softsign;          ///< x / (1 + |x|)
  F tanh;              ///< in [-1, 1]; 2.5 ulp
  F gelu;              ///< x/2 (1 + erf(x / sqrt 2)); error below 2e-7 |x|
  F gelu_tanh;         ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); error below 2e-7 |x|
  F erf;               ///< in [-1, 1]; 2 ulp
  F exp;               ///< 1.5 ulp
  F log;               ///< 1.5 ulp; -inf for 0, NaN below
  F sqrt;
  F reciprocal;
  F asinh;  ///< 2 ulp
  F sin;    ///< 1 ulp
  F cos;    ///< 1 ulp
  F neg;
  F abs;
  F floor;
  F ceil;
  F round;   ///< to the nearest integer, ties to even
  F square;  ///< x x
  F scale;   ///< alpha x + beta, rounded twice

  /// The function of an activation; `copy` for kNone.
  F of(Activation activation) const;
};

}  // namespace linnet
