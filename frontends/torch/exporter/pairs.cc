#include "pairs.h"

#include <algorithm>
#include <map>

#include "export_error.h"

namespace linnet::exporter {
namespace {

/// What is added to a list argument for the axis of the parts.
enum class Extra { kNone, kSize, kOnce, kAxis, kPadding };

/// The arguments of an operator that refer to axes.
struct PairForm {
  Names axes{};        ///< arguments that are axes; a new axis is one of the result's
  std::string list{};  ///< the argument with one number for each axis
  Extra extra = Extra::kNone;
};

const std::map<std::string, PairForm>& forms() {
  static const std::map<std::string, PairForm> all = [] {
    std::map<std::string, PairForm> result;
    const auto add = [&](const PairForm& form, std::initializer_list<const char*> names) {
      for (const char* name : names) result[std::string("aten::") + name] = form;
    };
    add({}, {"alias",      "clone",        "contiguous",  "detach",          "dropout", "expand_as", "fliplr",
             "flipud",     "index.Tensor", "lift_fresh",  "lift_fresh_copy", "neg",     "negative",  "positive",
             "reshape_as", "resolve_conj", "resolve_neg", "squeeze",         "view_as", "zero",      "zeros_like"});
    add({{"dim"}}, {"cat",
                    "chunk",
                    "concat",
                    "concatenate",
                    "cumsum",
                    "index_select",
                    "narrow",
                    "select.int",
                    "select_scatter",
                    "slice.Tensor",
                    "slice_scatter",
                    "split.Tensor",
                    "split.sizes",
                    "split_with_sizes",
                    "squeeze.dim",
                    "squeeze.dims",
                    "stack",
                    "tensor_split.sections",
                    "unbind.int",
                    "unflatten.int",
                    "unsqueeze"});
    add({{"dims"}}, {"flip", "roll"});
    add({{"dim0", "dim1"}}, {"swapdims", "transpose.int"});
    add({{"axis0", "axis1"}}, {"swapaxes"});
    add({{"start_dim", "end_dim"}}, {"flatten.using_ints"});
    add({{"source", "destination"}}, {"moveaxis.int", "moveaxis.intlist", "movedim.int", "movedim.intlist"});
    add({{"dims"}, "dims", Extra::kAxis}, {"permute"});
    add({{}, "repeats", Extra::kOnce}, {"repeat"});
    add({{}, "shape", Extra::kSize}, {"reshape"});
    add({{}, "size", Extra::kSize}, {"_reshape_alias", "_unsafe_view", "broadcast_to", "empty.memory_format", "expand",
                                     "new_empty", "new_zeros", "view", "zeros"});
    add({{}, "pad", Extra::kPadding}, {"constant_pad_nd", "pad"});
    return result;
  }();
  return all;
}

bool is_complex_leaf(const Value& value) { return value.is_tensor() && is_complex(value.tensor().dtype); }

/// Whether all tensors in a value are complex.
bool only_complex(const Value& value) {
  return value.is_list ? std::ranges::all_of(value.elements, only_complex)
                       : !value.is_tensor() || is_complex_leaf(value);
}

Value as_pairs(Value value) {
  for_each_leaf(value, [](Value& leaf) {
    if (!is_complex_leaf(leaf)) return;
    for (Concrete& one : leaf.concrete) {
      auto* tensor = std::get_if<TensorInfo>(&one.value);
      if (!tensor) continue;
      tensor->dtype = stored_dtype(tensor->dtype);
      tensor->sizes.push_back(2);
      tensor->contents = stored_tensor(tensor->contents);
      tensor->channels_last = false;
    }
  });
  return value;
}

Value number(int64_t number, size_t examples) { return {std::vector<Concrete>(examples, Concrete{number})}; }

/// Replaces negative axes of a tensor of `rank` axes by axes counted from the front.
void count_from_front(const Site& site, Value& value, int64_t rank) {
  for_each_leaf(value, [&](Value& leaf) {
    if (!leaf.constant()) return;
    for (Concrete& one : leaf.concrete) {
      auto* axis = std::get_if<int64_t>(&one.value);
      if (axis && *axis < 0) *axis += std::max<int64_t>(rank, 1);
      if (axis && (*axis < 0 || *axis >= std::max<int64_t>(rank, 1))) {
        site.refuse(text_of("an axis is out of range for ", rank, " axes"));
      }
    }
  });
}

void extend(const Site& site, Value& list, Extra extra, int64_t rank, size_t examples) {
  if (!list.is_list) site.refuse("one number for all axes of complex numbers is not covered");
  if (extra == Extra::kPadding) {
    list.elements.insert(list.elements.begin(), 2, number(0, examples));
  } else {
    list.elements.push_back(number(extra == Extra::kSize ? 2 : extra == Extra::kOnce ? 1 : rank, examples));
  }
}

const Value* find(const Site& site, const std::vector<Value>& arguments, const std::string& name) {
  const auto found = std::ranges::find(site.arguments, name);
  return found == site.arguments.end() ? nullptr : &arguments[size_t(found - site.arguments.begin())];
}

/// Returns the rank of the tensor whose axes the arguments count.
int64_t counted_rank(const Site& site, const std::vector<Value>& arguments, const std::vector<Value>& results) {
  const Value* const self = find(site, arguments, "self");
  const bool of_result = !self || site.operator_name == "aten::unsqueeze";
  const Value& counted = of_result ? results.at(0) : *self;
  return counted.tensor().dim();
}

bool is_none_or_zero(const Value& value) {
  if (value.is_list || !value.constant()) return false;
  return std::ranges::all_of(value.concrete, [](const Concrete& one) {
    const auto* whole = std::get_if<int64_t>(&one.value);
    const auto* number = std::get_if<double>(&one.value);
    return one.is_none() || (whole && *whole == 0) || (number && *number == 0);
  });
}

void check_arguments(const Site& site, const std::vector<Value>& arguments) {
  for (const char* name : {"self", "input", "other", "src", "tensors"}) {
    const Value* const argument = find(site, arguments, name);
    if (argument && !only_complex(*argument)) site.refuse("real and complex tensors together are not covered");
  }
  const Value* const filling = find(site, arguments, "value");
  if (filling && !is_none_or_zero(*filling)) {
    site.refuse("padding of complex numbers by another number than 0 is not covered");
  }
  const Value* const turned = site.operator_name == "aten::roll" ? find(site, arguments, "dims") : nullptr;
  if (turned && turned->is_list && turned->elements.empty()) {
    site.refuse("complex numbers of all axes together are not turned; name the axes");
  }
}

}  // namespace

bool is_complex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }

DType stored_dtype(DType dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

OnnxValue stored_value(OnnxValue value) {
  if (is_complex(value.dtype) && value.dims) value.dims->push_back({2, ""});
  value.dtype = stored_dtype(value.dtype);
  return value;
}

Tensor stored_tensor(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor;
  Shape shape = tensor.shape();
  shape.push_back(2);
  const auto owner = std::make_shared<const Tensor>(tensor);
  return Tensor::share(stored_dtype(tensor.dtype()), shape, const_cast<void*>(owner->raw()), owner);
}

bool has_complex(const std::vector<Value>& values) {
  return std::ranges::any_of(
      values, [](const Value& value) { return value.is_list ? has_complex(value.elements) : is_complex_leaf(value); });
}

std::vector<Value> as_pairs(const std::vector<Value>& values) {
  std::vector<Value> pairs;
  for (const Value& value : values) pairs.push_back(as_pairs(value));
  return pairs;
}

bool serves_pairs(const std::string& operator_name) { return forms().contains(operator_name); }

std::vector<Value> arguments_of_pairs(const Site& site, const std::vector<Value>& arguments,
                                      const std::vector<Value>& results) {
  check_arguments(site, arguments);
  const PairForm& form = forms().at(site.operator_name);
  const auto counts = [&](const std::string& name) { return std::ranges::find(form.axes, name) != form.axes.end(); };
  const bool has_axes = !form.axes.empty() || form.extra == Extra::kAxis;
  const int64_t rank = has_axes ? counted_rank(site, arguments, results) : 0;
  std::vector<Value> pairs = as_pairs(arguments);
  for (size_t i = 0; i < site.arguments.size(); ++i) {
    if (counts(site.arguments[i])) count_from_front(site, pairs[i], rank);
    if (site.arguments[i] == form.list) extend(site, pairs[i], form.extra, rank, results.at(0).concrete.size());
  }
  return pairs;
}

}  // namespace linnet::exporter
