#pragma once

#include <cstdint>

#include "kernels/forms.h"
#include "linnet/dtype.h"

namespace linnet {

/// A function of two numbers in the three forms that broadcasting needs.
struct NumberForms {
  NumberFunction vector_vector;
  NumberFunction vector_scalar;  ///< y[i] = f(x[0][i], x[1][0])
  NumberFunction scalar_vector;  ///< y[i] = f(x[0][0], x[1][i])
};

/// Functions of two numbers of one type. The first three give bool.
struct OrderFunctions {
  NumberForms less, less_equal, equal;
  NumberFunction max, min;         ///< NaN where either operand is NaN
  NumberFunction quotient;         ///< of integers: rounded towards zero, wrapping, 0 where b is 0; null for floats
  NumberFunction quotient_by_one;  ///< the same for the divisor x[1][0]; only for int32 and shorter integers, else null
};

/// Functions of elements of one width.
struct WidthFunctions {
  NumberFunction add, sub, mul;            ///< of integers; results wrap
  NumberFunction select;                   ///< x[0] (bool) ? x[1] : x[2], bit for bit
  NumberFunction invert;                   ///< inverts all bits
  NumberFunction shift_left, shift_right;  ///< of unsigned numbers by unsigned numbers; 0 from the width on
  /// y[i] += a[0] * b[i] for i < n, of integers; results wrap. y overlaps neither a nor b.
  void (*multiply_add)(const void* a, const void* b, void* y, int64_t n);
};

/// Element-wise functions of any number type.
struct NumberKernels {
  OrderFunctions f32, f64, s8, s16, s32, s64, u8, u16, u32, u64;
  WidthFunctions bits8, bits16, bits32, bits64;
  NumberFunction add_f64, sub_f64, mul_f64, div_f64;
  /// y[r * y_pitch + i] += a[r * a_pitch] * b[i] for r in [0, rows), i in [0, n), with the products rounded. y does not
  /// overlap b, and row r of y may contain a[r * a_pitch].
  void (*multiply_add_rows_f64)(const double* a, int64_t a_pitch, const double* b, double* y, int64_t y_pitch,
                                int64_t rows, int64_t n);
  /// Of bools; every byte other than 0 is true.
  NumberFunction and_bools, or_bools, xor_bools, not_bool;
  NumberForms equal_bools;

  /// Return the member for a dtype, or nullptr for other dtypes.
  const OrderFunctions* order(DType dtype) const;
  const WidthFunctions* width(DType dtype) const;
};

}  // namespace linnet
