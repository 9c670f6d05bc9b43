#include "building_blocks.h"
#include "rule_list.h"

// Convolutions.
namespace linnet::exporter {
namespace {

/// Returns the input with a batch axis, which it may lack.
std::string batched(Call& call, const std::string& name, int64_t spatial) {
  const std::string x = call.value(name, call.dtype());
  return call.tensor(name).dim() == spatial + 1 ? change_axes(call, "Unsqueeze", x, {0}) : x;
}

void set_unbatched(Call& call, const std::string& name, int64_t spatial, const std::string& y) {
  call.set(call.tensor(name).dim() == spatial + 1 ? change_axes(call, "Squeeze", y, {0}) : y);
}

Names weights(Call& call, const std::string& x) {
  const std::string bias = call.has("bias") ? call.value("bias", call.dtype()) : "";
  return {x, call.value("weight", call.dtype()), bias};
}

Integers kernel_of(Call& call) {
  const Integers& sizes = call.tensor("weight").sizes;
  return part_of(sizes, 2, std::ssize(sizes));
}

void emit_conv(Call& call, const Integers& pads) {
  const int64_t spatial = call.tensor("weight").dim() - 2;
  const Attributes attributes{{"strides", per_axis(call, "stride", spatial)},
                              {"pads", pads},
                              {"dilations", per_axis(call, "dilation", spatial)},
                              {"group", call.integer("groups")},
                              {"kernel_shape", kernel_of(call)}};
  set_unbatched(call, "input", spatial, call.emit("Conv", weights(call, batched(call, "input", spatial)), attributes));
}

void conv(Call& call) { emit_conv(call, both_ends(per_axis(call, "padding", call.tensor("weight").dim() - 2))); }

/// Padding "same" puts the odd row at the end; "valid" means no padding.
void conv_by_name(Call& call) {
  const Integers kernel = kernel_of(call);
  const Integers dilations = per_axis(call, "dilation", int64_t(kernel.size()));
  Integers pads(2 * kernel.size(), 0);
  for (size_t i = 0; call.text("padding") == "same" && i < kernel.size(); ++i) {
    const int64_t total = checked_mul(dilations[i], kernel[i] - 1);
    pads[i] = total / 2;
    pads[i + kernel.size()] = total - total / 2;
  }
  emit_conv(call, pads);
}

void emit_transposed(Call& call) {
  const int64_t spatial = call.tensor("weight").dim() - 2;
  const Attributes attributes{{"strides", per_axis(call, "stride", spatial)},
                              {"pads", both_ends(per_axis(call, "padding", spatial))},
                              {"output_padding", per_axis(call, "output_padding", spatial)},
                              {"dilations", per_axis(call, "dilation", spatial)},
                              {"group", call.integer("groups")},
                              {"kernel_shape", kernel_of(call)}};
  const std::string y = call.emit("ConvTranspose", weights(call, batched(call, "input", spatial)), attributes);
  set_unbatched(call, "input", spatial, y);
}

/// Emits the general operator that traced modules use for all convolutions.
void convolution(Call& call) { call.flag("transposed") ? emit_transposed(call) : conv(call); }

}  // namespace

void register_convolution(Lowerings& lowerings) {
  lowerings.add({"aten::conv1d", "aten::conv2d", "aten::conv3d"}, conv);
  lowerings.add({"aten::conv1d.padding", "aten::conv2d.padding", "aten::conv3d.padding", "aten::_convolution_mode"},
                conv_by_name);
  lowerings.add({"aten::_convolution", "aten::_convolution.deprecated", "aten::convolution"}, convolution);
  lowerings.add({"aten::conv_transpose1d", "aten::conv_transpose2d.input", "aten::conv_transpose3d.input"},
                emit_transposed);
}

}  // namespace linnet::exporter
