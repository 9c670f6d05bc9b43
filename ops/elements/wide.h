#pragma once

#include <cstdint>
#include <functional>

#include "elements/small_float.h"
#include "linnet/dtype.h"

// Reads and writes elements of any numeric dtype through a type that represents them exactly, so that conversions
// between n dtypes need n readers and n writers rather than n * n loops.
namespace linnet {

/// A number in the member that WideKind selects.
union Wide {
  int64_t i;
  uint64_t u;
  double d;
};

enum class WideKind { kSigned, kUnsigned, kReal };

/// The kind of a dtype's elements: kUnsigned for uint64, kSigned for other integers and bool, kReal for floats. Throws
/// Error(kUnsupported) for strings and complex numbers.
WideKind wide_kind(DType dtype);

/// Reads the elements [first, first + n) of x.
using WideReader = std::function<void(const void* x, int64_t first, int64_t n, Wide* out)>;
/// Writes the elements [first, first + n) of y. For dtypes below one byte, first * bits must be a multiple of 8; the
/// last byte is padded with zeros.
using WideWriter = std::function<void(const Wide* in, void* y, int64_t first, int64_t n)>;

/// Throws Error(kUnsupported) for strings and complex numbers.
WideReader wide_reader(DType dtype);

/// Writers that convert as ONNX's Cast does:
/// - To an integer, drops the higher bits. A float is first rounded towards zero; one that does not fit in int32 (for
///   int32 and integers below 32 bits), uint64 (for uint64) or int64 (for the others) becomes the lowest such number,
///   as on x86 processors.
/// - To a float, rounds to the nearest, ties to even.
/// - To bool, tests whether it differs from 0.
/// Throws Error(kUnsupported) for strings and complex numbers.
/// Source: https://onnx.ai/onnx/operators/onnx__Cast.html
WideWriter wide_writer(WideKind from, DType dtype, const SmallFloatRounding& rounding = {});

}  // namespace linnet
