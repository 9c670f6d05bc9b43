#pragma once

// Included by *.simd.cc only: trigonometric functions of float64 without branches. The polynomials of the inverse
// functions are Chebyshev fits made for Linnet; the reductions are those of S. Moshier's Cephes.
#include "kernels/double_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// The largest |x| for which the reduction x = n pi/2 + r with |r| <= pi/4 is exact to the last bit.
inline constexpr double kMostDoubleAngle = 0x1p20;

/// sin(r) and cos(r) by their Taylor series, with truncation errors of less than 2^-57. The quadrant is n.
struct DoubleAngle {
  double sin, cos;
  uint64_t quadrant;
};

inline DoubleAngle reduce_double_angle(double x) {
  const double shifted = mul_add(x, 0x1.45f306dc9c883p-1, kRoundDouble), n = shifted - kRoundDouble;
  // pi/2 in four parts. The first three have 33 bits, so their products with n are exact.
  double r = mul_add(n, -0x1.0b4611a600000p-34, mul_add(n, -0x1.921fb54400000p+0, x));
  r = mul_add(n, -0x1.b839a252049c1p-104, mul_add(n, -0x1.3198a2e000000p-69, r));
  const double t = r * r;
  const double s = polynomial(t, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                              1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  const double c = polynomial(t, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
                              -1.0 / 720, 1.0 / 24);
  // The error of 1 - t/2 is known and is added back.
  const double half = 0.5 * t, w = 1.0 - half;
  return {mul_add(r * t, s, r), w + ((1.0 - w) - half + t * t * c), bits_of_double(shifted)};
}

/// Returns sin(x + quadrant pi/2).
inline double double_sin_of(const DoubleAngle& angle, uint64_t quadrant) {
  const double y = choose((quadrant & 1) != 0, angle.cos, angle.sin);
  return double_of(bits_of_double(y) ^ ((quadrant & 2) << 62));
}

struct DoubleSin {
  static double near(double x) {
    const DoubleAngle angle = reduce_double_angle(x);
    return choose(x == 0.0, x, double_sin_of(angle, angle.quadrant));  // -0 is preserved
  }
  static double far(double x) { return __builtin_sin(x); }
};

struct DoubleCos {
  static double near(double x) {
    const DoubleAngle angle = reduce_double_angle(x);
    return double_sin_of(angle, angle.quadrant + 1);
  }
  static double far(double x) { return __builtin_cos(x); }
};

struct DoubleTan {
  static double near(double x) {
    const DoubleAngle angle = reduce_double_angle(x);
    const bool odd = (angle.quadrant & 1) != 0;
    return choose(x == 0.0, x, choose(odd, -angle.cos, angle.sin) / choose(odd, angle.sin, angle.cos));
  }
  static double far(double x) { return __builtin_tan(x); }
};

// pi / 2 and pi / 4 as the sums of two parts.
inline constexpr double kHalfPiDouble = 0x1.921fb54442d18p+0, kHalfPiDoubleRest = 0x1.1a62633145c07p-54;

/// atan(z) = z + z^3 P(z^2) up to tan(pi/8). Above, atan(a) = pi/4 + atan((a - 1) / (a + 1)) up to tan(3 pi/8), then
/// pi/2 - atan(1 / a).
inline double double_atan(double x) {
  const double a = magnitude_of(x);
  const bool middle = a > 0x1.a827999fcef32p-2, large = a > 0x1.3504f333f9de6p+1;
  const double z = choose(large, -1.0, choose(middle, a - 1.0, a)) / choose(large, a, choose(middle, a + 1.0, 1.0));
  const double t = z * z;
  const double p =
      polynomial(t, 0x1.0ad36a455cafbp-6, -0x1.1b33b923aa954p-5, 0x1.74ddd408bb4c1p-5, -0x1.ac7a938b69c93p-5,
                 0x1.e19a13b9fc6dfp-5, -0x1.110e880a7a521p-4, 0x1.3b1392d9e785cp-4, -0x1.745d165df3f95p-4,
                 0x1.c71c71c304b68p-4, -0x1.249249248d7eep-3, 0x1.9999999999953p-3, -0x1.5555555555555p-2);
  const double share = choose(large, 1.0, choose(middle, 0.5, 0.0));
  const double arc = mul_add(p * t, z, share * kHalfPiDoubleRest) + z;
  return with_sign(share * kHalfPiDouble + arc, x);
}

/// asin(a) for a = |x|: z + z P(t) up to 1/2, and pi/2 - 2 asin(sqrt((1 - a) / 2)) above.
struct DoubleArc {
  double z, tail;
  bool beyond;
};

inline DoubleArc reduce_double_arc(double x) {
  const double a = magnitude_of(x);
  const bool beyond = a > 0.5;
  const double half = mul_add(a, -0.5, 0.5);
  const double z = choose(beyond, __builtin_sqrt(half), a), t = choose(beyond, half, a * a);
  const double p = polynomial(t, 0x1.d72b2bc8155f8p-6, -0x1.e6aaa8a0a04ccp-7, 0x1.1d189408314eep-6,
                              0x1.65a9c4dfcf8b2p-8, 0x1.52420b04b37bep-7, 0x1.782651caa6547p-7, 0x1.c9cf07674736ap-7,
                              0x1.1c4d35cf95421p-6, 0x1.6e8bb1c8209a2p-6, 0x1.f1c71c1db0623p-6, 0x1.6db6db6e31f13p-5,
                              0x1.3333333332ecap-4, 0x1.5555555555556p-3);
  return {z, z * (t * p), beyond};
}

inline double double_asin(double x) {
  const DoubleArc r = reduce_double_arc(x);
  const double rest = kHalfPiDouble - (2.0 * r.z - (kHalfPiDoubleRest - 2.0 * r.tail));
  return with_sign(choose(r.beyond, rest, r.z + r.tail), x);  // above 1, z is NaN
}

inline double double_acos(double x) {
  const DoubleArc r = reduce_double_arc(x);
  const double arc = 2.0 * (r.z + r.tail);
  const double far = choose(x < 0.0, 2.0 * kHalfPiDouble - (arc - 2.0 * kHalfPiDoubleRest), arc);
  const double near = kHalfPiDouble - (with_sign(r.z, x) - (kHalfPiDoubleRest - with_sign(r.tail, x)));
  return choose(r.beyond, far, near);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
