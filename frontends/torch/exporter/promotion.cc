#include "promotion.h"

#include "export_error.h"

namespace linnet::exporter {
namespace {

enum class Category { kNone, kBool, kInteger, kFloat, kComplex };

Category category_of(DType dtype) {
  switch (dtype) {
    case DType::kUndefined:
      return Category::kNone;
    case DType::kBool:
      return Category::kBool;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return Category::kFloat;
    case DType::kComplex64:
    case DType::kComplex128:
      return Category::kComplex;
    default:
      return Category::kInteger;
  }
}

bool is_unsigned(DType dtype) {
  return dtype == DType::kUint8 || dtype == DType::kUint16 || dtype == DType::kUint32 || dtype == DType::kUint64;
}

DType wider_integer(DType a, DType b) {
  const int bits_a = dtype_bits(a), bits_b = dtype_bits(b);
  if (is_unsigned(a) == is_unsigned(b)) return bits_a >= bits_b ? a : b;
  const DType number = is_unsigned(a) ? b : a, natural = is_unsigned(a) ? a : b;
  if (dtype_bits(number) > dtype_bits(natural)) return number;
  if (natural == DType::kUint8) return DType::kInt16;
  throw ExportError(text_of("PyTorch has no sum of ", dtype_name(a), " and ", dtype_name(b)));
}

DType wider_float(DType a, DType b) {
  if (dtype_bits(a) != dtype_bits(b)) return dtype_bits(a) > dtype_bits(b) ? a : b;
  return a == b ? a : DType::kFloat32;  // one is float16, the other bfloat16
}

DType wider_complex(DType a, DType b) {
  return a == DType::kComplex128 || b == DType::kComplex128 || a == DType::kFloat64 || b == DType::kFloat64
             ? DType::kComplex128
             : DType::kComplex64;
}

}  // namespace

DType promoted(DType a, DType b) {
  if (a == b) return a;
  const Category of_a = category_of(a), of_b = category_of(b), most = std::max(of_a, of_b);
  if (most == Category::kComplex)
    return of_a == Category::kNone ? b : of_b == Category::kNone ? a : wider_complex(a, b);
  if (of_a != of_b) return of_a > of_b ? a : b;
  return most == Category::kInteger ? wider_integer(a, b) : wider_float(a, b);
}

void Promotion::add(DType dtype, Kind kind) {
  // A Python float counts as PyTorch's default dtype, and a Python complex as the complex dtype with such parts.
  if (kind == Kind::kNumber && dtype == DType::kFloat64) dtype = DType::kFloat32;
  if (kind == Kind::kNumber && dtype == DType::kComplex128) dtype = DType::kComplex64;
  DType& highest = highest_[int(kind)];
  highest = promoted(highest, dtype);
}

DType Promotion::result() const {
  DType result = highest_[0];
  for (const DType further : {highest_[1], highest_[2]}) {
    if (category_of(further) > category_of(result)) result = promoted(result, further);
  }
  return result;
}

}  // namespace linnet::exporter
