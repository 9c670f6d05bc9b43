#include <algorithm>
#include <cmath>
#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// torchvision's operators on boxes and regions of images.
namespace linnet::exporter {
namespace {

/// Returns the largest float32 that is not above a number. A float32 exceeds it if and only if it exceeds the number.
float not_above(double number) {
  const auto nearest = float(number);
  return double(nearest) > number ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

/// Returns one column of a table, as a tensor of rank 1.
std::string column(Call& call, const std::string& table, int64_t index) {
  return call.emit("Gather", {table, integer_of(call, index)}, {{"axis", 1}});
}

/// Emits the boxes that do not overlap a better one by more than the threshold, best first. ONNX returns (image, class,
/// box) for each.
/// Source: https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html
void nms(Call& call) {
  call.decided_by_contents();
  if (call.tensor("dets").dtype != DType::kFloat32) call.refuse("ONNX selects among boxes of float32 only");
  const double threshold = call.number("iou_threshold");
  if (!(threshold >= 0 && threshold <= 1)) call.refuse("iou_threshold must be in [0, 1]");
  const std::string boxes = change_axes(call, "Unsqueeze", call.value("dets"), {0});
  const std::string scores = change_axes(call, "Unsqueeze", call.value("scores", DType::kFloat32), {0, 1});
  const std::string all = integer_of(call, kEnd), overlap = call.constant_of(Tensor::scalar(not_above(threshold)));
  const std::string selected = call.emit("NonMaxSuppression", {boxes, scores, all, overlap});
  call.set(column(call, selected, 2));
}

/// Returns the number of bins of a region, as [height, width].
Integers bins_of(Call& call) { return {call.positive("pooled_height"), call.positive("pooled_width")}; }

/// A region is (image, x1, y1, x2, y2).
/// Source: https://onnx.ai/onnx/operators/onnx__RoiAlign.html
void roi_align(Call& call) {
  const Integers bins = bins_of(call);
  Attributes attributes{{"output_height", bins[0]},
                        {"output_width", bins[1]},
                        {"sampling_ratio", std::max<int64_t>(call.integer("sampling_ratio"), 0)},
                        {"spatial_scale", call.number("spatial_scale")}};
  const bool aligned = call.flag("aligned");
  if (aligned) call.require_opset(16, "aligned regions");
  if (call.options().opset >= 16) {
    attributes["coordinate_transformation_mode"] = std::string(aligned ? "half_pixel" : "output_half_pixel");
  }
  const std::string regions = call.value("rois", call.dtype());
  const std::string images = call.cast(column(call, regions, 0), DType::kInt64);
  const std::string boxes = slice(call, regions, 1, 1, 5);
  call.set(call.emit("RoiAlign", {call.value("input"), boxes, images}, attributes));
}

/// ONNX does not return the positions of the largest pixels, so the second result has no value.
/// Source: https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
void roi_pool(Call& call) {
  const Attributes attributes{{"pooled_shape", bins_of(call)}, {"spatial_scale", call.number("spatial_scale")}};
  call.set(call.emit("MaxRoiPool", {call.value("input"), call.value("rois", call.dtype())}, attributes));
}

}  // namespace

void register_detection(Lowerings& lowerings) {
  lowerings.add("torchvision::nms", nms);
  lowerings.add("torchvision::roi_align", roi_align);
  lowerings.add("torchvision::roi_pool", roi_pool);
}

}  // namespace linnet::exporter
