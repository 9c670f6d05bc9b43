#include <numeric>

#include "exporter/export_error.h"
#include "exporter/pairs.h"
#include "linnet/shape.h"
#include "translator.h"

// Translates the program's values: their concrete values in each example, and their ONNX names.
namespace linnet::pt2 {
namespace {

/// Whether elements are contiguous in memory if axes are in this order, fastest first.
bool is_dense(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
              const std::vector<size_t>& order) {
  int64_t expected = 1;
  for (const size_t axis : order) {
    if (sizes[axis] != 1 && strides[axis] != expected) return false;
    expected = checked_mul(expected, sizes[axis]);
  }
  return true;
}

bool is_contiguous(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  return is_dense(sizes, strides, order);
}

/// Whether the channels, axis 1, are the fastest axis.
bool is_channels_last(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  if (sizes.size() < 4) return false;
  std::vector<size_t> order{1};
  for (size_t axis = sizes.size() - 1; axis >= 2; --axis) order.push_back(axis);
  order.push_back(0);
  return strides[1] == 1 && is_dense(sizes, strides, order);
}

}  // namespace

std::vector<int64_t> Translator::evaluated(const SymExpr& expression) const {
  std::vector<int64_t> numbers;
  for (const SampleSizes& sample : samples_) {
    const auto number = expression.evaluate(sample);
    if (!number) throw exporter::ExportError("the size " + expression.describe() + " is of a form that is not covered");
    numbers.push_back(*number);
  }
  return numbers;
}

Translator::Value Translator::tensor_value(const TensorMeta& meta, const std::string& name) const {
  std::vector<std::vector<int64_t>> sizes, strides;
  for (const SymExpr& size : meta.sizes) sizes.push_back(evaluated(size));
  for (const SymExpr& stride : meta.strides) strides.push_back(evaluated(stride));
  Value value;
  value.name = name;
  for (size_t e = 0; e < samples_.size(); ++e) {
    exporter::TensorInfo info{meta.dtype};
    std::vector<int64_t> steps;
    for (const auto& size : sizes) info.sizes.push_back(size[e]);
    for (const auto& stride : strides) steps.push_back(stride[e]);
    info.channels_last = is_channels_last(info.sizes, steps);
    info.is_whole = is_contiguous(info.sizes, steps);
    value.concrete.push_back({info});
  }
  return value;
}

Translator::Value Translator::number_value(const SymExpr& expression, const std::string& name) const {
  Value value;
  value.name = expression.is_integer() ? "" : name;
  for (const int64_t number : evaluated(expression)) value.concrete.push_back({number});
  return value;
}

const Translator::Value& Translator::value_of(const std::string& name) {
  refresh(name);
  const auto found = values_.find(name);
  if (found == values_.end()) throw exporter::ExportError("the program reads '" + name + "', which has no value");
  return found->second;
}

Translator::Value Translator::argument_of(const Argument& argument) {
  const auto list_of = [&](const auto& elements, const auto& make) {
    Value list;
    list.is_list = true;
    for (const auto& element : elements) list.elements.push_back(make(element));
    return list;
  };
  const auto number = [&]<class T>(const T& one) { return constant({one}); };
  const auto named = [&](const auto& element) { return value_of(element.name); };
  const auto number_or_name = [&](const auto& element) {
    return std::visit(
        [&]<class T>(const T& one) {
          if constexpr (requires { one.name; })
            return value_of(one.name);
          else
            return constant({one});
        },
        element);
  };
  return std::visit(
      [&]<class T>(const T& value) -> Value {
        if constexpr (std::is_same_v<T, TensorName>) {
          return value_of(value.name);
        } else if constexpr (std::is_same_v<T, std::vector<TensorName>>) {
          return list_of(value, named);
        } else if constexpr (std::is_same_v<T, std::optional<TensorName>>) {
          return value ? value_of(value->name) : constant({});
        } else if constexpr (std::is_same_v<T, std::vector<std::optional<TensorName>>>) {
          return list_of(value, [&](const auto& one) { return one ? Value(value_of(one->name)) : constant({}); });
        } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double> || std::is_same_v<T, bool> ||
                             std::is_same_v<T, std::string> || std::is_same_v<T, std::complex<double>> ||
                             std::is_same_v<T, DType>) {
          return constant({value});
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>> ||
                             std::is_same_v<T, std::vector<std::string>>) {
          return list_of(value, number);
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          return list_of(value, [&](bool one) { return constant({one}); });
        } else if constexpr (std::is_same_v<T, SymIntArgument> || std::is_same_v<T, SymFloatArgument> ||
                             std::is_same_v<T, SymBoolArgument>) {
          return number_or_name(value);
        } else if constexpr (std::is_same_v<T, std::vector<SymIntArgument>> ||
                             std::is_same_v<T, std::vector<SymFloatArgument>> ||
                             std::is_same_v<T, std::vector<SymBoolArgument>>) {
          return list_of(value, number_or_name);
        } else {
          return constant({});  // memory formats, layouts, devices: no rule reads them
        }
      },
      argument.value);
}

Translator::Value Translator::result_of(const Argument& output) const {
  const auto tensor = [&](const TensorName& one) { return tensor_value(graph_->tensor_values.at(one.name), ""); };
  if (const auto* one = output.get<TensorName>()) return tensor(*one);
  if (const auto* list = output.get<std::vector<TensorName>>()) {
    Value value;
    value.is_list = true;
    for (const TensorName& one : *list) value.elements.push_back(tensor(one));
    return value;
  }
  if (const auto* number = output.get<SymIntArgument>()) {
    const auto* name = std::get_if<SymIntName>(number);
    return name ? number_value(graph_->sym_int_values.at(name->name), "") : constant({std::get<int64_t>(*number)});
  }
  if (output.get<SymBoolArgument>()) return constant({false});
  if (output.get<SymFloatArgument>()) return constant({0.0});
  return constant({});
}

void Translator::bind(const std::string& name, const Value& value) {
  if (!value.is_list && !value.name.empty() && !value.is_unset()) {
    builder_.set_dtype(value.name, exporter::stored_dtype(value.concrete[0].dtype()));
  }
  values_[name] = value;
}

void Translator::bind(const Argument& output, const Value& value) {
  if (const auto* one = output.get<TensorName>()) return bind(one->name, value);
  if (const auto* list = output.get<std::vector<TensorName>>()) {
    for (size_t i = 0; i < list->size(); ++i) bind((*list)[i].name, value.elements.at(i));
  }
  const auto bind_number = [&](const auto& number) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.name; }) bind(one.name, value);
        },
        number);
  };
  if (const auto* number = output.get<SymIntArgument>()) bind_number(*number);
  if (const auto* number = output.get<SymBoolArgument>()) bind_number(*number);
  if (const auto* number = output.get<SymFloatArgument>()) bind_number(*number);
}

std::string Translator::name_of(const Value& leaf) {
  if (leaf.is_list) throw exporter::ExportError("a list is used as a tensor");
  if (leaf.is_unset()) {
    throw exporter::ExportError("a result is used for which there is no ONNX value: that of " + leaf.name.substr(1));
  }
  if (!leaf.name.empty()) return leaf.name;
  const Tensor constant = leaf.concrete[0].as_tensor();
  return leaf.is_tensor() ? builder_.tensor(constant) : builder_.constant(constant);
}

}  // namespace linnet::pt2
