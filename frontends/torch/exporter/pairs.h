#pragma once

#include <string>
#include <vector>

#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "site.h"
#include "value.h"

// Few ONNX operators support complex numbers. In the graph, a complex tensor is therefore a float tensor with an
// additional last axis of size 2 for real and imaginary part.
namespace linnet::exporter {

/// Whether a dtype is complex64 or complex128.
bool is_complex(DType dtype);
/// Returns the dtype of such tensors in the graph: for complex numbers, that of their parts.
DType stored_dtype(DType dtype);
/// Returns a declared value as it is in the graph.
OnnxValue stored_value(OnnxValue value);
/// Returns a constant as it is in the graph. It shares the data.
Tensor stored_tensor(const Tensor& tensor);

/// Whether some tensor in the values is complex.
bool has_complex(const std::vector<Value>& values);
/// Returns complex tensors as they are in the graph.
std::vector<Value> as_pairs(const std::vector<Value>& values);

/// Whether the operator moves elements or treats both parts equally, so that its rule for real tensors serves pairs.
bool serves_pairs(const std::string& operator_name);
/// Returns the arguments of such an operator for its rule. Axes count from the front, and the last one stays in place.
std::vector<Value> arguments_of_pairs(const Site& site, const std::vector<Value>& arguments,
                                      const std::vector<Value>& results);

}  // namespace linnet::exporter
