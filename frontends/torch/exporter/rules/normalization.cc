#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Normalisation layers.
namespace linnet::exporter {
namespace {

/// Returns a parameter by name, or `size` equal numbers if the layer lacks it.
std::string parameter(Call& call, const std::string& name, int64_t size, double absent) {
  return call.has(name) ? call.value(name, call.dtype()) : call.filled({size}, absent, call.dtype());
}

bool has_statistics(Call& call) { return call.has("running_mean") && call.has("running_var"); }

/// Normalises with the statistics of a layer, which do not change.
void with_running_statistics(Call& call) {
  const int64_t channels = call.tensor("input").size(1);
  call.set(call.emit("BatchNormalization",
                     {call.value("input"), parameter(call, "weight", channels, 1), parameter(call, "bias", channels, 0),
                      call.value("running_mean"), call.value("running_var")},
                     {{"epsilon", call.number("eps")}}));
}

/// Normalises with the mean and the biased variance of each channel in the batch itself.
void with_own_statistics(Call& call) {
  const DType dtype = call.dtype(), wide = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  const std::string x = call.value("input", wide);
  Integers axes = order_of(call.tensor("input").dim()), per_channel(axes.size(), 1);
  per_channel[1] = -1;
  axes.erase(axes.begin() + 1);
  const std::string centered = call.emit("Sub", {x, reduce(call, "ReduceMean", x, axes, true)});
  const std::string variance = reduce(call, "ReduceMean", call.emit("Mul", {centered, centered}), axes, true);
  const std::string deviation =
      call.emit("Sqrt", {call.emit("Add", {variance, call.scalar(call.number("eps"), wide)})});
  std::string y = call.emit("Div", {centered, deviation});
  const auto of_channels = [&](const std::string& name) {
    return call.emit("Reshape", {call.value(name, wide), call.constant_of(per_channel)});
  };
  if (call.has("weight")) y = call.emit("Mul", {y, of_channels("weight")});
  if (call.has("bias")) y = call.emit("Add", {y, of_channels("bias")});
  call.set(call.cast(y, dtype));
}

void batch_norm(Call& call) {
  const bool training = call.has("training") && call.flag("training");
  if (training && has_statistics(call)) {
    call.refuse("in training mode it changes its running statistics; export a module in evaluation mode");
  }
  if (training) return with_own_statistics(call);
  if (!has_statistics(call)) call.refuse("it has no running statistics in evaluation mode");
  with_running_statistics(call);
}

/// Refuses the form that always changes its running statistics, whatever mode the module is in.
void batch_norm_with_update(Call& call) {
  call.refuse("it changes its running statistics; export a module in evaluation mode");
}

/// Computes a weight from a direction and a length: v / |v| * g. The length is over all axes but one, or over all axes
/// if dim is -1.
void weight_norm(Call& call) {
  const DType dtype = call.dtype();
  Integers axes = order_of(call.tensor("v").dim());
  if (axes.empty()) call.refuse("a weight has axes");
  if (call.integer("dim") != -1) axes.erase(axes.begin() + call.axis("dim", "v"));
  const std::string v = call.value("v", dtype), length = p_norm(call, v, 2, axes, true);
  const std::string factor = call.emit("Div", {call.value("g", dtype), length});
  call.set(call.emit("Mul", {v, factor}));
  if (call.result_count() < 2) return;
  const bool in_shape = call.result(1).dim() == call.tensor("v").dim();
  call.set_result(1, in_shape ? length : flattened(call, length));
}

void instance_norm(Call& call) {
  const int64_t channels = call.tensor("input").size(1);
  const std::string scale = parameter(call, "weight", channels, 1), bias = parameter(call, "bias", channels, 0);
  if (call.flag("use_input_stats")) {
    return call.set(
        call.emit("InstanceNormalization", {call.value("input"), scale, bias}, {{"epsilon", call.number("eps")}}));
  }
  call.set(call.emit("BatchNormalization",
                     {call.value("input"), scale, bias, call.value("running_mean"), call.value("running_var")},
                     {{"epsilon", call.number("eps")}}));
}

void layer_norm(Call& call) {
  const Integers shape = call.integers("normalized_shape");
  const std::string scale =
      call.has("weight") ? call.value("weight", call.dtype()) : call.filled(Shape(shape), 1, call.dtype());
  const std::string bias = call.has("bias") ? call.value("bias", call.dtype()) : "";
  call.set(layer_normalized(call, call.value("input"), int64_t(shape.size()), scale, bias));
}

/// Emits x / sqrt(mean of x^2 + eps) * weight over the last axes. float16 and bfloat16 compute in float32.
void rms_norm(Call& call) {
  const DType dtype = call.dtype(), wide = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  const double least =
      dtype == DType::kFloat64 ? std::numeric_limits<double>::epsilon() : double(std::numeric_limits<float>::epsilon());
  const std::string x = call.value("input", wide);
  Integers axes;
  for (int64_t i = -int64_t(call.integers("normalized_shape").size()); i < 0; ++i) axes.push_back(i);
  const std::string square = reduce(call, "ReduceMean", call.emit("Mul", {x, x}), axes, true);
  const double eps = call.has("eps") ? call.number("eps") : least;
  const std::string size = call.emit("Sqrt", {call.emit("Add", {square, call.scalar(eps, wide)})});
  const std::string y = call.emit("Div", {x, size});
  call.set(call.cast(call.has("weight") ? call.emit("Mul", {y, call.value("weight", wide)}) : y, dtype));
}

/// Emits the instance normalisation of [n, groups, rest], followed by weight and bias per channel.
void group_norm(Call& call) {
  const TensorInfo& input = call.tensor("input");
  const int64_t groups = call.integer(call.has("group") ? "group" : "num_groups");
  const std::string grouped = call.emit("Reshape", {call.value("input"), call.constant_of({0, groups, -1})});
  const std::string one = call.filled({groups}, 1, call.dtype());
  const std::string zero = call.filled({groups}, 0, call.dtype());
  const std::string y = call.emit("InstanceNormalization", {grouped, one, zero}, {{"epsilon", call.number("eps")}});
  std::string result = call.emit(
      "Reshape", {y, call.result_is_dynamic() ? call.emit("Shape", {call.value("input")}) : call.result_shape()});
  Integers per_channel(size_t(input.dim() - 1), 1);
  per_channel[0] = -1;
  const auto of_channels = [&](const std::string& name) {
    return call.emit("Reshape", {call.value(name, call.dtype()), call.constant_of(per_channel)});
  };
  if (call.has("weight")) result = call.emit("Mul", {result, of_channels("weight")});
  if (call.has("bias")) result = call.emit("Add", {result, of_channels("bias")});
  call.set(result);
}

}  // namespace

void register_normalization(Lowerings& lowerings) {
  lowerings.add({"aten::batch_norm", "aten::native_batch_norm", "aten::_native_batch_norm_legit.no_stats",
                 "aten::_native_batch_norm_legit_functional", "aten::_native_batch_norm_legit_no_training",
                 "aten::_batch_norm_no_update"},
                batch_norm);
  lowerings.add("aten::_batch_norm_with_update_functional", batch_norm_with_update);
  lowerings.add({"aten::_weight_norm", "aten::_weight_norm_interface"}, weight_norm);
  lowerings.add("aten::instance_norm", instance_norm);
  lowerings.add({"aten::layer_norm", "aten::native_layer_norm"}, layer_norm);
  lowerings.add({"aten::rms_norm", "aten::_fused_rms_norm"}, rms_norm);
  lowerings.add({"aten::group_norm", "aten::native_group_norm"}, group_norm);
}

}  // namespace linnet::exporter
