// Tensors of strings.
#include <algorithm>
#include <cstring>

#include "slots.h"
#include "status.h"
#include "value.h"

namespace linnet::ort {
namespace {

std::span<std::string> strings_of(const Value* value) {
  const Tensor& tensor = tensor_of(value);
  if (tensor.dtype() != DType::kString) {
    throw Failure(kFail, str("Tensor type mismatch: expected strings, got ", tensor.dtype()));
  }
  return {static_cast<std::string*>(const_cast<void*>(tensor.raw())), size_t(tensor.size())};
}

std::string& string_at(const Value* value, size_t index) {
  const std::span<std::string> strings = strings_of(value);
  require(index < strings.size(), "element index is out of bounds");
  return strings[index];
}

size_t total_length(std::span<const std::string> strings) {
  size_t length = 0;
  for (const std::string& string : strings) length += string.size();
  return length;
}

}  // namespace

Status* FillStringTensor(Value* value, const char* const* texts, size_t count) noexcept {
  return guarded([&] {
    const std::span<std::string> strings = strings_of(value);
    require(count == strings.size(), "input array doesn't equal tensor size");
    require(texts || count == 0, "s must not be NULL");
    for (size_t i = 0; i < count; ++i) strings[i] = text(texts[i], "a string");
  });
}

Status* FillStringTensorElement(Value* value, const char* element, size_t index) noexcept {
  return guarded([&] { string_at(value, index) = text(element, "s"); });
}

Status* GetStringTensorDataLength(const Value* value, size_t* length) noexcept {
  return guarded([&] { valid(length, "len") = total_length(strings_of(value)); });
}

Status* GetStringTensorElementLength(const Value* value, size_t index, size_t* length) noexcept {
  return guarded([&] { valid(length, "out") = string_at(value, index).size(); });
}

Status* GetStringTensorContent(const Value* value, void* buffer, size_t size, size_t* offsets, size_t count) noexcept {
  return guarded([&] {
    const std::span<const std::string> strings = strings_of(value);
    if (count != strings.size()) throw Failure(kFail, "offsets buffer is not equal to tensor size");
    if (size < total_length(strings)) {
      throw Failure(kFail, "output buffer is too small. Use GetStringTensorDataLength.");
    }
    require((buffer && offsets) || count == 0, "s and offsets must not be NULL");
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      offsets[i] = at;
      std::memcpy(static_cast<char*>(buffer) + at, strings[i].data(), strings[i].size());
      at += strings[i].size();
    }
  });
}

Status* GetStringTensorElement(const Value* value, size_t size, size_t index, void* buffer) noexcept {
  return guarded([&] {
    const std::string& string = string_at(value, index);
    if (size < string.size()) throw Failure(kFail, "buffer size is too small for string element");
    require(buffer || string.empty(), "s must not be NULL");
    if (!string.empty()) std::memcpy(buffer, string.data(), string.size());
  });
}

Status* GetResizedStringTensorElementBuffer(Value* value, size_t index, size_t length, char** buffer) noexcept {
  return guarded([&] {
    std::string& string = string_at(value, index);
    string.resize(length);
    valid(buffer, "buffer") = string.data();
  });
}

}  // namespace linnet::ort
