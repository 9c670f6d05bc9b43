#include "input_variations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "linnet/containers.h"
#include "tensor_variations.h"

namespace linnet {
namespace {

Case& add(std::vector<Case>& cases, const Case& base, const std::string& what, int varied = -1) {
  cases.push_back(base);
  cases.back().what = what;
  cases.back().varied = varied;
  return cases.back();
}

/// Returns the container with its first tensor changed, or nothing.
std::vector<TensorVariation> container_variations(const Tensor& container) {
  std::vector<TensorVariation> result;
  const auto wrap = [&](const std::string& what, const Tensor& value) {
    result.push_back({what, value, std::nullopt});
  };
  if (container.dtype() == DType::kSequence) {
    const std::vector<Tensor>& elements = container.data<Sequence>()->elements;
    wrap("no elements", Tensor::scalar(Sequence{}));
    for (const TensorVariation& first : elements.empty() ? std::vector<TensorVariation>() : variations(elements[0])) {
      std::vector<Tensor> changed = elements;
      changed[0] = first.value;
      if (!first.shape) wrap("an element " + first.what, Tensor::scalar(Sequence{changed}));
    }
  } else if (container.dtype() == DType::kOptional) {
    wrap("nothing", Tensor::scalar(Optional{}));
    const Tensor& value = container.data<Optional>()->value;
    if (!value || is_container(value.dtype())) return result;
    for (const TensorVariation& held : variations(value)) {
      if (!held.shape) wrap("holds " + held.what, Tensor::scalar(Optional{held.value}));
    }
  } else if (container.dtype() == DType::kMap) {
    const Map& map = *container.data<Map>();
    wrap("no keys", Tensor::scalar(Map{Tensor(map.keys.dtype(), Shape{0}), Tensor(map.values.dtype(), Shape{0})}));
    for (const TensorVariation& keys : variations(map.keys)) {
      if (!keys.shape && keys.value.shape() == map.keys.shape())
        wrap("keys " + keys.what, Tensor::scalar(Map{keys.value, map.values}));
    }
    for (const TensorVariation& values : variations(map.values)) {
      if (!values.shape && values.value.shape() == map.keys.shape())
        wrap("values " + values.what, Tensor::scalar(Map{map.keys, values.value}));
    }
  }
  return result;
}

void vary_each(std::vector<Case>& cases, const Case& base) {
  for (int i = 0; i < int(base.inputs.size()); ++i) {
    const CaseInput& input = base.inputs[size_t(i)];
    if (input.name.empty()) continue;
    Case& absent = add(cases, base, str("input ", i, " absent"));
    absent.inputs[size_t(i)] = {};
    absent.node().set_input(i, "");
    const bool container = is_container(input.value.dtype());
    for (const TensorVariation& other : container ? container_variations(input.value) : variations(input.value)) {
      CaseInput& changed = add(cases, base, str("input ", i, ": ", other.what), i).inputs[size_t(i)];
      changed.value = other.value;
      changed.shape = other.shape;
    }
  }
}

void vary_counts(std::vector<Case>& cases, const Case& base) {
  for (int kept = 0; base.node().output_size() > 1 && kept < base.node().output_size(); ++kept) {
    Case& alone = add(cases, base, str("output ", kept, " alone"));
    for (int i = 0; i < base.node().output_size(); ++i) {
      if (i != kept) alone.node().set_output(i, "");
    }
    pb::GraphProto& graph = *alone.model.mutable_graph();
    graph.clear_output();
    testing::add_output(graph, base.node().output(kept));
  }
  Case& output = add(cases, base, "one output more");
  output.node().add_output("further");
  testing::add_output(*output.model.mutable_graph(), "further");
  for (const DType dtype : {DType::kFloat32, DType::kInt64}) {
    Case& input = add(cases, base, str("one input more: ", dtype));
    input.node().add_input("more");
    CaseInput more{.name = "more", .value = Tensor(dtype, Shape{2})};
    std::fill_n(static_cast<std::byte*>(more.value.raw()), more.value.bytes(), std::byte{0});
    input.inputs.push_back(more);
    while (input.inputs.size() > size_t(input.node().input_size())) input.inputs.pop_back();
  }
  if (!base.inputs.empty()) {
    Case& fewer = add(cases, base, "one input less");
    fewer.inputs.pop_back();
    fewer.node().mutable_input()->RemoveLast();
  }
}

using Dims = std::map<int64_t, int64_t>;  // new dims by old ones

/// Replaces the numbers that represent a dim: sizes, lengths.
template <class T>
void replace_numbers(Tensor& tensor, const Dims& dims) {
  tensor = tensor.clone();
  for (T& value : std::span(tensor.data<T>(), size_t(tensor.size()))) {
    const auto found = dims.find(int64_t(value));
    if (found != dims.end() && found->second <= std::numeric_limits<T>::max()) value = T(found->second);
  }
}

void replace_dims(CaseInput& input, const Dims& dims) {
  if (input.name.empty() || is_container(input.value.dtype())) return;
  if (input.value.dtype() == DType::kInt64) replace_numbers<int64_t>(input.value, dims);
  if (input.value.dtype() == DType::kInt32) replace_numbers<int32_t>(input.value, dims);
  Shape shape = input.value.shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto found = dims.find(shape[axis]);
    if (found != dims.end()) shape[axis] = found->second;
  }
  if (shape == input.value.shape()) return;
  const auto changed = with_shape(input.value, shape);
  input.value = changed->value;
  input.shape = changed->shape;
}

void replace_dims(pb::AttributeProto& attribute, const Dims& dims) {
  const auto found = attribute.has_i() ? dims.find(attribute.i()) : dims.end();
  if (found != dims.end()) attribute.set_i(found->second);
  for (int64_t& value : *attribute.mutable_ints()) {
    const auto entry = dims.find(value);
    if (entry != dims.end()) value = entry->second;
  }
}

void vary_shared_dims(std::vector<Case>& cases, const Case& base) {
  std::set<int64_t> found;
  for (const CaseInput& input : base.inputs) {
    if (input.name.empty() || is_container(input.value.dtype())) continue;
    found.insert(input.value.shape().begin(), input.value.shape().end());
  }
  std::erase_if(found, [](int64_t dim) { return dim < 2; });
  std::vector<Dims> changes;
  for (const int64_t a : found) {
    for (const int64_t to : kDims) {
      changes.push_back({{a, to}});
      for (const int64_t b : found) {
        if (b != a && to != 0) changes.push_back({{a, to}, {b, 0}});
      }
    }
  }
  for (const Dims& dims : changes) {
    std::string what = "dims";
    for (const auto& [from, to] : dims) what += str(" ", from, " -> ", to);
    for (const bool attributes : {false, true}) {
      Case& changed = add(cases, base, what + (attributes ? ", attributes also" : ""));
      for (CaseInput& input : changed.inputs) replace_dims(input, dims);
      if (!attributes) continue;
      for (pb::AttributeProto& attribute : *changed.node().mutable_attribute()) replace_dims(attribute, dims);
    }
  }
}

}  // namespace

std::vector<Case> input_variations(const Case& base) {
  std::vector<Case> cases;
  vary_each(cases, base);
  vary_counts(cases, base);
  vary_shared_dims(cases, base);
  return cases;
}

}  // namespace linnet
