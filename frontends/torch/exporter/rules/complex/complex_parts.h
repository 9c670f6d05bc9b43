#pragma once

#include <string>

#include "linnet/lowering.h"

// Complex numbers as pairs of a real and an imaginary part, along one more last axis of size 2.
namespace linnet::exporter {

/// The argument is a complex tensor or number.
bool is_complex(Call& call, const std::string& argument);

/// The dtype of the parts of the call's result, or of the result where that is real.
DType part_dtype(Call& call);

/// An argument as pairs; a real one has imaginary parts of 0.
std::string pairs_of(Call& call, const std::string& argument, DType dtype);

/// Real (0) or imaginary (1) parts of pairs, without their axis.
std::string part(Call& call, const std::string& pairs, int64_t which);

/// Pairs of parts that have the same shape.
std::string joined(Call& call, const std::string& real, const std::string& imaginary);

/// Pairs with the other sign of the imaginary part.
std::string conjugated(Call& call, const std::string& pairs, DType dtype);

}  // namespace linnet::exporter
