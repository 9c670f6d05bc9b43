#include <ATen/ATen.h>

#include "rule_list.h"
#include "shared.h"

// Convolutions and matrix products.
namespace linnet::exporter {
namespace {

/// One number stands for all spatial axes.
std::vector<int64_t> spread(std::vector<int64_t> values, int64_t axes) {
  if (values.size() == 1) values.resize(size_t(axes), values[0]);
  return values;
}

/// ONNX gives the padding at the begin of all axes, then that at the end.
std::vector<int64_t> both_ends(std::vector<int64_t> begin) {
  const std::vector<int64_t> end = begin;
  begin.insert(begin.end(), end.begin(), end.end());
  return begin;
}

/// The input with a batch axis; inputs without one are allowed.
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

void emit_conv(Call& call, const std::vector<int64_t>& pads) {
  const int64_t spatial = call.tensor("weight").dim() - 2;
  const Attributes attributes{{"strides", spread(call.integers("stride"), spatial)},
                              {"pads", pads},
                              {"dilations", spread(call.integers("dilation"), spatial)},
                              {"group", call.integer("groups")},
                              {"kernel_shape", call.tensor("weight").sizes().slice(2).vec()}};
  set_unbatched(call, "input", spatial, call.emit("Conv", weights(call, batched(call, "input", spatial)), attributes));
}

void conv(Call& call) { emit_conv(call, both_ends(spread(call.integers("padding"), call.tensor("weight").dim() - 2))); }

/// Padding "same" puts the odd row at the end, "valid" has none.
void conv_by_name(Call& call) {
  const at::IntArrayRef kernel = call.tensor("weight").sizes().slice(2);
  const std::vector<int64_t> dilations = spread(call.integers("dilation"), int64_t(kernel.size()));
  std::vector<int64_t> pads(2 * kernel.size(), 0);
  for (size_t i = 0; call.text("padding") == "same" && i < kernel.size(); ++i) {
    const int64_t total = dilations[i] * (kernel[i] - 1);
    pads[i] = total / 2;
    pads[i + kernel.size()] = total - total / 2;
  }
  emit_conv(call, pads);
}

void emit_transposed(Call& call) {
  const int64_t spatial = call.tensor("weight").dim() - 2;
  const Attributes attributes{{"strides", spread(call.integers("stride"), spatial)},
                              {"pads", both_ends(spread(call.integers("padding"), spatial))},
                              {"output_padding", spread(call.integers("output_padding"), spatial)},
                              {"dilations", spread(call.integers("dilation"), spatial)},
                              {"group", call.integer("groups")},
                              {"kernel_shape", call.tensor("weight").sizes().slice(2).vec()}};
  const std::string y = call.emit("ConvTranspose", weights(call, batched(call, "input", spatial)), attributes);
  set_unbatched(call, "input", spatial, y);
}

/// The operator behind all convolutions of traced modules.
void convolution(Call& call) { call.flag("transposed") ? emit_transposed(call) : conv(call); }

/// y = x w^T + b.
void linear(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const bool matrix = call.tensor("input").dim() == 2 && call.tensor("weight").dim() == 2;
  const std::string x = call.value("input", dtype), w = call.value("weight", dtype);
  if (matrix) {
    const std::string b = call.has("bias") ? call.value("bias", dtype) : "";
    return call.set(call.emit("Gemm", {x, w, b}, {{"transB", 1}}));
  }
  const bool vector = call.tensor("weight").dim() == 1;
  const std::string product =
      call.emit("MatMul", {x, vector ? w : call.emit("Transpose", {w}, {{"perm", std::vector<int64_t>{1, 0}}})});
  call.set(call.has("bias") ? call.emit("Add", {product, call.value("bias", dtype)}) : product);
}

/// A product of two arguments.
Lowering product(const std::string& first, const std::string& second) {
  return [=](Call& call) {
    call.set(call.emit("MatMul", {call.value(first, call.dtype()), call.value(second, call.dtype())}));
  };
}

/// beta * self + alpha * (first @ second).
Lowering add_product(const std::string& first, const std::string& second) {
  return [=](Call& call) {
    const at::ScalarType dtype = call.dtype();
    const auto scaled = [&](const std::string& x, const std::string& factor) {
      return call.number(factor) == 1 ? x : call.emit("Mul", {x, call.value(factor, dtype)});
    };
    const std::string y = call.emit("MatMul", {call.value(first, dtype), call.value(second, dtype)});
    call.set(call.emit("Add", {scaled(call.value("self", dtype), "beta"), scaled(y, "alpha")}));
  };
}

/// beta * self + alpha * (mat1 @ mat2), self of at most two axes: Gemm itself.
void addmm(Call& call) {
  const at::ScalarType dtype = call.dtype();
  if (!at::isFloatingType(dtype)) return add_product("mat1", "mat2")(call);
  const Attributes factors{{"alpha", call.number("alpha")}, {"beta", call.number("beta")}};
  call.set(
      call.emit("Gemm", {call.value("mat1", dtype), call.value("mat2", dtype), call.value("self", dtype)}, factors));
}

/// Sums over the batch as well.
void dot(Call& call) { product("self", "tensor")(call); }

}  // namespace

void register_convolution(Lowerings& lowerings) {
  lowerings.add({"aten::conv1d", "aten::conv2d", "aten::conv3d"}, conv);
  lowerings.add({"aten::conv1d.padding", "aten::conv2d.padding", "aten::conv3d.padding", "aten::_convolution_mode"},
                conv_by_name);
  lowerings.add({"aten::_convolution", "aten::_convolution.deprecated", "aten::convolution"}, convolution);
  lowerings.add({"aten::conv_transpose1d", "aten::conv_transpose2d.input", "aten::conv_transpose3d.input"},
                emit_transposed);
  lowerings.add("aten::linear", linear);
  lowerings.add("aten::matmul", product("self", "other"));
  lowerings.add({"aten::mm", "aten::bmm"}, product("self", "mat2"));
  lowerings.add("aten::mv", product("self", "vec"));
  lowerings.add("aten::dot", dot);
  lowerings.add("aten::addmm", addmm);
  lowerings.add("aten::addmv", add_product("mat", "vec"));
  lowerings.add("aten::baddbmm", add_product("batch1", "batch2"));
}

}  // namespace linnet::exporter
