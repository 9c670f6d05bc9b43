#include "op_attribute.h"

#include <algorithm>
#include <cstring>

#include "slots.h"
#include "status.h"
#include "value.h"

namespace linnet::ort {
namespace {

template <class T>
std::vector<T> elements(const void* data, int count) {
  const T* first = static_cast<const T*>(data);
  return {first, first + count};
}

std::vector<std::string> strings(const void* data, int count) {
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) result.emplace_back(text(static_cast<const char* const*>(data)[i], "a string"));
  return result;
}

Attribute attribute_of(AttributeType type, const void* data, int count) {
  switch (type) {
    case kInt:
      return *static_cast<const int64_t*>(data);
    case kInts:
      return elements<int64_t>(data, count);
    case kFloat:
      return *static_cast<const float*>(data);
    case kFloats:
      return elements<float>(data, count);
    case kString:
      return std::string(static_cast<const char*>(data));
    case kStrings:
      return strings(data, count);
    default:
      throw Failure(kFail, str("attributes of type ", int(type), " are not supported"));
  }
}

AttributeType type_of(const Attribute& value) {
  constexpr AttributeType kTypes[] = {kInt, kFloat, kString, kTensor, kGraph, kInts, kFloats, kStrings};
  return value.index() < std::size(kTypes) ? kTypes[value.index()] : kUndefinedAttribute;
}

/// Copies bytes if the caller has room for them. Sets *written to their number.
void copy_bytes(const void* from, size_t bytes, void* to, size_t room, size_t* written) {
  valid(written, "out") = bytes;
  if (bytes > room) throw Failure(kInvalidArgument, "Size of data not large enough to hold the attribute.");
  require(to || bytes == 0, "data must not be NULL");
  if (bytes > 0) std::memcpy(to, from, bytes);
}

/// Returns the consecutive strings, each with its terminating zero.
std::string joined(const std::vector<std::string>& strings) {
  std::string all;
  for (const std::string& one : strings) all.append(one.c_str(), one.size() + 1);
  return all;
}

/// Returns the number or tensor in an attribute.
template <class T>
const T& as(const OpAttr& attribute) {
  const T* value = std::get_if<T>(&attribute.value);
  if (!value) throw Failure(kInvalidArgument, str("Attribute has no value of this type: ", attribute.name));
  return *value;
}

/// Returns the list in an attribute, or an empty list if it has another type.
template <class T>
T many(const OpAttr& attribute) {
  const T* value = std::get_if<T>(&attribute.value);
  return value ? *value : T();
}

}  // namespace

Status* CreateOpAttr(const char* name, const void* data, int count, AttributeType type, OpAttr** created) noexcept {
  return create(created, [&] {
    copied_text(name);
    require(data || count == 0, "data must not be NULL");
    require(count >= 0, "len is below 0");
    return new OpAttr{name, attribute_of(type, data, count)};
  });
}

void ReleaseOpAttr(OpAttr* attribute) noexcept { delete attribute; }

Status* OpAttr_GetName(const OpAttr* attribute, const char** name) noexcept {
  return guarded([&] { valid(name, "name") = valid(attribute, "attr").name.c_str(); });
}

Status* OpAttr_GetType(const OpAttr* attribute, AttributeType* type) noexcept {
  return guarded([&] { valid(type, "type") = type_of(valid(attribute, "attr").value); });
}

Status* OpAttr_GetTensorAttributeAsOrtValue(const OpAttr* attribute, Value** value) noexcept {
  return create(value, [&] { return new Value{as<Tensor>(valid(attribute, "attr")).clone()}; });
}

Status* ReadOpAttr(const OpAttr* attribute, AttributeType type, void* data, size_t room, size_t* written) noexcept {
  return guarded([&] {
    const OpAttr& from = valid(attribute, "op_attr");
    const auto copy = [&](const void* bytes, size_t size) { copy_bytes(bytes, size, data, room, written); };
    const auto copy_all = [&](const auto& values) { copy(values.data(), values.size() * sizeof(values[0])); };
    switch (type) {
      case kInt:
        return copy(&as<int64_t>(from), sizeof(int64_t));
      case kFloat:
        return copy(&as<float>(from), sizeof(float));
      case kInts:
        return copy_all(many<std::vector<int64_t>>(from));
      case kFloats:
        return copy_all(many<std::vector<float>>(from));
      case kString:
        return copy_all(many<std::string>(from));
      case kStrings:
        return copy_all(joined(many<std::vector<std::string>>(from)));
      default:
        throw Failure(kInvalidArgument, str("Unexpected attribute type ", int(type)));
    }
  });
}

}  // namespace linnet::ort
