#pragma once

#include <string>
#include <vector>

#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "site.h"
#include "value.h"

// Complex numbers, which few operators of ONNX know: in the graph a tensor of them is one of floats with one more last
// axis, of real and imaginary part.
namespace linnet::exporter {

/// complex64 or complex128.
bool is_complex(DType dtype);
/// What tensors of a dtype have in the graph: of complex numbers that of their parts.
DType stored_dtype(DType dtype);
/// The same of what a graph declares.
OnnxValue stored_value(OnnxValue value);
/// A constant as it is in the graph. It shares the data.
Tensor stored_tensor(const Tensor& tensor);

/// Some tensor in them is complex.
bool has_complex(const std::vector<Value>& values);
/// Complex tensors as they are in the graph.
std::vector<Value> as_pairs(const std::vector<Value>& values);

/// The operator moves elements, or treats both parts alike: its rule for real tensors serves pairs.
bool serves_pairs(const std::string& operator_name);
/// The arguments of such an operator for its rule. Axes count from the front, and the last one stays where it is.
std::vector<Value> arguments_of_pairs(const Site& site, const std::vector<Value>& arguments,
                                      const std::vector<Value>& results);

}  // namespace linnet::exporter
