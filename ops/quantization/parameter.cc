#include "quantization/parameter.h"

#include <array>
#include <cmath>

#include "elements/small_float.h"
#include "infer/infer.h"

namespace linnet {
namespace {

constexpr std::array kScales{DType::kFloat32, DType::kFloat16, DType::kBFloat16};

}  // namespace

ParameterIndex parameter_index(const Shape& matrices, const Shape& shape, ParameterAxis axis, const char* name) {
  if (shape.elements() == 1) return {};
  Shape expected = matrices.rank() >= 2 ? matrices : Shape{1, 1};  // A vector is one row or one column.
  const int rank = expected.rank();
  const bool by_row = axis == ParameterAxis::kRow;
  const int64_t length = expected[by_row ? rank - 2 : rank - 1];
  ParameterIndex index{0, by_row, !by_row};
  if (shape.rank() == 1 && shape[0] == length) return index;
  expected[by_row ? rank - 1 : rank - 2] = 1;
  if (!(shape == expected)) {
    throw Error(ErrorKind::kShape,
                str(name, " must have one element, ", length, " elements or the shape ", expected, ", got ", shape));
  }
  index.matrix = length;
  return index;
}

int32_t byte_at(const Tensor& tensor, int64_t i) {
  return tensor.dtype() == DType::kInt8 ? int32_t(tensor.data<int8_t>()[i]) : int32_t(tensor.data<uint8_t>()[i]);
}

float float_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return tensor.data<float>()[i];
    case DType::kFloat16:
      return tensor.data<Half>()[i];
    case DType::kBFloat16:
      return tensor.data<BFloat16>()[i];
    default:
      return float(decode_small_float(tensor.dtype(), static_cast<const uint8_t*>(tensor.raw())[i]));
  }
}

void check_channel_parameter(const Fact& parameter, const Dim& channels, bool per_channel, const char* name) {
  if (!parameter.concrete() || parameter.shape().elements() == 1) return;
  const Shape shape = parameter.shape();
  const bool fits = per_channel && shape.rank() == 1 && (!channels.known() || shape[0] == channels.value());
  if (fits) return;
  throw Error(ErrorKind::kShape, str(name, " must have one element", per_channel ? " or one per output channel" : "",
                                     ", got ", parameter));
}

void require_positive(const Fact& scale, const std::string& what) {
  if (!is_float8(scale.dtype)) require_dtype_in(scale, kScales, what);
  for (int64_t i = 0; i < (scale.constant ? scale.constant.size() : 0); ++i) {
    const float value = float_at(scale.constant, i);
    if (!(value > 0) || std::isinf(value)) {
      throw Error(ErrorKind::kModel, str(what, " must be positive and finite, got ", value));
    }
  }
}

void check_parameters(const Fact& tensor, const Fact& scale, const Fact& zero_point, const char* name) {
  require_dtype_in(scale, kScales, str(name, "_scale"));
  if (tensor.present()) require_same_dtype(tensor, zero_point, str(name, " and ", name, "_zero_point"));
  const bool one = holds_one(scale) || holds_one(zero_point);  // A single element applies to all.
  if (!one && !compatible(Fact(scale.dtype, scale.dims), Fact(scale.dtype, zero_point.dims))) {
    throw Error(ErrorKind::kShape,
                str(name, "_zero_point must have the shape of ", name, "_scale ", scale, ", got ", zero_point));
  }
}

}  // namespace linnet
