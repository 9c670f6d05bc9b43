#include "shared.h"

namespace linnet::exporter {

std::string change_axes(Call& call, const std::string& op_type, const std::string& x,
                        const std::vector<int64_t>& axes) {
  return call.emit(op_type, {x, call.constant_of(axes)});
}

// The axes became an input in opset 13 for ReduceSum, in opset 18 for the others.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes,
                   bool keep) {
  if (axes.empty()) return x;
  if (op_type == "ReduceSum" || call.options().opset >= 18) {
    return call.emit(op_type, {x, call.constant_of(axes)}, {{"keepdims", int64_t(keep)}});
  }
  return call.emit(op_type, {x}, {{"axes", axes}, {"keepdims", int64_t(keep)}});
}

std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return call.emit("Slice", {x, call.constant_of({begin}), call.constant_of({end}), call.constant_of({axis}),
                             call.constant_of({step})});
}

}  // namespace linnet::exporter
