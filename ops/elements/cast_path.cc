#include "elements/cast_path.h"

#include <algorithm>
#include <cstring>

#include "kernels/convert.h"
#include "kernels/kernels_for.h"
#include "kernels/number_cast.h"
#include "linnet/shape.h"

namespace linnet {
namespace {

using D = DType;
using N = NumberCastKernels;

/// A conversion between two types of numbers. bool is read as uint8, and uint64 as int64.
struct Edge {
  DType from, to;
  N::F N::*kernel;
};

constexpr Edge kEdges[] = {
    {D::kUint8, D::kInt32, &N::s32_of_u8},      {D::kInt8, D::kInt32, &N::s32_of_s8},
    {D::kUint16, D::kInt32, &N::s32_of_u16},    {D::kInt16, D::kInt32, &N::s32_of_s16},
    {D::kUint8, D::kInt64, &N::s64_of_u8},      {D::kInt8, D::kInt64, &N::s64_of_s8},
    {D::kUint8, D::kFloat32, &N::f32_of_u8},    {D::kInt8, D::kFloat32, &N::f32_of_s8},
    {D::kUint8, D::kFloat64, &N::f64_of_u8},    {D::kInt8, D::kFloat64, &N::f64_of_s8},
    {D::kUint32, D::kInt64, &N::s64_of_u32},    {D::kInt32, D::kInt64, &N::s64_of_s32},
    {D::kInt32, D::kUint8, &N::bits8_of_s32},   {D::kInt32, D::kInt8, &N::bits8_of_s32},
    {D::kInt32, D::kUint16, &N::bits16_of_s32}, {D::kInt32, D::kInt16, &N::bits16_of_s32},
    {D::kInt64, D::kUint32, &N::bits32_of_s64}, {D::kInt64, D::kInt32, &N::bits32_of_s64},
    {D::kInt32, D::kFloat32, &N::f32_of_s32},   {D::kInt32, D::kFloat64, &N::f64_of_s32},
    {D::kInt64, D::kFloat32, &N::f32_of_s64},   {D::kInt64, D::kFloat64, &N::f64_of_s64},
    {D::kFloat32, D::kInt32, &N::s32_of_f32},   {D::kFloat64, D::kInt32, &N::s32_of_f64},
    {D::kFloat32, D::kInt64, &N::s64_of_f32},   {D::kFloat64, D::kInt64, &N::s64_of_f64},
    {D::kFloat32, D::kFloat64, &N::f64_of_f32}, {D::kFloat64, D::kFloat32, &N::f32_of_f64},
    {D::kInt32, D::kBool, &N::bool_of_s32},     {D::kInt64, D::kBool, &N::bool_of_s64},
    {D::kFloat32, D::kBool, &N::bool_of_f32},   {D::kFloat64, D::kBool, &N::bool_of_f64},
    {D::kUint8, D::kBool, &N::bool_of_u8},
};

/// The type for computing with a dtype that is read or written.
DType hub(DType dtype) {
  if (is_half(dtype) || dtype == D::kFloat32) return D::kFloat32;
  if (dtype == D::kFloat64) return D::kFloat64;
  const bool wide = dtype == D::kUint32 || dtype == D::kInt64 || dtype == D::kUint64;
  return wide ? D::kInt64 : D::kInt32;
}

bool rounds_once(DType from, DType to) {
  if (from == D::kUint64) return !is_floating(to);
  if (to == D::kUint64) return !is_floating(from);
  // Integers that float32 cannot represent exactly are infinite as float16; float64 is first rounded to odd.
  if (to == D::kBFloat16) return is_floating(from) || dtype_bits(from) < 32;
  return true;
}

bool has_kernels(DType dtype) {
  return dtype == D::kBool || is_half(dtype) || dtype == D::kFloat32 || dtype == D::kFloat64 ||
         (is_integer(dtype) && dtype_bits(dtype) >= 8);
}

Conversion half_conversion(DType from, DType to, const ConvertKernels& kernels) {
  const auto make = [to]<class X, class Y>(void (*f)(const X*, Y*, int64_t)) {
    return Conversion{[f](const void* x, void* y, int64_t n) { f(static_cast<const X*>(x), static_cast<Y*>(y), n); },
                      dtype_bits(to) / 8};
  };
  if (from == D::kFloat16) return make(kernels.float_of_half);
  if (from == D::kBFloat16) return make(kernels.float_of_bfloat16);
  return to == D::kFloat16 ? make(kernels.half_of_float) : make(kernels.bfloat16_of_float);
}

Conversion copy_of(int64_t bytes) {
  return {[bytes](const void* x, void* y, int64_t n) { std::memcpy(y, x, size_t(checked_mul(n, bytes))); }, bytes};
}

/// The edge between two dtypes; nullptr if not found.
const Edge* find_edge(DType from, DType to) {
  const Edge* edge = std::ranges::find_if(kEdges, [=](const Edge& e) { return e.from == from && e.to == to; });
  return edge == std::end(kEdges) ? nullptr : edge;
}

/// One conversion of a path that ends in the dtype `last`.
Conversion conversion(DType from, DType to, DType last, Isa isa) {
  if (from == D::kFloat64 && is_half(last))
    return {kernels_for<NumberCastKernels>(isa).f32_of_f64_to_odd, sizeof(float)};
  if (is_half(from) || is_half(to)) return half_conversion(from, to, kernels_for<ConvertKernels>(isa));
  return {kernels_for<NumberCastKernels>(isa).*find_edge(from, to)->kernel, dtype_bits(to) / 8};
}

}  // namespace

std::optional<std::vector<Conversion>> cast_path(DType from, DType to, Isa isa) {
  if (!has_kernels(from) || !has_kernels(to) || !rounds_once(from, to)) return std::nullopt;
  std::vector<Conversion> path;
  DType at = from == D::kUint64 ? D::kInt64 : from;
  const DType end = to == D::kUint64 ? D::kInt64 : to;
  const auto add = [&](DType next) {
    if (at != next) path.push_back(conversion(at, next, end, isa));
    at = next;
  };
  if (at == end) return std::vector{copy_of(dtype_bits(to) / 8)};
  if (to == D::kBool && dtype_bits(at) == 8) at = D::kUint8;
  if (from == D::kBool) {  // Every byte other than 0 is true.
    at = D::kUint8;
    add(D::kBool);
    at = D::kUint8;
  }
  if (at == end || find_edge(at, end)) return add(end), path;
  const DType first = hub(at);
  for (const DType next : {first, to == D::kBool ? first : hub(end), end}) add(next);
  return path;
}

void convert_block(std::span<const Conversion> path, const void* x, void* y, int64_t n) {
  alignas(64) std::byte between[2][kCastBlock * sizeof(double)];
  for (size_t i = 0; i + 1 < path.size(); x = between[i++ % 2]) path[i].convert(x, between[i % 2], n);
  path.back().convert(x, y, n);
}

}  // namespace linnet
