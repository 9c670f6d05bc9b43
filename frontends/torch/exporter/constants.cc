#include "constants.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "export_error.h"
#include "linnet/complex.h"

namespace linnet::exporter {
namespace {

/// Calls visit(T()) for the element type of a numeric dtype.
template <class Visit>
void visit_element_type(DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::kFloat32:
      return visit(float());
    case DType::kFloat64:
      return visit(double());
    case DType::kFloat16:
      return visit(Half());
    case DType::kBFloat16:
      return visit(BFloat16());
    case DType::kInt8:
      return visit(int8_t());
    case DType::kInt16:
      return visit(int16_t());
    case DType::kInt32:
      return visit(int32_t());
    case DType::kInt64:
      return visit(int64_t());
    case DType::kUint8:
      return visit(uint8_t());
    case DType::kUint16:
      return visit(uint16_t());
    case DType::kUint32:
      return visit(uint32_t());
    case DType::kUint64:
      return visit(uint64_t());
    case DType::kBool:
      return visit(bool());
    default:
      throw ExportError(text_of("constants of ", dtype_name(dtype), " are not covered here"));
  }
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

constexpr double kLeastInt64 = -0x1p63, kBeyondInt64 = 0x1p63, kBeyondUint64 = 0x1p64;

bool fits_int64(double number) { return number >= kLeastInt64 && number < kBeyondInt64; }

template <class To>
To integer_from(double number) {
  if (fits_int64(number)) return To(int64_t(number));
  const bool fits = std::is_same_v<To, uint64_t> && number > 0 && number < kBeyondUint64;
  return fits ? To(number) : std::numeric_limits<To>::min();
}

template <class To, class From>
To element(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return double(value) != 0;
  } else if constexpr (is_half<To>) {
    return To(float(value));
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    return integer_from<To>(double(value));
  } else {
    return To(value);
  }
}

template <class T>
std::vector<T> elements_in(const Tensor& tensor) {
  std::vector<T> result;
  result.reserve(size_t(tensor.size()));
  visit_element_type(tensor.dtype(), [&]<class From>(From) {
    for (const From value : tensor.values<From>()) result.push_back(element<T>(value));
  });
  return result;
}

template <class T>
Tensor tensor_with(const std::vector<T>& values, const Shape& shape, DType dtype) {
  Tensor result(dtype, shape);
  if (result.size() != std::ssize(values)) throw ExportError("a constant has more or fewer elements than its shape");
  visit_element_type(dtype, [&]<class To>(To) {
    std::ranges::transform(values, result.data<To>(), [](T value) { return element<To>(value); });
  });
  return result;
}

/// Throws ExportError unless the tensor has rows of whole bytes that can be copied.
void check_rows(const Tensor& tensor) {
  if (!tensor) throw ExportError("a weight is not known");
  if (tensor.rank() == 0) throw ExportError("a tensor without axes has no rows");
  if (is_object(tensor.dtype()) || dtype_bits(tensor.dtype()) % 8 != 0) {
    throw ExportError(text_of("rows of ", dtype_name(tensor.dtype()), " are not covered"));
  }
}

/// Whether two tensors differ only in the number of their rows.
bool rows_agree(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.shape().dims().subspan(1), b.shape().dims().subspan(1));
}

}  // namespace

int64_t whole_part(double number) {
  if (!fits_int64(number)) throw ExportError(text_of(number, " is used as an integer"));
  return int64_t(number);
}

std::vector<double> numbers_in(const Tensor& tensor) { return elements_in<double>(tensor); }
std::vector<int64_t> integers_in(const Tensor& tensor) { return elements_in<int64_t>(tensor); }

Tensor tensor_of(const std::vector<double>& numbers, const Shape& shape, DType dtype) {
  return tensor_with(numbers, shape, dtype);
}

Tensor scalar_tensor(double number, DType dtype) { return tensor_of({number}, {}, dtype); }

Tensor filled_tensor(const Shape& shape, double number, DType dtype) {
  if (shape.elements() > kMostElements) throw ExportError(text_of("a constant of shape ", shape, " is too large"));
  return tensor_of(std::vector<double>(size_t(shape.elements()), number), shape, dtype);
}

Tensor converted(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const bool is_float = tensor.dtype() == DType::kFloat32 || tensor.dtype() == DType::kFloat64 ||
                        tensor.dtype() == DType::kFloat16 || tensor.dtype() == DType::kBFloat16;
  return is_float ? tensor_with(numbers_in(tensor), tensor.shape(), dtype)
                  : tensor_with(integers_in(tensor), tensor.shape(), dtype);
}

Tensor joined_rows(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    check_rows(tensor);
    if (!rows_agree(tensor, tensors[0])) throw ExportError("tensors whose shapes or dtypes differ have no common rows");
  }
  Shape shape = tensors.at(0).shape();
  for (size_t i = 1; i < tensors.size(); ++i) shape[0] = checked_add(shape[0], tensors[i].dim(0));
  Tensor result(tensors[0].dtype(), shape);
  auto* to = static_cast<std::byte*>(result.raw());
  for (const Tensor& tensor : tensors) {
    std::memcpy(to, tensor.raw(), tensor.bytes());
    to += tensor.bytes();
  }
  return result;
}

Tensor rows_of(const Tensor& tensor, int64_t begin, int64_t end) {
  check_rows(tensor);
  Shape shape = tensor.shape();
  if (begin < 0 || begin > end || end > shape[0]) throw ExportError("a tensor has fewer rows than are read");
  const size_t row = shape[0] == 0 ? 0 : tensor.bytes() / size_t(shape[0]);
  shape[0] = end - begin;
  Tensor result(tensor.dtype(), shape);
  std::memcpy(result.raw(), static_cast<const std::byte*>(tensor.raw()) + size_t(begin) * row, result.bytes());
  return result;
}

Tensor stacked(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> rows;
  for (const Tensor& tensor : tensors) {
    check_rows(tensor);
    Shape shape{1};
    for (const int64_t dim : tensor.shape()) shape.push_back(dim);
    rows.push_back(tensor.reshaped(shape));
  }
  return joined_rows(rows);
}

}  // namespace linnet::exporter
