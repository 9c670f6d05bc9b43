#pragma once

#include <vector>

#include "linnet/tensor.h"

// Constant tensors of an exported graph. Nothing here is meant for large ones but copies of whole rows.
namespace linnet::exporter {

/// What a rule may compute by itself: larger tables are refused.
inline constexpr int64_t kMostElements = 1 << 24;

/// A number without its fraction. Throws ExportError where int64 does not hold it.
int64_t whole_part(double number);

/// The elements of a tensor of numbers. Complex numbers are refused with ExportError, as everywhere here.
std::vector<double> numbers_in(const Tensor& tensor);
std::vector<int64_t> integers_in(const Tensor& tensor);

/// Numbers in a dtype: rounded as C++ converts them, to bool where they are not 0. What no int64 holds is the least
/// integer of the dtype.
Tensor tensor_of(const std::vector<double>& numbers, const Shape& shape, DType dtype);
Tensor scalar_tensor(double number, DType dtype);
/// Throws ExportError for more than kMostElements.
Tensor filled_tensor(const Shape& shape, double number, DType dtype);
/// The tensor in another dtype, integers without a detour through floats.
Tensor converted(const Tensor& tensor, DType dtype);

/// Rows of tensors of one dtype, whose other dims agree, one after the other. All that follows throws ExportError for
/// tensors that are not so, or have no rows.
Tensor joined_rows(const std::vector<Tensor>& tensors);
/// Rows begin to end - 1.
Tensor rows_of(const Tensor& tensor, int64_t begin, int64_t end);
/// Tensors of one shape along a new first axis.
Tensor stacked(const std::vector<Tensor>& tensors);

}  // namespace linnet::exporter
