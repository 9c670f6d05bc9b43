#include "building_blocks.h"
#include "rule_list.h"

// Creation of tensors.
namespace linnet::exporter {
namespace {

/// Fills a tensor with `value`, a scalar of the result's dtype. `size` names the list of sizes; if it is empty, the
/// sizes are those of self.
void fill(Call& call, const std::string& value, const std::string& size) {
  const std::string shape = size.empty() ? call.emit("Shape", {call.value()}) : call.shape(size);
  call.set(call.emit("Expand", {value, shape}));
}

Lowering filled(double number, const std::string& size = "") {
  return [=](Call& call) { fill(call, call.scalar(number, call.dtype()), size); };
}

Lowering filled_with_argument(const std::string& size = "") {
  return [=](Call& call) { fill(call, call.value("fill_value", call.dtype()), size); };
}

/// In place: sets every element of self to the value.
void fill_self(Call& call) {
  call.set(call.emit("Expand", {call.value("value", call.dtype()), call.emit("Shape", {call.value()})}));
}
void zero_self(Call& call) {
  call.set(call.emit("Expand", {call.scalar(0, call.dtype()), call.emit("Shape", {call.value()})}));
}

/// In place: sets self to src, broadcast and converted.
void copy(Call& call) {
  const std::string source = call.value("src", call.dtype());
  const bool same = call.tensor("src").sizes == call.tensor().sizes;
  call.set(same ? source : call.emit("Expand", {source, call.emit("Shape", {call.value()})}));
}

/// Floats are computed in double precision, as in PyTorch.
void arange(Call& call) {
  const DType wide = is_floating(call.dtype()) ? DType::kFloat64 : DType::kInt64;
  const auto bound = [&](const std::string& name, double absent) {
    return call.has(name) ? call.value(name, wide) : call.scalar(absent, wide);
  };
  call.set(call.cast(call.emit("Range", {bound("start", 0), call.value("end", wide), bound("step", 1)}), call.dtype()));
}

/// Computes from both ends to the middle, to round as PyTorch does.
void linspace(Call& call) {
  const DType dtype = call.dtype();
  const std::string steps = call.value("steps", DType::kInt64), one = call.scalar(1, DType::kInt64);
  const std::string last = call.emit("Sub", {steps, one});
  const std::string places = call.emit("Range", {call.scalar(0, DType::kInt64), steps, one});
  const std::string begin = call.value("start", dtype), end = call.value("end", dtype);
  const std::string parts = call.cast(call.emit("Max", {last, one}), dtype);
  const std::string step = call.emit("Div", {call.emit("Sub", {end, begin}), parts});
  const auto distance = [&](const std::string& count) { return call.emit("Mul", {step, call.cast(count, dtype)}); };
  const std::string from_begin = call.emit("Add", {begin, distance(places)});
  const std::string from_end = call.emit("Sub", {end, distance(call.emit("Sub", {last, places}))});
  const std::string middle = call.emit("Div", {steps, call.scalar(2, DType::kInt64)});
  const std::string is_first = call.emit("Or", {call.emit("Less", {places, middle}), call.emit("Equal", {steps, one})});
  call.set(call.emit("Where", {is_first, from_begin, from_end}));
}

/// Converts a number to a tensor without axes.
void tensor_of_number(Call& call) { call.set(call.value("t", call.dtype())); }

void tensor_of_list(Call& call) {
  Names parts = call.values("data", call.dtype());
  for (std::string& part : parts) part = change_axes(call, "Unsqueeze", part, {0});
  call.set(call.emit("Concat", parts, {{"axis", 0}}));
}

void shape_as_tensor(Call& call) { call.set(call.emit("Shape", {call.value()})); }

}  // namespace

void register_creation(Lowerings& lowerings) {
  lowerings.add({"aten::zeros_like", "aten::empty_like"}, filled(0));
  lowerings.add("aten::ones_like", filled(1));
  lowerings.add({"aten::zeros", "aten::new_zeros", "aten::empty.memory_format", "aten::new_empty",
                 "aten::empty_strided", "aten::new_empty_strided", "aten::empty_permuted"},
                filled(0, "size"));
  lowerings.add({"aten::ones", "aten::new_ones"}, filled(1, "size"));
  lowerings.add("aten::full_like", filled_with_argument());
  lowerings.add({"aten::full", "aten::new_full"}, filled_with_argument("size"));
  lowerings.add({"aten::fill.Scalar", "aten::fill.Tensor"}, fill_self);
  lowerings.add("aten::zero", zero_self);
  lowerings.add({"aten::copy", "aten::copy_"}, copy);
  lowerings.add("aten::scalar_tensor", [](Call& call) { call.set(call.value("s", call.dtype())); });
  lowerings.add("aten::linspace", linspace);
  lowerings.add({"aten::tensor.int", "aten::tensor.float", "aten::tensor.bool", "aten::as_tensor.int",
                 "aten::as_tensor.float", "aten::as_tensor.bool"},
                tensor_of_number);
  lowerings.add({"aten::tensor", "aten::as_tensor.list"}, tensor_of_list);
  lowerings.add("aten::_shape_as_tensor", shape_as_tensor);
  lowerings.add({"aten::arange", "aten::arange.start", "aten::arange.start_step"}, arange);
}

}  // namespace linnet::exporter
