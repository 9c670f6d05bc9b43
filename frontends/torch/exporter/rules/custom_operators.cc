#include "building_blocks.h"
#include "rule_list.h"

// Custom operators of Linnet and of torchvision.
namespace linnet::exporter {
namespace {

/// torchvision always passes mask and bias; use_mask determines whether the mask counts.
/// Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html
void deform_conv2d(Call& call) {
  Names inputs{call.value("input"), call.value("weight"), call.value("offset"), call.value("bias")};
  if (call.flag("use_mask")) inputs.push_back(call.value("mask"));
  const auto pair = [&](const std::string& name) {
    return Integers{call.integer(name + "_h"), call.integer(name + "_w")};
  };
  Integers pads = pair("pad");
  pads.insert(pads.end(), {pads[0], pads[1]});
  const Attributes attributes{{"strides", pair("stride")},
                              {"pads", pads},
                              {"dilations", pair("dilation")},
                              {"group", call.integer("groups")},
                              {"offset_group", call.integer("offset_groups")}};
  const bool standard = call.options().deform_conv == "standard";
  call.set(
      call.emit(standard ? OnnxOperator("DeformConv") : OnnxOperator("custom", "deform_conv2d"), inputs, attributes));
}

/// Emits 2a + b.
void my_add(Call& call) {
  const DType dtype = call.dtype();
  const std::string a = call.value("a", dtype), b = call.value("b", dtype);
  if (call.options().my_add != "decompose") return call.set(call.emit({"custom", "my_add"}, {a, b}));
  call.set(call.emit("Add", {call.emit("Mul", {call.scalar(2, dtype), a}), b}));
}

}  // namespace

void register_custom_operators(Lowerings& lowerings) {
  lowerings.add({"torchvision::deform_conv2d", "linnet::deform_conv2d"}, deform_conv2d);
  lowerings.add("linnet::my_add", my_add);
}

}  // namespace linnet::exporter
