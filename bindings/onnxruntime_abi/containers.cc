// Sequences, maps and optionals.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

#include "dtypes.h"
#include "slots.h"
#include "status.h"
#include "type_info.h"
#include "value.h"

namespace linnet::ort {
namespace {

/// Returns the type of a tensor, including the types of its elements, but not their shapes.
Fact element_fact(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kSequence: {
      const auto& elements = tensor.values<Sequence>()[0].elements;
      return Fact::sequence(elements.empty() ? Fact() : element_fact(elements.front()));
    }
    case DType::kMap: {
      const Map& map = tensor.values<Map>()[0];
      return Fact::map(map.keys.dtype(), map.values.dtype());
    }
    case DType::kOptional: {
      const Tensor& held = tensor.values<Optional>()[0].value;
      return Fact::optional(held ? element_fact(held) : Fact());
    }
    default:
      return {tensor.dtype(), std::nullopt};
  }
}

Fact fact_of(const Value& value) {
  if (value.is_tensor()) return {value.tensor.dtype(), value.tensor.shape()};
  if (value.type.present()) return value.type;
  return element_fact(value.tensor);
}

Tensor make_sequence(std::span<const Value* const> values) {
  Sequence sequence;
  for (const Value* value : values) {
    const Tensor& element = valid(value, "an element of the sequence").tensor;
    const DType first = values.front()->tensor.dtype();
    if (is_container(first) != is_container(element.dtype())) {
      throw Failure(kFail, "An input type was different from others in a sequence of maps or tensors");
    }
    if (element.dtype() != first) {
      throw Failure(kFail,
                    "Sequences must have tensors of the same data type. There was at least one tensor in the "
                    "input that was different.");
    }
    if (first != DType::kMap && is_container(first))
      throw Failure(kFail, "a sequence holds elements that are either tensor or map");
    sequence.elements.push_back(is_container(first) ? element : element.clone());
  }
  return Tensor::scalar(sequence);
}

/// Returns the indices of the keys in sorted order; of equal keys, the first.
template <class Key>
std::vector<int64_t> sorted_places(const Tensor& keys) {
  std::map<Key, int64_t> places;
  for (int64_t i = 0; i < keys.size(); ++i) places.emplace(keys.data<Key>()[i], i);
  std::vector<int64_t> order;
  for (const auto& [key, place] : places) order.push_back(place);
  return order;
}

/// Returns the elements at these indices of a tensor of rank 1.
Tensor chosen(const Tensor& from, const std::vector<int64_t>& places) {
  Tensor result(from.dtype(), Shape{int64_t(places.size())});
  if (from.dtype() == DType::kString) {
    for (size_t i = 0; i < places.size(); ++i) result.data<std::string>()[i] = from.data<std::string>()[places[i]];
    return result;
  }
  const size_t bytes = dtype_bytes(from.dtype(), 1);
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(static_cast<std::byte*>(result.raw()) + i * bytes,
                static_cast<const std::byte*>(from.raw()) + size_t(places[i]) * bytes, bytes);
  }
  return result;
}

Tensor make_map(std::span<const Value* const> values) {
  if (values.size() != 2) throw Failure(kFail, "For map type num_values MUST be 2");
  const Tensor& keys = tensor_of(values[0]);
  const Tensor& elements = tensor_of(values[1]);
  if (keys.rank() != 1 || !(keys.shape() == elements.shape())) {
    throw Failure(kFail, "Key and value tensors have unequal number of elements, or are not of one dim");
  }
  if (keys.dtype() != DType::kInt64 && keys.dtype() != DType::kString) {
    throw Failure(kFail, "Key type is not supported yet.");
  }
  constexpr DType kValues[] = {DType::kInt64, DType::kFloat32, DType::kFloat64, DType::kString};
  if (std::find(std::begin(kValues), std::end(kValues), elements.dtype()) == std::end(kValues)) {
    throw Failure(kFail, str("Value type is not supported yet: ", elements.dtype()));
  }
  const std::vector<int64_t> order =
      keys.dtype() == DType::kString ? sorted_places<std::string>(keys) : sorted_places<int64_t>(keys);
  return Tensor::scalar(Map{chosen(keys, order), chosen(elements, order)});
}

const Tensor& held(const Tensor& optional) { return optional.values<Optional>()[0].value; }

/// Returns the value itself, or the contents of an optional.
const Tensor& unwrapped(const Value* value) {
  const Tensor& tensor = valid(value, "value").tensor;
  return tensor && tensor.dtype() == DType::kOptional && held(tensor) ? held(tensor) : tensor;
}

size_t count_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::kMap) return 2;
  if (tensor.dtype() == DType::kSequence) return tensor.values<Sequence>()[0].elements.size();
  throw Failure(kFail, "Input is not of type sequence or map.");
}

Tensor element_of(const Tensor& tensor, int index) {
  if (index < 0 || size_t(index) >= count_of(tensor))
    throw Failure(kFail, str("invalid index: there is no element ", index));
  if (tensor.dtype() == DType::kMap) {
    const Map& map = tensor.values<Map>()[0];
    return index == 0 ? map.keys.clone() : map.values.clone();
  }
  const Tensor& element = tensor.values<Sequence>()[0].elements[size_t(index)];
  return is_container(element.dtype()) ? element : element.clone();
}

}  // namespace

Status* GetTypeInfo(const Value* value, TypeInfo** info) noexcept {
  return create(info, [&]() -> TypeInfo* {
    const Value& checked = valid(value, "value");
    if (!checked.sparse) return new TypeInfo(type_info(fact_of(checked)));
    auto sparse = std::make_unique<TypeInfo>();
    sparse->kind = kSparseTensorKind;
    sparse->tensor = tensor_info(Fact(checked.sparse->dtype, checked.sparse->shape));
    return sparse.release();
  });
}

Status* CreateValue(const Value* const* values, size_t count, ValueKind kind, Value** created) noexcept {
  return create(created, [&] {
    if (count == 0) throw Failure(kFail, "Number of values should be at least 1.");
    require(values, "in must not be NULL");
    const std::span given(values, count);
    if (kind == kSequenceKind) return new Value{make_sequence(given)};
    if (kind == kMapKind) return new Value{make_map(given)};
    throw Failure(kFail, "Input is not of type sequence or map.");
  });
}

Status* GetValueCount(const Value* value, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = count_of(unwrapped(value)); });
}

Status* GetValue(const Value* value, int index, Allocator*, Value** element) noexcept {
  return create(element, [&] { return new Value{element_of(unwrapped(value), index)}; });
}

Status* CreateOpaqueValue(const char*, const char*, const void*, size_t, Value**) noexcept {
  return make_status(kFail, "no type of this domain and name is registered");
}

Status* GetOpaqueValue(const char*, const char*, const Value*, void*, size_t) noexcept {
  return make_status(kFail, "no type of this domain and name is registered");
}

}  // namespace linnet::ort
