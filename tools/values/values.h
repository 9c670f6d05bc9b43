#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

/// True for the dtypes that element() and set_element() know: bool, integers of 8 bits and more, floats of 16 and more.
bool is_number(DType dtype);

/// Element i, in row-major order, as a double. Throws Error(kType) unless is_number(dtype).
double element(const Tensor& tensor, int64_t i);
/// Writes element i, converted from a double. Throws Error(kType) unless is_number(dtype).
void set_element(Tensor& tensor, int64_t i, double value);

/// Element i for people: "0.25", "-3", "true", "\"text\"", "(1, 2)"; an element of another type as its bits.
std::string print_element(const Tensor& tensor, int64_t i);
/// The first `count` elements, separated by spaces, with "..." where there are more.
std::string print_elements(const Tensor& tensor, int64_t count);

/// What a container holds, each with a name made from that of the container: the elements "y[0]", "y[1]", ... of a
/// sequence, the value "y.value" of an optional that has one, the "y.keys" and "y.values" of a map, which has no order:
/// they are sorted by the keys.
std::vector<std::pair<std::string, Tensor>> container_parts(const std::string& name, const Tensor& container);

}  // namespace linnet::tool
