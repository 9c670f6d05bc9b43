#include <numeric>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"
#include "traditionalml/key_table.h"

namespace linnet {
namespace {

template <class T>
Tensor list_of(const NodeSpec& node, const std::string& attribute) {
  const auto* values = node.find<std::vector<T>>(attribute);
  return values && !values->empty() ? Tensor::of(*values) : Tensor();
}

/// Returns the attribute that the node has among <prefix>_strings, _int64s, _floats and, from version 4 on, _tensor.
Tensor one_list_of(const NodeSpec& node, const std::string& prefix) {
  const Tensor* tensor = node.opset >= 4 ? node.find<Tensor>(prefix + "_tensor") : nullptr;
  const Tensor lists[] = {list_of<std::string>(node, prefix + "_strings"), list_of<int64_t>(node, prefix + "_int64s"),
                          list_of<float>(node, prefix + "_floats"), tensor ? *tensor : Tensor()};
  require_exactly_one({bool(lists[0]), bool(lists[1]), bool(lists[2]), bool(lists[3])},
                      str(prefix, "_strings, ", prefix, "_int64s, ", prefix, "_floats and ", prefix, "_tensor"));
  for (const Tensor& list : lists) {
    if (!list) continue;
    if (list.rank() != 1) throw Error(ErrorKind::kModel, str(prefix, "_tensor must be 1-D, got ", describe(list)));
    return list;
  }
  return {};
}

/// The value of default_int64 or default_float as an element of T.
template <class T>
Tensor default_number(const NodeSpec& node) {
  if constexpr (std::is_floating_point_v<T>) {
    return Tensor::scalar(T(node.attr_or("default_float", -0.0f)));
  } else {
    const int64_t value = node.attr_or("default_int64", -1);
    if (int64_t(T(value)) != value) {
      throw Error(ErrorKind::kModel, str("default_int64 must fit into ", dtype_of<T>, ", got ", value));
    }
    return Tensor::scalar(T(value));
  }
}

Tensor default_value(const NodeSpec& node, DType dtype) {
  const Tensor* given = node.opset >= 4 ? node.find<Tensor>("default_tensor") : nullptr;
  if (given) {
    if (given->dtype() == dtype && given->size() == 1) return *given;
    throw Error(ErrorKind::kModel, str("default_tensor must be one ", dtype, ", got ", describe(*given)));
  }
  if (dtype == DType::kString) return Tensor::scalar(node.attr_or("default_string", "_Unused"));
  return dispatch_number(dtype, [&]<class T>() { return default_number<T>(node); });
}

/// Returns the values with the default appended.
Tensor with_default(const Tensor& values, const Tensor& fallback) {
  return dispatch_any(values.dtype(), [&]<class T>() {
    std::vector<T> all(values.data<T>(), values.data<T>() + values.size());
    all.push_back(*fallback.data<T>());
    return Tensor::of(all);
  });
}

/// Maps elements of the keys' dtype to the values' dtype.
struct Mapping {
  DType from;
  std::shared_ptr<const KeyTable> table;
  Tensor values;  ///< The default is at the end.

  Mapping(const Tensor& keys, const Tensor& list, const Tensor& fallback, KeyRules rules = {})
      : from(keys.dtype()), table(std::make_shared<KeyTable>(keys, rules)), values(with_default(list, fallback)) {}
};

/// LabelEncoder: maps each element of X that is among the keys to the value at the same position, and others to the
/// default. From version 4 on, NaN equals NaN, -0 equals 0, and the last one of repeated keys is used. Before, floats
/// are compared by their bits, and the first one is used. Version 1 has one list of strings and maps them to their
/// indices and back.
/// X and Y: string, int64, float32, and from version 4 on int32, int16, float64; any shape.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
class LabelEncoder final : public Op {
 public:
  explicit LabelEncoder(const NodeSpec& node) {
    if (node.opset == 1) {
      add_both_ways(node);
      return;
    }
    const Tensor keys = one_list_of(node, "keys"), values = one_list_of(node, "values");
    require_length("the values", size_t(values.size()), keys.size());
    for (const Tensor* list : {&keys, &values}) require_dtype_in(Fact(*list), kTypes, "keys and values");
    const bool by_value = node.opset >= 4;
    mappings_.emplace_back(keys, values, default_value(node, values.dtype()),
                           KeyRules{.last_counts = by_value, .by_bits = !by_value});
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return {Fact(mapping(in[0].dtype).values.dtype(), in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Mapping& used = mapping(in.dtype(0));
    return make_lookup_kernel(used.table, used.values);
  }

 private:
  static constexpr DType kTypes[] = {DType::kString, DType::kInt64, DType::kFloat32,
                                     DType::kInt32,  DType::kInt16, DType::kFloat64};

  void add_both_ways(const NodeSpec& node) {
    const Tensor classes = Tensor::of(node.attr_or("classes_strings", std::vector<std::string>{}));
    std::vector<int64_t> places(size_t(classes.size()));
    std::iota(places.begin(), places.end(), int64_t{0});
    const Tensor numbers = Tensor::of(places);
    mappings_.emplace_back(classes, numbers, default_value(node, DType::kInt64));
    mappings_.emplace_back(numbers, classes, default_value(node, DType::kString));
  }

  const Mapping& mapping(DType from) const {
    for (const Mapping& mapping : mappings_) {
      if (mapping.from == from) return mapping;
    }
    throw Error(ErrorKind::kType, str("X must be ", mappings_[0].from, " as the keys are, got ", from));
  }

  std::vector<Mapping> mappings_;
};

}  // namespace

LINNET_REGISTER(label_encoder)(Registry& registry) {
  registry.add<LabelEncoder>("LabelEncoder", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
