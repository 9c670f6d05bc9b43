#include <ATen/ATen.h>

#include "building_blocks.h"
#include "rule_list.h"

// Up- and downsampling of 1, 2 or 3 spatial axes.
// Source: https://onnx.ai/onnx/operators/onnx__Resize.html
namespace linnet::exporter {
namespace {

/// The overloads name the input and the factors differently.
std::string input_of(Call& call) { return call.has("self") ? "self" : "input"; }

std::vector<double> factors_of(Call& call) {
  if (call.has("scale_factors")) return call.numbers("scale_factors");
  std::vector<double> factors;
  for (const char* name : {"scales_d", "scales_h", "scales_w", "scales"}) {
    if (call.has(name)) factors.push_back(call.number(name));
  }
  return factors;
}

/// Sizes of all axes, where the output's are given: batch and channels stay.
std::string sizes_of(Call& call) {
  if (!call.has("output_size") || !call.result_is_dynamic()) return call.constant_of(call.result().sizes().vec());
  const std::string x = input_of(call);
  return call.emit("Concat", {call.size(x, 0), call.size(x, 1), call.shape("output_size")}, {{"axis", 0}});
}

void resize(Call& call, Attributes attributes) {
  const std::string x = call.value(input_of(call));
  std::vector<double> factors = factors_of(call);
  if (int64_t(factors.size()) != call.result().dim() - 2)
    return call.set(call.emit("Resize", {x, "", "", sizes_of(call)}, attributes));
  factors.insert(factors.begin(), 2, 1.0);
  const at::Tensor scales = at::tensor(factors, at::kFloat);
  call.set(call.emit("Resize", {x, "", call.constant_of(scales)}, attributes));
}

void nearest(Call& call) {
  resize(call, {{"mode", "nearest"}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}});
}

void nearest_exact(Call& call) {
  resize(
      call,
      {{"mode", "nearest"}, {"coordinate_transformation_mode", "half_pixel"}, {"nearest_mode", "round_prefer_ceil"}});
}

std::string corners(Call& call) { return call.flag("align_corners") ? "align_corners" : "half_pixel"; }

void linear(Call& call) { resize(call, {{"mode", "linear"}, {"coordinate_transformation_mode", corners(call)}}); }

void cubic(Call& call) {
  resize(call, {{"mode", "cubic"}, {"coordinate_transformation_mode", corners(call)}, {"cubic_coeff_a", -0.75}});
}

void smoothed(Call& call, const std::string& mode, double a) {
  call.require_opset(18, "antialiasing");
  Attributes attributes{{"mode", mode}, {"coordinate_transformation_mode", corners(call)}, {"antialias", 1}};
  if (mode == "cubic") attributes["cubic_coeff_a"] = a;
  resize(call, attributes);
}

void smooth_linear(Call& call) { smoothed(call, "linear", 0); }
void smooth_cubic(Call& call) { smoothed(call, "cubic", -0.5); }

}  // namespace

void register_resizing(Lowerings& lowerings) {
  const auto both = [&](const std::string& name, const Lowering& rule) {
    lowerings.add(name, rule);
    lowerings.add(name + ".vec", rule);
  };
  for (const char* axes : {"1d", "2d", "3d"}) {
    both(std::string("aten::upsample_nearest") + axes, nearest);
    both(std::string("aten::_upsample_nearest_exact") + axes, nearest_exact);
  }
  both("aten::upsample_linear1d", linear);
  both("aten::upsample_bilinear2d", linear);
  both("aten::upsample_trilinear3d", linear);
  both("aten::upsample_bicubic2d", cubic);
  both("aten::_upsample_bilinear2d_aa", smooth_linear);
  both("aten::_upsample_bicubic2d_aa", smooth_cubic);
}

}  // namespace linnet::exporter
