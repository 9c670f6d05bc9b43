#pragma once

#include <string>
#include <vector>

#include "linnet/lowering.h"

// What several families of rules use.
namespace linnet::exporter {

/// The rule of an operator of one tensor, which ONNX has under this name; it computes in the dtype of the result.
inline Lowering unary(const std::string& op_type) {
  return [op_type](Call& call) { call.set(call.emit(op_type, {call.value("self", call.dtype())})); };
}

/// Axes of a value removed (Squeeze) or put in (Unsqueeze).
std::string change_axes(Call& call, const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes);

/// ReduceSum, ReduceMean ... over axes, in the form of the file's opset.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes,
                   bool keep);

/// x[begin:end:step] along one axis.
std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

}  // namespace linnet::exporter
