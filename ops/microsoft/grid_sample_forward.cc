#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// GridSample of com.microsoft: that of ONNX with other names of modes: bilinear (default), nearest, bicubic.
/// - X: float16/bfloat16/float/double [N, C, H, W]; Grid: [N, H', W', 2]; Y: [N, C, H', W']
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GridSample
class GridSampleForward final : public ExpandedOp {
 public:
  explicit GridSampleForward(const NodeSpec& node) : ExpandedOp(node), attributes_(node.attributes) {
    attributes_.insert_or_assign("mode", name_in_onnx(node.attr_or("mode", "bilinear")));
  }

 private:
  static std::string name_in_onnx(const std::string& mode) {
    if (mode == "bilinear") return "linear";
    if (mode == "bicubic") return "cubic";
    if (mode == "nearest") return mode;
    throw Error(ErrorKind::kModel, str("mode must be 'bilinear', 'nearest' or 'bicubic', got '", mode, "'"));
  }

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    require_rank(graph.facts()[0], 4, "X");
    return {graph.op("GridSample", {graph.in(0), graph.in(1)}, attributes_)};
  }

  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(grid_sample_forward)(Registry& registry) {
  add_expanded<GridSampleForward>(registry, "GridSample", {.domain = kMicrosoft});
}

}  // namespace linnet
