#include "inputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>

#include "options.h"

namespace linnet::exporter::torchscript {
namespace {

Failure usage(const std::string& message) { return {ExitCode::kUsage, message}; }

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<int64_t> parse_int(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int64_t required_int(const std::string& text, const std::string& where) {
  const std::optional<int64_t> value = parse_int(text);
  if (!value) throw usage(where + ": '" + text + "' is not a whole number");
  return *value;
}

std::vector<int64_t> parse_sizes(const std::string& text, const std::string& where) {
  std::vector<int64_t> sizes;
  if (text == "scalar") return sizes;
  for (const std::string& part : split(text, "x")) {
    sizes.push_back(required_int(part, where));
    if (sizes.back() < 0) throw usage(where + ": a size is negative");
  }
  return sizes;
}

c10::IValue parse_constant(const std::string& text, const c10::TypePtr& type) {
  if (text == "none") return {};
  if (text == "true" || text == "false") return text == "true";
  if (type->kind() == c10::TypeKind::StringType) return text;
  const bool list = text.find(',') != std::string::npos || type->kind() == c10::TypeKind::ListType;
  if (const auto whole = parse_int(text)) {
    if (type->kind() == c10::TypeKind::FloatType) return double(*whole);
    if (!list) return *whole;
  }
  if (list) {
    std::vector<int64_t> values;
    for (const std::string& part : split(text, ",")) values.push_back(required_int(part, text));
    if (type->kind() != c10::TypeKind::TupleType) return values;
    return c10::ivalue::Tuple::create(std::vector<c10::IValue>(values.begin(), values.end()));
  }
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0') return number;
  return text;
}

at::Tensor make_tensor(const TensorSpec& spec, const std::vector<int64_t>& sizes, Fill fill) {
  if (!at::isFloatingType(spec.dtype)) {
    const auto [low, high] = spec.range.value_or(std::pair<int64_t, int64_t>(0, 1));
    if (fill == Fill::kBeyond) return at::randint(low, high + kBeyondRange, sizes, at::kLong).to(spec.dtype);
    if (fill == Fill::kZeros && low <= 0 && high >= 0) return at::zeros(sizes, spec.dtype);
    return at::randint(low, high + 1, sizes, at::kLong).to(spec.dtype);
  }
  if (spec.range) {
    const auto [low, high] = *spec.range;
    return (at::rand(sizes, at::kDouble) * double(high - low) + double(low)).to(spec.dtype);
  }
  if (fill == Fill::kZeros) return at::zeros(sizes, spec.dtype);
  at::Tensor values = at::randn(sizes, at::kDouble) * magnitude(fill);
  if (fill == Fill::kNegative) values = -values.abs();
  return values.to(spec.dtype);
}

std::vector<int64_t> sizes_of(const TensorSpec& spec, const Sizes& named) {
  std::vector<int64_t> sizes = spec.sizes;
  for (const auto& [axis, symbol] : spec.dynamic) sizes[size_t(axis)] = named.at(symbol);
  return sizes;
}

OnnxValue declared(const TensorSpec& spec) {
  std::vector<OnnxDim> dims;
  for (size_t axis = 0; axis < spec.sizes.size(); ++axis) {
    const auto symbol = spec.dynamic.find(int64_t(axis));
    dims.push_back(symbol == spec.dynamic.end() ? OnnxDim{spec.sizes[axis], ""} : OnnxDim{-1, symbol->second});
  }
  return {spec.name, dtype_from(spec.dtype), dims};
}

}  // namespace

double magnitude(Fill fill) { return fill == Fill::kLarge ? 1000 : 1; }

ExampleInputs::ExampleInputs(const torch::jit::Module& module, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& dynamic) {
  const auto& all = module.get_method("forward").function().getSchema().arguments();
  for (size_t i = 1; i < all.size(); ++i) {
    arguments_.push_back({all[i].name(), all[i].type(), {}, {}});
    if (all[i].default_value()) arguments_.back().constant = *all[i].default_value();
  }
  for (const std::string& text : inputs) {
    const size_t equals = text.find('='), colon = text.find(':');
    if (equals < colon) {
      add_constant(text.substr(0, equals), text.substr(equals + 1));
    } else {
      add_tensor(text);
    }
  }
  for (const std::string& text : dynamic) add_dynamic(text);
  check_complete();
}

std::string ExampleInputs::signature() const {
  std::string text;
  for (const Argument& argument : arguments_) {
    text += (text.empty() ? "" : ", ") + argument.name + ": " + argument.type->annotation_str();
  }
  return "forward(" + text + ")";
}

ExampleInputs::Argument& ExampleInputs::find(const std::string& name) {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(), [&](auto& a) { return a.name == name; });
  if (found == arguments_.end()) throw usage("the model has no argument '" + name + "': " + signature());
  return *found;
}

void ExampleInputs::add_tensor(const std::string& text) {
  const std::vector<std::string> parts = split(text, ":");
  if (parts.size() < 2 || parts.size() > 4)
    throw usage("--input " + text + " is not NAME:1x3x224x224[:float32[:LO..HI]]");
  const std::string name = parts[0].substr(0, parts[0].find('.'));
  Argument& argument = find(name);
  TensorSpec spec;
  spec.name = name;
  if (name != parts[0]) {
    if (required_int(parts[0].substr(name.size() + 1), text) != int64_t(argument.tensors.size())) {
      throw usage("--input " + text + ": give the elements of a list in order, from " + name + ".0 on");
    }
    spec.name = text_of(name, "_", argument.tensors.size());
  }
  spec.sizes = parse_sizes(parts[1], "--input " + text);
  try {
    if (parts.size() > 2) spec.dtype = scalar_type_named(parts[2]);
  } catch (const ExportError& error) {
    throw usage("--input " + text + ": " + error.what());
  }
  if (parts.size() > 3) {
    const std::vector<std::string> ends = split(parts[3], "..");
    if (ends.size() != 2) throw usage("--input " + text + ": '" + parts[3] + "' is not LO..HI");
    spec.range = {required_int(ends[0], text), required_int(ends[1], text)};
    if (spec.range->second < spec.range->first) throw usage("--input " + text + ": the range is empty");
  }
  argument.tensors.push_back(spec);
}

void ExampleInputs::add_constant(const std::string& name, const std::string& text) {
  Argument& argument = find(name);
  argument.constant = parse_constant(text, argument.type);
}

void ExampleInputs::add_dynamic(const std::string& text) {
  const size_t equals = text.find('='), colon = text.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos || equals + 1 == text.size()) {
    throw usage("--dynamic " + text + " is not NAME:AXIS=SYMBOL");
  }
  const std::string name = text.substr(0, colon), symbol = text.substr(equals + 1);
  std::string onnx_name = name;
  std::replace(onnx_name.begin(), onnx_name.end(), '.', '_');
  Argument& argument = find(name.substr(0, name.find('.')));
  const auto spec =
      std::find_if(argument.tensors.begin(), argument.tensors.end(), [&](auto& s) { return s.name == onnx_name; });
  if (spec == argument.tensors.end()) throw usage("--dynamic " + text + ": no --input gives the tensor " + name);
  const int64_t axis = required_int(text.substr(colon + 1, equals - colon - 1), "--dynamic " + text);
  if (axis < 0 || axis >= int64_t(spec->sizes.size()))
    throw usage("--dynamic " + text + ": the input has no such axis");
  const int64_t size = spec->sizes[size_t(axis)];
  const auto [known, added] = sizes_.emplace(symbol, size);
  if (known->second != size) {
    throw usage(text_of("--dynamic ", text, ": ", symbol, " is ", known->second, " and ", size));
  }
  spec->dynamic[axis] = symbol;
}

void ExampleInputs::check_complete() const {
  for (const Argument& argument : arguments_) {
    if (argument.tensors.empty() && !argument.constant) {
      throw usage("argument '" + argument.name + "' is missing: --input " + argument.name +
                  ":1x3x224x224 for a tensor, " + argument.name + "=VALUE for others; " + signature());
    }
  }
}

bool ExampleInputs::has_floats() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const Argument& argument) {
    return std::any_of(argument.tensors.begin(), argument.tensors.end(),
                       [](auto& spec) { return at::isFloatingType(spec.dtype); });
  });
}

std::vector<ExampleArgument> ExampleInputs::arguments(const std::vector<Example>& examples) const {
  std::vector<ExampleArgument> result;
  for (const Argument& argument : arguments_) {
    ExampleArgument example;
    std::vector<Value> leaves;
    for (const TensorSpec& spec : argument.tensors) {
      Value leaf{{}, spec.name, nullptr};
      for (const auto& [sizes, fill] : examples) {
        leaf.concrete.emplace_back(make_tensor(spec, sizes_of(spec, sizes), fill));
      }
      leaves.push_back(std::move(leaf));
      example.inputs.push_back(declared(spec));
    }
    if (argument.tensors.empty()) {
      example.value = make_constant(std::vector<c10::IValue>(examples.size(), *argument.constant));
    } else if (argument.tensors[0].name == argument.name) {
      example.value = leaves[0];
    } else {
      example.value = make_container(std::move(leaves));
    }
    result.push_back(std::move(example));
  }
  return result;
}

}  // namespace linnet::exporter::torchscript
