#include "movement/axes.h"

#include <algorithm>

#include "elements/dispatch.h"

namespace linnet {

std::vector<int> normalize_axes(std::span<const int64_t> axes, int rank) {
  if (axes.size() > size_t(kMaxRank)) {
    throw Error(ErrorKind::kShape, str("expected at most ", kMaxRank, " axes, got ", axes.size()));
  }
  std::vector<int> result;
  for (const int64_t axis : axes) {
    const int normal = normalize_axis(axis, rank);
    if (std::find(result.begin(), result.end(), normal) != result.end()) {
      throw Error(ErrorKind::kShape, str("axis ", axis, " is given twice"));
    }
    result.push_back(normal);
  }
  return result;
}

Shape without_axis(const Shape& shape, int axis) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis) result.push_back(shape[i]);
  }
  return result;
}

Shape with_axis(const Shape& shape, int axis, int64_t size) {
  Shape result;
  for (int i = 0; i <= shape.rank(); ++i) {
    if (i == axis) result.push_back(size);
    if (i < shape.rank()) result.push_back(shape[i]);
  }
  return result;
}

std::optional<std::vector<int64_t>> constant_counts(const Fact& fact) {
  if (!fact.constant) return std::nullopt;
  std::vector<int64_t> result;
  dispatch_stored(fact.dtype, [&]<class T>() {
    for (int64_t i = 0; i < fact.constant.size(); ++i) {
      const auto value = double(fact.constant.data<T>()[i]);
      if (!(value >= -0x1p31 && value < 0x1p31)) throw Error(ErrorKind::kShape, str(value, " is out of range"));
      result.push_back(int64_t(value));
    }
  });
  return result;
}

IntsParameter::IntsParameter(const NodeSpec& node, const std::string& attribute, int input, int64_t input_since)
    : is_input_(node.opset >= input_since) {
  if (is_input_) {
    if (input < node.num_inputs) input_ = input;
  } else if (const auto* values = node.find<std::vector<int64_t>>(attribute)) {
    attribute_ = *values;
  }
}

std::optional<std::vector<int64_t>> IntsParameter::numbers(std::span<const Fact> in) const {
  if (attribute_) return attribute_;
  return given(in) ? constant_ints(in[size_t(input_)]) : std::nullopt;
}

std::optional<Dims> IntsParameter::dims(std::span<const Fact> in) const {
  if (attribute_) return dims_of(*attribute_);
  return given(in) ? determined_ints(in[size_t(input_)]) : std::nullopt;
}

std::optional<int64_t> IntsParameter::count(std::span<const Fact> in) const {
  if (attribute_) return int64_t(attribute_->size());
  if (!given(in)) return std::nullopt;
  const Fact& fact = in[size_t(input_)];
  if (!fact.has_rank()) return std::nullopt;
  if (fact.rank() == 0) return 1;
  if (!fact.dim(0).known()) return std::nullopt;
  if (fact.dim(0).value() > kMaxRank) {
    throw Error(ErrorKind::kShape, str("expected at most ", kMaxRank, " axes, got ", fact.dim(0)));
  }
  return fact.dim(0).value();
}

}  // namespace linnet
