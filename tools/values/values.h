#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

/// Whether element() and set_element() support the dtype: bool, integers of at least 8 bits, floats of at least 16.
bool is_number(DType dtype);

/// Element i, in row-major order, as a double. Throws Error(kType) unless is_number(dtype).
double element(const Tensor& tensor, int64_t i);
/// Writes element i, converted from a double. Throws Error(kType) unless is_number(dtype).
void set_element(Tensor& tensor, int64_t i, double value);

/// Element i for display: "0.25", "-3", "true", "\"text\"", "(1, 2)". An element of any other type is printed as its
/// bits.
std::string print_element(const Tensor& tensor, int64_t i);
/// The first `count` elements, separated by spaces, followed by "..." if there are more.
std::string print_elements(const Tensor& tensor, int64_t count);

/// The parts of a container, each with a name that is derived from that of the container: the elements "y[0]", "y[1]",
/// ... of a sequence, the value "y.value" of an optional that has one, the "y.keys" and "y.values" of a map. Since a
/// map has no order, its parts are sorted by the keys.
std::vector<std::pair<std::string, Tensor>> container_parts(const std::string& name, const Tensor& container);

}  // namespace linnet::tool
