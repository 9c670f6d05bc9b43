#include "values/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <span>

#include "elements/bit_stream.h"
#include "elements/to_integer.h"
#include "linnet/complex.h"
#include "linnet/containers.h"
#include "tensor/counted_memory.h"

namespace linnet::tool {
namespace {

/// Calls f with a value of the C++ type of a numeric dtype.
template <class F>
auto with_number(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool:
      return f(bool{});
    case DType::kInt8:
      return f(int8_t{});
    case DType::kInt16:
      return f(int16_t{});
    case DType::kInt32:
      return f(int32_t{});
    case DType::kInt64:
      return f(int64_t{});
    case DType::kUint8:
      return f(uint8_t{});
    case DType::kUint16:
      return f(uint16_t{});
    case DType::kUint32:
      return f(uint32_t{});
    case DType::kUint64:
      return f(uint64_t{});
    case DType::kFloat16:
      return f(Half{});
    case DType::kBFloat16:
      return f(BFloat16{});
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      return f(double{});
    default:
      throw Error(ErrorKind::kType, str(dtype_name(dtype), " is not a numeric type that run_model converts"));
  }
}

/// The number of copies of a text that exist until it is printed.
constexpr size_t kCopiesToPrint = 4;

std::string print_double(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string print_integer(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kUint64) return std::to_string(tensor.data<uint64_t>()[i]);
  if (tensor.dtype() == DType::kInt64) return std::to_string(tensor.data<int64_t>()[i]);
  return std::to_string(int64_t(element(tensor, i)));
}

template <class T>
std::string print_complex(const Tensor& tensor, int64_t i) {
  const std::complex<T> value = tensor.data<std::complex<T>>()[i];
  return str("(", print_double(double(value.real())), ", ", print_double(double(value.imag())), ")");
}

/// The bits of an element of at most 8 bits.
std::string print_bits(const Tensor& tensor, int64_t i) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%x", code_at(tensor.raw(), i, dtype_bits(tensor.dtype())));
  return text.data();
}

}  // namespace

bool is_number(DType dtype) {
  return dtype == DType::kBool || (dtype >= DType::kFloat32 && dtype <= DType::kUint64 && dtype != DType::kString) ||
         dtype == DType::kBFloat16;
}

double element(const Tensor& tensor, int64_t i) {
  return with_number(tensor.dtype(), [&]<class T>(T) { return static_cast<double>(tensor.data<T>()[i]); });
}

void set_element(Tensor& tensor, int64_t i, double value) {
  with_number(tensor.dtype(), [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      tensor.data<T>()[i] = T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      tensor.data<T>()[i] = value != 0;
    } else {
      tensor.data<T>()[i] = to_number<T>(value);
    }
  });
}

std::string print_element(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kString: {
      const std::string& text = tensor.data<std::string>()[i];
      CountedMemory().add(size_t(checked_mul(kCopiesToPrint, int64_t(text.size()))));
      return str('"', text, '"');
    }
    case DType::kBool:
      return tensor.data<bool>()[i] ? "true" : "false";
    case DType::kComplex64:
      return print_complex<float>(tensor, i);
    case DType::kComplex128:
      return print_complex<double>(tensor, i);
    default:
      break;
  }
  if (!is_number(tensor.dtype())) return print_bits(tensor, i);
  return is_floating(tensor.dtype()) ? print_double(element(tensor, i)) : print_integer(tensor, i);
}

std::string print_elements(const Tensor& tensor, int64_t count) {
  std::string text;
  const int64_t shown = std::min(count, tensor.size());
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) text += ' ';
    text += print_element(tensor, i);
  }
  return shown < tensor.size() ? text + (shown ? " ..." : "...") : text;
}

namespace {

/// The elements of a vector in another order. Elements must be at least one byte.
Tensor permuted(Tensor from, const std::vector<int64_t>& order) {
  Tensor result(from.dtype(), from.shape());
  const auto element_of = [](Tensor& tensor, int64_t i) {
    const int64_t width = dtype_bits(tensor.dtype()) / 8;
    return Tensor::wrap(tensor.dtype(), {}, static_cast<std::byte*>(tensor.raw()) + i * width);
  };
  for (size_t i = 0; i < order.size(); ++i) {
    Tensor to = element_of(result, int64_t(i));
    copy_elements(element_of(from, order[i]), to);
  }
  return result;
}

/// The indices of the elements in ascending order.
template <class T>
std::vector<int64_t> ascending(std::span<const T> keys) {
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[size_t(a)] < keys[size_t(b)]; });
  return order;
}

Map in_key_order(const Map& map) {
  const bool texts = map.keys.dtype() == DType::kString;
  const auto order = texts ? ascending(map.keys.values<std::string>()) : ascending(map.keys.values<int64_t>());
  return {permuted(map.keys, order), permuted(map.values, order)};
}

}  // namespace

std::vector<std::pair<std::string, Tensor>> container_parts(const std::string& name, const Tensor& container) {
  std::vector<std::pair<std::string, Tensor>> parts;
  if (container.dtype() == DType::kSequence) {
    for (const Tensor& element : container.data<Sequence>()->elements) {
      parts.emplace_back(str(name, '[', parts.size(), ']'), element);
    }
  } else if (container.dtype() == DType::kOptional) {
    const Tensor& value = container.data<Optional>()->value;
    if (value) parts.emplace_back(name + ".value", value);
  } else {
    const Map map = in_key_order(*container.data<Map>());
    parts.emplace_back(name + ".keys", map.keys);
    parts.emplace_back(name + ".values", map.values);
  }
  return parts;
}

}  // namespace linnet::tool
