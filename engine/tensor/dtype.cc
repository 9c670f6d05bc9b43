#include "linnet/dtype.h"

#include <array>
#include <string>

#include "linnet/containers.h"
#include "linnet/error.h"
#include "linnet/shape.h"

namespace linnet {
namespace {

enum Class { kOther, kFloat, kInteger };

struct Row {
  DType dtype;
  std::string_view name;
  std::string_view onnx_name;
  int bits;
  Class type_class;
};

constexpr std::array kRows{
    Row{DType::kUndefined, "undefined", "undefined", 0, kOther},
    Row{DType::kFloat32, "float32", "float", 32, kFloat},
    Row{DType::kUint8, "uint8", "uint8", 8, kInteger},
    Row{DType::kInt8, "int8", "int8", 8, kInteger},
    Row{DType::kUint16, "uint16", "uint16", 16, kInteger},
    Row{DType::kInt16, "int16", "int16", 16, kInteger},
    Row{DType::kInt32, "int32", "int32", 32, kInteger},
    Row{DType::kInt64, "int64", "int64", 64, kInteger},
    Row{DType::kString, "string", "string", 8 * int(sizeof(std::string)), kOther},
    Row{DType::kBool, "bool", "bool", 8, kOther},
    Row{DType::kFloat16, "float16", "float16", 16, kFloat},
    Row{DType::kFloat64, "float64", "double", 64, kFloat},
    Row{DType::kUint32, "uint32", "uint32", 32, kInteger},
    Row{DType::kUint64, "uint64", "uint64", 64, kInteger},
    Row{DType::kComplex64, "complex64", "complex64", 64, kOther},
    Row{DType::kComplex128, "complex128", "complex128", 128, kOther},
    Row{DType::kBFloat16, "bfloat16", "bfloat16", 16, kFloat},
    Row{DType::kFloat8E4M3FN, "float8e4m3fn", "float8e4m3fn", 8, kFloat},
    Row{DType::kFloat8E4M3FNUZ, "float8e4m3fnuz", "float8e4m3fnuz", 8, kFloat},
    Row{DType::kFloat8E5M2, "float8e5m2", "float8e5m2", 8, kFloat},
    Row{DType::kFloat8E5M2FNUZ, "float8e5m2fnuz", "float8e5m2fnuz", 8, kFloat},
    Row{DType::kUint4, "uint4", "uint4", 4, kInteger},
    Row{DType::kInt4, "int4", "int4", 4, kInteger},
    Row{DType::kFloat4E2M1, "float4e2m1", "float4e2m1", 4, kFloat},
    Row{DType::kFloat8E8M0, "float8e8m0", "float8e8m0", 8, kFloat},
    Row{DType::kUint2, "uint2", "uint2", 2, kInteger},
    Row{DType::kInt2, "int2", "int2", 2, kInteger},
    Row{DType::kFloat6E2M3, "float6e2m3", "float6e2m3", 6, kFloat},
    Row{DType::kFloat6E3M2, "float6e3m2", "float6e3m2", 6, kFloat},
    Row{DType::kSequence, "sequence", "sequence", 8 * int(sizeof(Sequence)), kOther},
    Row{DType::kOptional, "optional", "optional", 8 * int(sizeof(Optional)), kOther},
    Row{DType::kMap, "map", "map", 8 * int(sizeof(Map)), kOther},
};

// Rows are in the order of the enumerators, containers last. Values outside the enumeration count as undefined.
constexpr size_t kContainerRows = 3;
const Row& row(DType dtype) {
  const auto index =
      is_container(dtype) ? kRows.size() - kContainerRows + size_t(dtype) - size_t(DType::kSequence) : size_t(dtype);
  return index < kRows.size() && kRows[index].dtype == dtype ? kRows[index] : kRows[0];
}

}  // namespace

std::string_view dtype_name(DType dtype) { return row(dtype).name; }

DType dtype_from_name(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name || r.onnx_name == name) return r.dtype;
  }
  return DType::kUndefined;
}

int dtype_bits(DType dtype) { return row(dtype).bits; }

size_t dtype_bytes(DType dtype, int64_t count) {
  const int bits = dtype_bits(dtype);
  if (bits == 0) throw Error(ErrorKind::kType, str("dtype ", int(dtype), " has no size"));
  if (bits >= 8) return size_t(checked_mul(count, bits / 8));
  return size_t(checked_add(checked_mul(count, bits), 7) / 8);
}

bool is_floating(DType dtype) { return row(dtype).type_class == kFloat; }
bool is_integer(DType dtype) { return row(dtype).type_class == kInteger; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype_name(dtype); }

}  // namespace linnet
