#include "scalar_types.h"

namespace linnet::pt2 {

DType scalar_type(JsonRef json) {
  switch (json.integer()) {
    case 1:
      return DType::kUint8;
    case 2:
      return DType::kInt8;
    case 3:
      return DType::kInt16;
    case 4:
      return DType::kInt32;
    case 5:
      return DType::kInt64;
    case 6:
      return DType::kFloat16;
    case 7:
      return DType::kFloat32;
    case 8:
      return DType::kFloat64;
    case 9:
      json.fail("complex numbers of float16 are not supported; use complex64", ErrorKind::kUnsupported);
    case 10:
      return DType::kComplex64;
    case 11:
      return DType::kComplex128;
    case 12:
      return DType::kBool;
    case 13:
      return DType::kBFloat16;
    case 28:
      return DType::kUint16;
    case 29:
      return DType::kFloat8E4M3FN;
    case 30:
      return DType::kFloat8E5M2;
    case 31:
      return DType::kFloat8E4M3FNUZ;
    case 32:
      return DType::kFloat8E5M2FNUZ;
    case 33:
      return DType::kFloat8E8M0;
    case 34:
      return DType::kUint32;
    case 35:
      return DType::kUint64;
    default:
      json.fail(str("dtype ", json.integer(), " is unknown"), ErrorKind::kUnsupported);
  }
}

}  // namespace linnet::pt2
