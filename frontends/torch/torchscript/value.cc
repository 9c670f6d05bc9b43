#include "value.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "convert.h"
#include "exporter/export_error.h"

namespace linnet::exporter::torchscript {
namespace {

bool same(const c10::IValue& a, const c10::IValue& b) {
  if (a.isTensor() && b.isTensor()) {
    const at::Tensor &x = a.toTensor(), &y = b.toTensor();
    if (!x.defined() || !y.defined()) return x.defined() == y.defined();
    return x.scalar_type() == y.scalar_type() && x.sizes() == y.sizes() && at::allclose(x, y, 0, 0, true);
  }
  return a.isObject() || a == b;
}

bool is_composite(const c10::IValue& value) { return value.isList() || value.isTuple() || value.isGenericDict(); }

std::vector<c10::IValue> elements_of(const c10::IValue& value) {
  std::vector<c10::IValue> result;
  if (value.isTuple()) return value.toTupleRef().elements();
  if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) result.push_back(element);
  } else {
    for (const auto& entry : value.toGenericDict()) result.push_back(entry.value());
  }
  return result;
}

std::vector<c10::IValue> keys_of(const c10::IValue& value) {
  std::vector<c10::IValue> result;
  if (!value.isGenericDict()) return result;
  for (const auto& entry : value.toGenericDict()) result.push_back(entry.key());
  return result;
}

c10::TypePtr element_type(const c10::TypePtr& type, size_t index, const Value& value) {
  if (const auto optional = type->cast<c10::OptionalType>())
    return element_type(optional->getElementType(), index, value);
  if (const auto list = type->cast<c10::ListType>()) return list->getElementType();
  if (const auto dict = type->cast<c10::DictType>()) return dict->getValueType();
  if (const auto tuple = type->cast<c10::TupleType>()) return tuple->elements()[index];
  const Value& element = value.container->elements[index];
  return element.is_container() ? c10::AnyType::get() : element.concrete[0].type();
}

}  // namespace

bool Value::constant() const {
  if (!container) return name.empty();
  return std::all_of(container->elements.begin(), container->elements.end(), [](auto& e) { return e.constant(); });
}

bool Value::agrees() const {
  if (!container) {
    return std::all_of(concrete.begin(), concrete.end(), [&](auto& other) { return same(concrete[0], other); });
  }
  return std::all_of(container->elements.begin(), container->elements.end(), [](auto& e) { return e.agrees(); });
}

Value make_container(std::vector<Value> elements, std::vector<c10::IValue> keys) {
  return {{}, "", std::make_shared<Container>(Container{std::move(elements), std::move(keys)})};
}

Value make_constant(const std::vector<c10::IValue>& concrete) {
  if (!is_composite(concrete[0])) return {concrete, "", nullptr};
  std::vector<std::vector<c10::IValue>> lists;
  for (const c10::IValue& value : concrete) lists.push_back(elements_of(value));
  std::vector<Value> elements;
  for (size_t i = 0; i < lists[0].size(); ++i) {
    std::vector<c10::IValue> element;
    for (const auto& list : lists) {
      if (list.size() != lists[0].size()) throw ExportError("the length of a list depends on a dynamic axis");
      element.push_back(list[i]);
    }
    elements.push_back(make_constant(element));
  }
  return make_container(std::move(elements), keys_of(concrete[0]));
}

c10::IValue to_ivalue(const Value& value, const c10::TypePtr& type, size_t evaluation) {
  if (!value.container) return value.concrete[evaluation];
  const c10::TypePtr own =
      type->castRaw<c10::OptionalType>() ? type->castRaw<c10::OptionalType>()->getElementType() : type;
  const std::vector<Value>& parts = value.container->elements;
  std::vector<c10::IValue> elements;
  for (size_t i = 0; i < parts.size(); ++i) {
    elements.push_back(to_ivalue(parts[i], element_type(own, i, value), evaluation));
  }
  if (own->kind() == c10::TypeKind::TupleType) return c10::ivalue::Tuple::create(std::move(elements));
  if (const auto dict_type = own->cast<c10::DictType>()) {
    c10::impl::GenericDict dict(dict_type->getKeyType(), dict_type->getValueType());
    for (size_t i = 0; i < elements.size(); ++i) dict.insert(value.container->keys[i], elements[i]);
    return dict;
  }
  const auto list_type = own->cast<c10::ListType>();
  c10::impl::GenericList list(list_type          ? list_type->getElementType()
                              : elements.empty() ? c10::TypePtr(c10::TensorType::get())
                                                 : elements[0].type());
  for (c10::IValue& element : elements) list.push_back(std::move(element));
  return list;
}

std::vector<int64_t> sizes_along(const Value& tensor, int64_t axis) {
  std::vector<int64_t> sizes;
  for (const c10::IValue& one : tensor.concrete) sizes.push_back(one.toTensor().size(axis));
  return sizes;
}

bool size_differs(const Value& tensor, int64_t axis) {
  const std::vector<int64_t> sizes = sizes_along(tensor, axis);
  return std::any_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size != sizes[0]; });
}

bool is_true(const c10::IValue& value) { return value.isTensor() ? value.toTensor().item<bool>() : value.toBool(); }

size_t dynamic_axes(const Value& tensor) {
  size_t count = 0;
  for (int64_t axis = 0; axis < tensor.tensor().dim(); ++axis) count += size_differs(tensor, axis) ? 1 : 0;
  return count;
}

bool has_one_rank(const Value& tensor) {
  return std::all_of(tensor.concrete.begin(), tensor.concrete.end(),
                     [&](const c10::IValue& one) { return one.toTensor().dim() == tensor.tensor().dim(); });
}

DType dtype_of(const c10::IValue& leaf) {
  if (leaf.isTensor()) return dtype_from(leaf.toTensor().scalar_type());
  if (leaf.isBool()) return DType::kBool;
  if (leaf.isInt()) return DType::kInt64;
  if (leaf.isDouble()) return DType::kFloat64;
  throw ExportError("a " + leaf.tagKind() + " cannot be a value of an ONNX graph");
}

}  // namespace linnet::exporter::torchscript
