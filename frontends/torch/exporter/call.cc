#include <algorithm>
#include <utility>

#include "constants.h"
#include "export_error.h"
#include "linnet/lowering.h"
#include "onnx_graph.h"
#include "pairs.h"
#include "promotion.h"
#include "site.h"
#include "value.h"

namespace linnet::exporter {
namespace {

/// Returns an axis counted from the front. Refuses one that is out of range for `dims` axes.
int64_t axis_of(const Site& site, int64_t axis, int64_t dims) {
  if (axis < -dims || axis >= dims) site.refuse(text_of("axis ", axis, " is out of range for ", dims, " axes"));
  return axis < 0 ? axis + dims : axis;
}

Attribute attribute_of(const GivenAttribute& given) {
  return std::visit(
      []<class T>(const T& value) -> Attribute {
        if constexpr (std::is_same_v<T, std::string_view>) {
          return std::string(value);
        } else if constexpr (std::is_pointer_v<T>) {
          return *value;
        } else {
          return value;
        }
      },
      given.value);
}

}  // namespace

void Lowerings::add(std::string_view operator_name, Lowering rule) {
  rules_[std::string(operator_name)] = std::move(rule);
}

void Lowerings::add(std::initializer_list<const char*> operator_names, const Lowering& rule) {
  for (const char* name : operator_names) add(name, rule);
}

const ExportOptions& Call::options() const { return builder_.options(); }

const Value& Call::argument(NameView name) const {
  const auto found = std::ranges::find(site_.arguments, name.text());
  if (found == site_.arguments.end()) site_.refuse(text_of("it has no argument '", name.text(), "'"));
  return arguments_[size_t(found - site_.arguments.begin())];
}

const std::vector<std::string>& Call::argument_names() const { return site_.arguments; }

size_t Call::result_count() const { return results_.size(); }

bool Call::has(NameView name) const {
  return std::ranges::find(site_.arguments, name.text()) != site_.arguments.end() && !argument(name).is_none();
}

bool Call::constant(NameView name) const { return argument(name).constant(); }

bool Call::is_tensor(NameView name) const { return argument(name).is_tensor(); }

size_t Call::length(NameView name) const { return argument(name).elements.size(); }

const Value& Call::result_at(size_t index) const {
  if (index >= results_.size()) site_.refuse("it has fewer results than its operator gives");
  return results_[index];
}

const Concrete& Call::known(const Value& leaf, NameView name) const {
  if (!leaf.constant())
    site_.refuse(text_of("argument \'", name.text(), "' must be constant, but depends on the model's inputs"));
  if (leaf.is_list) site_.refuse(text_of("argument \'", name.text(), "' is a list"));
  return leaf.concrete[evaluation_];
}

int64_t Call::integer(NameView name) const { return known(argument(name), name).integer(); }

int64_t Call::positive(NameView name) const {
  const int64_t value = integer(name);
  if (value <= 0) site_.refuse(text_of("argument '", name.text(), "' is ", value, " and must be above 0"));
  return value;
}

double Call::number(NameView name) const { return known(argument(name), name).number(); }

bool Call::flag(NameView name) const { return known(argument(name), name).flag(); }

std::string Call::text(NameView name) const { return known(argument(name), name).text(); }

Integers Call::integers(NameView name) const {
  const Value& value = argument(name);
  if (!value.is_list) return {integer(name)};
  Integers result;
  for (const Value& element : value.elements) result.push_back(known(element, name).integer());
  return result;
}

Numbers Call::numbers(NameView name) const {
  const Value& value = argument(name);
  if (!value.is_list) return {number(name)};
  Numbers result;
  for (const Value& element : value.elements) result.push_back(known(element, name).number());
  return result;
}

int64_t Call::rank(NameView of) const {
  const Value& value = argument(of);
  return (value.is_list ? value.elements[0] : value).tensor(evaluation_).dim();
}

int64_t Call::axis(NameView name, NameView of) const {
  return axis_of(site_, integer(name), std::max<int64_t>(rank(of), 1));
}

Integers Call::axes(NameView name, NameView of) const {
  Integers result = has(name) ? integers(name) : Integers();
  const int64_t dims = rank(of);
  if (dims == 0) return {};
  for (int64_t& axis : result) axis = axis_of(site_, axis, dims);
  if (result.empty()) {
    for (int64_t i = 0; i < dims; ++i) result.push_back(i);
  }
  return result;
}

const TensorInfo& Call::tensor(NameView name) const {
  const Value& value = argument(name);
  if (!value.is_tensor()) site_.refuse(text_of("argument \'", name.text(), "' is not a tensor"));
  return value.tensor(evaluation_);
}

List<TensorInfo> Call::tensors(NameView name) const {
  List<TensorInfo> result;
  for (const Value& element : argument(name).elements) {
    result.push_back(element.is_none() ? TensorInfo() : element.tensor(evaluation_));
  }
  return result;
}

const TensorInfo& Call::result(size_t index) const { return result_at(index).tensor(evaluation_); }

DType Call::dtype(size_t index) const { return result_at(index).concrete[evaluation_].dtype(); }

size_t Call::result_length() const { return result_at(0).elements.size(); }

DType Call::promoted(std::initializer_list<NameView> names) const {
  Promotion promotion;
  for (const NameView name : names) {
    const Concrete& value = argument(name).concrete[evaluation_];
    const bool is_number = !value.is_tensor() || value.tensor().is_number;
    promotion.add(value.dtype(), is_number                   ? Promotion::Kind::kNumber
                                 : value.tensor().dim() == 0 ? Promotion::Kind::kRankZero
                                                             : Promotion::Kind::kTensor);
  }
  return promotion.result();
}

std::string Call::as_value(const Value& value) const {
  if (value.is_list) site_.refuse("a list is used as a tensor");
  if (value.is_unset()) site_.refuse("an input is a result for which there is no ONNX value");
  if (!value.name.empty()) return value.name;
  const Concrete& concrete = value.concrete[evaluation_];
  return concrete.is_tensor() ? builder_.tensor(concrete.as_tensor()) : builder_.constant(concrete.as_tensor());
}

std::string Call::value(NameView name) const { return as_value(argument(name)); }

// Converts a constant immediately, without a Cast node.
std::string Call::value(NameView name, DType dtype) const {
  const Value& value = argument(name);
  if (!value.name.empty() || value.is_list) return builder_.cast(as_value(value), dtype);
  const Concrete& concrete = value.concrete[evaluation_];
  if (stored_dtype(concrete.dtype()) == dtype) return as_value(value);
  return builder_.constant(converted(stored_tensor(concrete.as_tensor()), dtype));
}

std::string Call::optional_value(NameView name) const { return has(name) ? value(name) : ""; }

Names Call::values(NameView name) const {
  Names result;
  for (const Value& element : argument(name).elements) {
    result.push_back(element.is_none() ? "" : as_value(element));
  }
  return result;
}

Names Call::values(NameView name, DType dtype) const {
  Names result = values(name);
  for (std::string& value : result) value = value.empty() ? value : builder_.cast(value, dtype);
  return result;
}

std::string Call::shape(NameView name) const {
  if (constant(name)) return builder_.constant(Tensor::of(integers(name)));
  if (!argument(name).is_list)
    return builder_.emit("Reshape", {value(name, DType::kInt64), builder_.constant(Tensor::of<int64_t>({1}))}, {},
                         1)[0];
  Names parts;
  for (const Value& element : argument(name).elements) {
    const std::string part = builder_.cast(as_value(element), DType::kInt64);
    parts.push_back(builder_.emit("Reshape", {part, builder_.constant(Tensor::of<int64_t>({1}))}, {}, 1)[0]);
  }
  return builder_.emit("Concat", parts, {{"axis", 0}}, 1)[0];
}

std::string Call::size(NameView name, int64_t axis) const {
  if (!dynamic(name, axis)) return builder_.constant(Tensor::of<int64_t>({tensor(name).size(axis)}));
  const std::string shape = builder_.emit("Shape", {value(name)}, {}, 1)[0];
  return builder_.emit("Gather", {shape, builder_.constant(Tensor::of<int64_t>({axis}))}, {{"axis", 0}}, 1)[0];
}

bool Call::dynamic(NameView name, int64_t axis) const { return size_differs(argument(name), axis); }

bool Call::result_is_dynamic(size_t index) const {
  const Value& value = result_at(index);
  for (int64_t axis = 0; axis < value.tensor().dim(); ++axis) {
    if (size_differs(value, axis)) return true;
  }
  return false;
}

/// Returns the size of a tensor argument's axis that has these sizes in all evaluations, or "" if there is no such
/// axis.
std::string Call::matching_size(const Integers& sizes) const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].is_tensor() || arguments_[i].name.empty()) continue;
    for (int64_t axis = 0; axis < arguments_[i].tensor().dim(); ++axis) {
      if (sizes_along(arguments_[i], axis) == sizes) return size(site_.arguments[i], axis);
    }
  }
  return "";
}

std::string Call::result_shape(bool for_reshape) const {
  const Value& value = result_at(0);
  Integers numbers;
  Integers open;
  for (int64_t axis = 0; axis < value.tensor().dim(); ++axis) {
    const bool dynamic = size_differs(value, axis);
    if (dynamic) open.push_back(axis);
    numbers.push_back(dynamic ? -1 : value.tensor().size(axis));
  }
  if (open.empty() || (for_reshape && open.size() == 1)) return builder_.constant(Tensor::of(numbers));
  Names parts;
  bool may_be_left_out = for_reshape;
  for (size_t axis = 0; axis < numbers.size(); ++axis) {
    std::string part = numbers[axis] < 0 ? matching_size(sizes_along(value, int64_t(axis))) : "";
    if (part.empty() && numbers[axis] < 0 && !std::exchange(may_be_left_out, false)) {
      site_.refuse("a size of its result depends on a dynamic axis in a way that the exporter cannot write");
    }
    parts.push_back(part.empty() ? builder_.constant(Tensor::of<int64_t>({numbers[axis]})) : part);
  }
  return builder_.emit("Concat", parts, {{"axis", 0}}, 1)[0];
}

std::string Call::emit(NameView op_type, std::initializer_list<std::string_view> inputs) {
  return emit(op_type, inputs, Attributes());
}

std::string Call::emit(NameView op_type, std::initializer_list<std::string_view> inputs,
                       std::initializer_list<GivenAttribute> attributes) {
  Attributes made;
  for (const GivenAttribute& given : attributes) made.emplace(given.name, attribute_of(given));
  return emit(op_type, inputs, made);
}

std::string Call::emit(NameView op_type, std::initializer_list<std::string_view> inputs, const Attributes& attributes) {
  return emit(OnnxOperator(std::string(op_type.text())), Names(inputs.begin(), inputs.end()), attributes);
}

std::string Call::emit(const OnnxOperator& op, const Names& inputs, const Attributes& attributes) {
  return builder_.emit(op, inputs, attributes, 1)[0];
}

Names Call::emit_many(const OnnxOperator& op, const Names& inputs, const Attributes& attributes, size_t outputs) {
  return builder_.emit(op, inputs, attributes, outputs);
}

std::string Call::cast(const std::string& value, DType dtype) { return builder_.cast(value, dtype); }

std::string Call::constant_of(const Tensor& tensor) { return builder_.constant(tensor); }

std::string Call::constant_of(const std::vector<int64_t>& values) { return builder_.constant(Tensor::of(values)); }

std::string Call::constant_of(std::initializer_list<int64_t> values) {
  return constant_of(std::vector<int64_t>(values));
}

std::string Call::constant_of(const std::vector<int64_t>& values, const Shape& shape) {
  return builder_.constant(Tensor::of(shape, values));
}

std::string Call::constant_of(const std::vector<double>& values, const Shape& shape, DType dtype) {
  return builder_.constant(tensor_of(values, shape, dtype));
}

std::string Call::scalar(double number, DType dtype) { return builder_.constant(scalar_tensor(number, dtype)); }

std::string Call::filled(const Shape& shape, double number, DType dtype) {
  return builder_.constant(filled_tensor(shape, number, dtype));
}

void Call::set_result(size_t index, const std::string& value) {
  result_at(index);
  results_[index].name = value;
}

void Call::set_list(const Names& values) {
  if (result_length() != values.size()) site_.refuse("its list of results has another length in ONNX");
  List<Value>& elements = results_[0].elements;
  for (size_t i = 0; i < values.size(); ++i) elements[i].name = values[i];
}

void Call::require_opset(int64_t opset, const std::string& reason) const {
  if (options().opset >= opset) return;
  throw NeedsOpset(opset, site_.message(text_of(reason, " needs opset ", opset, " or newer")));
}

void Call::refuse(const std::string& reason) const { site_.refuse(reason); }

}  // namespace linnet::exporter
