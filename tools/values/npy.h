#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "linnet/tensor.h"
#include "tensor/counted_vector.h"

namespace linnet::tool {

/// A tensor from the bytes of a .npy file: versions 1 to 3, little-endian, row-major or column-major (converted), bool,
/// integers, float16/32/64, complex64/128, and text (U and S), which becomes UTF-8 strings. Throws Error(kIo) for
/// malformed bytes, Error(kUnsupported) for other element types.
/// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
Tensor parse_npy(std::span<const std::byte> bytes);

/// The bytes of a .npy file in two parts, the second of which is memory of the tensor.
struct NpyFile {
  CountedVector<std::byte> own;
  std::span<const std::byte> elements;
};

/// A .npy file, version 1. bfloat16 and float8 become raw elements of the same size ("V2", "V1"). Throws
/// Error(kUnsupported) for elements smaller than a byte, Error(kLimit) if texts, which the format pads to the same
/// length, are more than may be allocated.
NpyFile to_npy(const Tensor& tensor);

}  // namespace linnet::tool
