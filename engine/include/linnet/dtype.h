#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "linnet/export.h"

namespace linnet {

/// Element types, numbered as in onnx.TensorProto.DataType up to kLastElementType. The types after it are values that
/// are not tensors, see linnet/containers.h.
enum class DType : int32_t {
  kUndefined = 0,
  kFloat32 = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBFloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
  kFloat6E2M3 = 27,
  kFloat6E3M2 = 28,
  kSequence = 64,
  kOptional = 65,
  kMap = 66,
};

/// The greatest dtype of a tensor.
inline constexpr DType kLastElementType = DType::kFloat6E3M2;

/// The name of a dtype, "float32", "int64", "bfloat16", ...: NumPy's name if it has one, otherwise ONNX's in lower
/// case.
LINNET_API std::string_view dtype_name(DType dtype);

/// The dtype of a name, as dtype_name() or ONNX spells it ("float", "double"); kUndefined if no dtype has that name.
LINNET_API DType dtype_from_name(std::string_view name);

/// Bits per stored element: 4 for int4, 8 for bool; for strings and containers, the size of the C++ object.
LINNET_API int dtype_bits(DType dtype);

/// Bytes that `count` elements occupy. Sub-byte elements are packed without gaps; the last byte is padded. Throws
/// Error(kLimit) on overflow, Error(kType) for kUndefined.
LINNET_API size_t dtype_bytes(DType dtype, int64_t count);

LINNET_API bool is_floating(DType dtype);  ///< float16, bfloat16, float32, float64, float8*, float6*, float4
LINNET_API bool is_integer(DType dtype);   ///< signed and unsigned, all widths; not bool

/// Whether the dtype is float16 or bfloat16.
inline bool is_half(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

/// Whether the dtype is a sequence, an optional or a map.
inline bool is_container(DType dtype) { return dtype >= DType::kSequence && dtype <= DType::kMap; }
/// Whether elements are C++ objects rather than bytes: strings and containers.
inline bool is_object(DType dtype) { return dtype == DType::kString || is_container(dtype); }

/// Prints dtype_name().
LINNET_API std::ostream& operator<<(std::ostream& out, DType dtype);

}  // namespace linnet
