#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels_for.h"
#include "linnet/dtype.h"

namespace linnet {

/// A kernel that converts elements, and the number of bytes of each result.
struct Conversion {
  std::function<void(const void* x, void* y, int64_t n)> convert;
  int64_t y_bytes;
};

/// The one to four conversions by which kernels convert one dtype to another as defined in wide.h. They go through
/// int32, int64, float32 or float64, so that n dtypes need a few kernels rather than n * n. nullopt if one of them
/// would round too early, or there is no kernel for a dtype.
std::optional<std::vector<Conversion>> cast_path(DType from, DType to, Isa isa);

/// The maximum number of elements for convert_block() with several conversions.
inline constexpr int64_t kCastBlock = 1024;

/// y[i] = x[i] converted by all conversions of a path, for i < n.
void convert_block(std::span<const Conversion> path, const void* x, void* y, int64_t n);

}  // namespace linnet
