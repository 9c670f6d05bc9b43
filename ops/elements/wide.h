#pragma once

#include <cstdint>
#include <functional>

#include "elements/small_float.h"
#include "linnet/dtype.h"

// Elements of any numeric dtype by way of one that holds them exactly: conversions between n dtypes take n readers and
// n writers rather than n * n loops.
namespace linnet {

/// A number, as the member that WideKind says.
union Wide {
  int64_t i;
  uint64_t u;
  double d;
};

enum class WideKind { kSigned, kUnsigned, kReal };

/// How the elements of a dtype are read: uint64 as kUnsigned, other integers and bool as kSigned, floats as kReal.
/// Throws Error(kUnsupported) for strings and complex numbers.
WideKind wide_kind(DType dtype);

/// Reads the elements [first, first + n) of x.
using WideReader = std::function<void(const void* x, int64_t first, int64_t n, Wide* out)>;
/// Writes the elements [first, first + n) of y. For dtypes below one byte, first * bits must be a multiple of 8; the
/// last byte is filled up with zeros.
using WideWriter = std::function<void(const Wide* in, void* y, int64_t first, int64_t n)>;

/// Throws Error(kUnsupported) for strings and complex numbers.
WideReader wide_reader(DType dtype);

/// Conversions as ONNX's Cast defines them: to an integer, the higher bits are dropped; a float is rounded towards zero
/// first, and one that does not fit int32 (for integers below 32 bits and int32), uint64 (for uint64) or int64 (for the
/// others) becomes the least such number, as x86 processors convert. To a float: to the nearest, ties to even.
/// To bool: whether it differs from 0. Throws Error(kUnsupported) for strings and complex numbers.
/// Source: https://onnx.ai/onnx/operators/onnx__Cast.html
WideWriter wide_writer(WideKind from, DType dtype, const SmallFloatRounding& rounding = {});

}  // namespace linnet
