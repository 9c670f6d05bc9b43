#include "tensor_variations.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace linnet {
namespace {

constexpr int64_t kMostElements = 1 << 16;

std::vector<Shape> shapes_of_other_ranks(const Shape& shape) {
  const std::span<const int64_t> dims = shape.dims();
  std::vector<Shape> result{Shape{}, Shape{1}, Shape{0}};
  if (!dims.empty()) {
    result.emplace_back(dims.subspan(1));
    result.emplace_back(dims.first(dims.size() - 1));
  }
  Shape larger{1};
  for (const int64_t dim : dims) larger.push_back(dim);
  result.push_back(larger);
  Shape largest = shape;
  while (largest.rank() < kMaxRank) largest.push_back(1);
  result.push_back(largest);
  return result;
}

/// Returns each dim changed in turn, alone and with another dim of 0.
std::vector<Shape> shapes_of_other_dims(const Shape& shape) {
  std::vector<Shape> result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    for (const int64_t dim : kDims) {
      Shape changed = shape;
      changed[axis] = dim;
      result.push_back(changed);
      for (int other = 0; dim > 1 && other < shape.rank(); ++other) {
        if (other == axis) continue;
        Shape empty = changed;
        empty[other] = 0;
        result.push_back(empty);
      }
    }
  }
  return result;
}

/// Adds variations with all elements, and with only the last, set to the value.
template <class T>
void fill(std::vector<TensorVariation>& result, const Tensor& tensor, const std::string& name, const T& value) {
  for (const bool all : {true, false}) {
    Tensor changed = tensor.clone();
    T* const data = static_cast<T*>(changed.raw());
    std::fill(all ? data : data + changed.size() - 1, data + changed.size(), value);
    result.push_back({str(all ? "all " : "the last ", name), changed, std::nullopt});
  }
}

template <class T>
void fill_numbers(std::vector<TensorVariation>& result, const Tensor& tensor) {
  using Limits = std::numeric_limits<T>;
  fill(result, tensor, "0", T(0));
  fill(result, tensor, "1", T(1));
  fill(result, tensor, "-1", T(-1));
  fill(result, tensor, "least", Limits::lowest());
  fill(result, tensor, "greatest", Limits::max());
  if constexpr (std::is_floating_point_v<T>) {
    fill(result, tensor, "NaN", Limits::quiet_NaN());
    fill(result, tensor, "infinite", Limits::infinity());
    fill(result, tensor, "-infinite", -Limits::infinity());
    fill(result, tensor, "tiny", Limits::denorm_min());
    fill(result, tensor, "2^62", T(4611686018427387904.0));
  } else if constexpr (sizeof(T) == 8) {
    fill(result, tensor, "2^31", T(1) << 31);
    fill(result, tensor, "2^62", T(1) << 62);
    fill(result, tensor, "least + 1", T(Limits::lowest() + 1));
  }
}

void fill_texts(std::vector<TensorVariation>& result, const Tensor& tensor) {
  for (const std::string& text : {std::string(), std::string(5000, 'a'), std::string("\xff\xc0\x80"), std::string("-1"),
                                  std::string("1e999"), std::string("nan"), std::string(3, '\0')}) {
    fill(result, tensor, "text of " + std::to_string(text.size()) + " bytes", text);
  }
}

/// For bool, and dtypes that C++ lacks: sets whole bytes.
void fill_bytes(std::vector<TensorVariation>& result, const Tensor& tensor) {
  for (const int byte : {0, 1, 0x7f, 0x80, 0xff}) {
    if (tensor.dtype() == DType::kBool && byte > 1) break;
    Tensor changed = tensor.clone();
    std::memset(changed.raw(), byte, changed.bytes());
    result.push_back({str("all bytes ", byte), changed, std::nullopt});
  }
}

void fill_all(std::vector<TensorVariation>& result, const Tensor& tensor) {
  if (tensor.size() == 0) return;
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return fill_numbers<float>(result, tensor);
    case DType::kFloat64:
      return fill_numbers<double>(result, tensor);
    case DType::kInt8:
      return fill_numbers<int8_t>(result, tensor);
    case DType::kInt16:
      return fill_numbers<int16_t>(result, tensor);
    case DType::kInt32:
      return fill_numbers<int32_t>(result, tensor);
    case DType::kInt64:
      return fill_numbers<int64_t>(result, tensor);
    case DType::kUint8:
      return fill_numbers<uint8_t>(result, tensor);
    case DType::kUint16:
      return fill_numbers<uint16_t>(result, tensor);
    case DType::kUint32:
      return fill_numbers<uint32_t>(result, tensor);
    case DType::kUint64:
      return fill_numbers<uint64_t>(result, tensor);
    case DType::kString:
      return fill_texts(result, tensor);
    default:
      return fill_bytes(result, tensor);
  }
}

void add_dtypes(std::vector<TensorVariation>& result, const Tensor& tensor) {
  for (int32_t type = 1; type <= int32_t(kLastElementType); ++type) {
    if (DType(type) == tensor.dtype()) continue;
    Tensor changed(DType(type), tensor.shape());
    if (DType(type) != DType::kString && changed.bytes() > 0) std::memset(changed.raw(), 1, changed.bytes());
    result.push_back({str(DType(type)), changed, std::nullopt});
  }
}

Tensor repeated(const Tensor& tensor, const Shape& shape) {
  Tensor result(tensor.dtype(), shape);
  if (tensor.size() == 0 || result.size() == 0) return result;
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < result.size(); ++i) {
      result.data<std::string>()[i] = tensor.data<std::string>()[i % tensor.size()];
    }
    return result;
  }
  const size_t bytes = tensor.bytes();
  for (size_t at = 0; at < result.bytes(); at += bytes) {
    std::memcpy(static_cast<std::byte*>(result.raw()) + at, tensor.raw(), std::min(bytes, result.bytes() - at));
  }
  return result;
}

}  // namespace

std::optional<TensorVariation> with_shape(const Tensor& tensor, const Shape& shape) {
  int64_t elements = 0;
  try {
    elements = shape.elements();
  } catch (const Error&) {  // Their number exceeds int64.
    elements = kMostElements + 1;
  }
  if (elements <= kMostElements) return TensorVariation{str(shape), repeated(tensor, shape), std::nullopt};
  return TensorVariation{str(shape), tensor, shape};
}

std::vector<TensorVariation> variations(const Tensor& tensor) {
  std::vector<TensorVariation> result;
  for (const auto& shapes : {shapes_of_other_ranks(tensor.shape()), shapes_of_other_dims(tensor.shape())}) {
    for (const Shape& shape : shapes) {
      if (!(shape == tensor.shape())) result.push_back(*with_shape(tensor, shape));
    }
  }
  add_dtypes(result, tensor);
  fill_all(result, tensor);
  return result;
}

}  // namespace linnet
