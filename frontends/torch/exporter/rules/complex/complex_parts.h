#pragma once

#include <string>

#include "linnet/lowering.h"

// Complex numbers as pairs of a real and an imaginary part, along an additional last axis of size 2.
namespace linnet::exporter {

/// Whether the argument is a complex tensor or number.
bool is_complex(Call& call, const std::string& argument);

/// Returns the dtype of the parts of the call's result, or of the result itself if that is real.
DType part_dtype(Call& call);

/// Returns an argument as pairs. A real one gets imaginary parts of 0.
std::string pairs_of(Call& call, const std::string& argument, DType dtype);

/// Returns the real (0) or imaginary (1) parts of pairs, without their axis.
std::string part(Call& call, const std::string& pairs, int64_t which);

/// Returns the pairs of parts that have the same shape.
std::string joined(Call& call, const std::string& real, const std::string& imaginary);

/// Returns pairs with the opposite sign of the imaginary part.
std::string conjugated(Call& call, const std::string& pairs, DType dtype);

}  // namespace linnet::exporter
