#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Reads and writes of single elements along an axis.
// Source: https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
namespace linnet::exporter {
namespace {

/// Returns an argument with at least one axis.
std::string with_axis(Call& call, const std::string& name, const std::string& value) {
  return call.tensor(name).dim() == 0 ? flattened(call, value) : value;
}

void set_like_self(Call& call, const std::string& y) {
  call.set(call.tensor().dim() == 0 ? call.emit("Reshape", {y, call.constant_of(Integers{})}) : y);
}

void gather(Call& call) {
  const std::string x = with_axis(call, "self", call.value());
  const std::string index = with_axis(call, "index", call.value("index", DType::kInt64));
  const std::string y = call.emit("GatherElements", {x, index}, {{"axis", call.axis()}});
  const bool scalar = call.result().dim() == 0;
  call.set(scalar ? call.emit("Reshape", {y, call.constant_of(Integers{})}) : y);
}

std::string index_of(Call& call) { return with_axis(call, "index", call.value("index", DType::kInt64)); }

/// Returns the part of the source, which may be larger, that corresponds to the index.
std::string source_of(Call& call, const std::string& index) {
  const std::string source = with_axis(call, "src", call.value("src", call.dtype()));
  const TensorInfo& wanted = call.tensor("index");
  if (call.tensor("src").sizes == wanted.sizes) return source;
  const Integers begin(size_t(wanted.dim()), 0);
  return call.emit("Slice", {source, call.constant_of(begin), call.emit("Shape", {index})});
}

std::string value_of(Call& call, const std::string& index) {
  return call.emit("Expand", {call.value("value", call.dtype()), call.emit("Shape", {index})});
}

std::string write(Call& call, const std::string& x, const std::string& index, const std::string& source,
                  const std::string& reduction = "") {
  Attributes attributes{{"axis", call.axis()}};
  if (!reduction.empty()) {
    call.require_opset(reduction == "max" || reduction == "min" ? 18 : 16, "reduction '" + reduction + "'");
    attributes["reduction"] = reduction;
  }
  return call.emit("ScatterElements", {x, index, source}, attributes);
}

/// Returns the value to write: src or a number.
using Source = std::string (*)(Call&, const std::string&);

Lowering scatter(Source source) {
  return [source](Call& call) {
    const std::string x = with_axis(call, "self", call.value()), index = index_of(call);
    set_like_self(call, write(call, x, index, source(call, index)));
  };
}

/// Writes with the reduction "add" or "multiply".
Lowering scatter_with(Source source) {
  return [source](Call& call) {
    const std::string x = with_axis(call, "self", call.value()), index = index_of(call);
    const std::string reduction = call.text("reduce") == "add" ? "add" : "mul";
    set_like_self(call, write(call, x, index, source(call, index), reduction));
  };
}

void scatter_add(Call& call) {
  const std::string x = with_axis(call, "self", call.value()), index = index_of(call);
  set_like_self(call, write(call, x, index, source_of(call, index), "add"));
}

/// Returns the neutral element of a reduction.
std::string neutral(Call& call, const std::string& reduction) {
  const DType dtype = call.dtype();
  if (reduction == "add") return call.scalar(0, dtype);
  if (reduction == "mul") return call.scalar(1, dtype);
  const double infinity = std::numeric_limits<double>::infinity();
  const bool least = reduction == "max";
  if (is_floating(dtype)) return call.scalar(least ? -infinity : infinity, dtype);
  if (dtype != DType::kInt64 && dtype != DType::kInt32) call.refuse("only int32 and int64 of the integers are covered");
  const int64_t low =
      dtype == DType::kInt64 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min();
  const int64_t bound = least ? low : -(low + 1);
  return call.constant_of(dtype == DType::kInt64 ? Tensor::scalar(bound) : Tensor::scalar(int32_t(bound)));
}

/// Returns the mean, which is the sum divided by the number of summands.
std::string divided(Call& call, const std::string& sum, const std::string& x, const std::string& index, bool include) {
  const DType dtype = call.dtype();
  if (!is_floating(dtype)) call.refuse("the mean of integers is not covered");
  const auto filled = [&](double number, const std::string& like) {
    return call.emit("Expand", {call.scalar(number, dtype), call.emit("Shape", {like})});
  };
  const std::string count = write(call, filled(include ? 1 : 0, x), index, filled(1, index), "add");
  return call.emit("Div", {sum, call.emit("Max", {count, call.scalar(1, dtype)})});
}

/// If self does not count, the written elements start from the neutral element.
void scatter_reduce(Call& call) {
  const std::string kind = call.text("reduce");
  const bool include = call.flag("include_self");
  const std::string reduction = kind == "amax" ? "max" : kind == "amin" ? "min" : kind == "prod" ? "mul" : "add";
  std::string x = with_axis(call, "self", call.value());
  const std::string index = index_of(call);
  if (!include) {
    const std::string start = call.emit("Expand", {neutral(call, reduction), call.emit("Shape", {index})});
    x = write(call, x, index, start);
  }
  const std::string y = write(call, x, index, source_of(call, index), reduction);
  set_like_self(call, kind == "mean" ? divided(call, y, x, index, include) : y);
}

/// Reads positions in the flattened tensor.
void take(Call& call) {
  call.set(call.emit("Gather", {flattened(call, call.value()), call.value("index")}, {{"axis", 0}}));
}

/// Broadcasts x and the indices, except along the axis.
void take_along_dim(Call& call) {
  std::string x = call.value(), index = call.value("indices", DType::kInt64);
  if (!call.has("dim")) {
    const std::string y = call.emit("GatherElements", {flattened(call, x), flattened(call, index)}, {{"axis", 0}});
    return call.set(y);
  }
  const int64_t rank = call.tensor().dim(), axis = call.axis();
  const auto others_of = [&](const std::string& value) {
    const std::string shape = call.emit("Shape", {value}), one = call.constant_of({1});
    return call.emit("ScatterElements", {shape, call.constant_of({axis}), one}, {{"axis", 0}});
  };
  if (rank != call.tensor("indices").dim()) call.refuse("the indices have another number of axes");
  const std::string wide = call.emit("Expand", {x, others_of(index)});
  index = call.emit("Expand", {index, others_of(x)});
  call.set(call.emit("GatherElements", {wide, index}, {{"axis", axis}}));
}

/// Emits 1 at the position and 0 elsewhere, along a new last axis.
void one_hot(Call& call) {
  if (call.integer("num_classes") < 0) call.refuse("the number of classes must be given");
  const std::string values = call.constant_of({0, 1});
  call.set(call.emit("OneHot", {call.value(), call.shape("num_classes"), values}, {{"axis", -1}}));
}

}  // namespace

void register_gather_scatter(Lowerings& lowerings) {
  lowerings.add("aten::gather", gather);
  lowerings.add("aten::scatter.src", scatter(source_of));
  lowerings.add("aten::scatter.value", scatter(value_of));
  lowerings.add("aten::scatter.reduce", scatter_with(source_of));
  lowerings.add("aten::scatter.value_reduce", scatter_with(value_of));
  lowerings.add("aten::scatter_add", scatter_add);
  lowerings.add("aten::scatter_reduce.two", scatter_reduce);
  lowerings.add("aten::take", take);
  lowerings.add("aten::take_along_dim", take_along_dim);
  lowerings.add("aten::one_hot", one_hot);
}

}  // namespace linnet::exporter
