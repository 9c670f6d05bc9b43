#pragma once

#include <vector>

#include "linnet/tensor.h"

// Constant tensors of an exported graph. Only the copies of whole rows are meant for large tensors.
namespace linnet::exporter {

/// The largest table that a rule may compute; larger ones are refused.
inline constexpr int64_t kMostElements = 1 << 24;

/// Returns a number without its fraction. Throws ExportError if it does not fit into int64.
int64_t whole_part(double number);

/// Returns the elements of a tensor of numbers. All functions here throw ExportError for complex numbers.
std::vector<double> numbers_in(const Tensor& tensor);
std::vector<int64_t> integers_in(const Tensor& tensor);

/// Returns a tensor of numbers in a dtype. Numbers are rounded as C++ converts them; bool is true for numbers other
/// than 0. A number that does not fit into int64 becomes the least integer of the dtype.
Tensor tensor_of(const std::vector<double>& numbers, const Shape& shape, DType dtype);
Tensor scalar_tensor(double number, DType dtype);
/// Throws ExportError for more than kMostElements elements.
Tensor filled_tensor(const Shape& shape, double number, DType dtype);
/// Returns the tensor in another dtype. Integers are not converted by way of floats.
Tensor converted(const Tensor& tensor, DType dtype);

/// Returns the concatenated rows of tensors of one dtype whose other dims agree. This and the functions below throw
/// ExportError for tensors that do not agree or have no rows.
Tensor joined_rows(const std::vector<Tensor>& tensors);
/// Returns rows begin to end - 1.
Tensor rows_of(const Tensor& tensor, int64_t begin, int64_t end);
/// Returns tensors of one shape, stacked along a new first axis.
Tensor stacked(const std::vector<Tensor>& tensors);

}  // namespace linnet::exporter
