#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels_for.h"
#include "linnet/dtype.h"

namespace linnet {

/// A kernel that converts elements, and the bytes of those that it makes.
struct Conversion {
  std::function<void(const void* x, void* y, int64_t n)> convert;
  int64_t y_bytes;
};

/// The conversions, one to three, by which kernels turn one dtype into another one as wide.h defines it: by way of
/// int32, int64, float32 or float64, so that n dtypes take a few kernels rather than n * n. nullopt where one of them
/// would round too early, or no kernel reads the dtype.
std::optional<std::vector<Conversion>> cast_path(DType from, DType to, Isa isa);

/// The most elements that convert_block() takes where there are several conversions.
inline constexpr int64_t kCastBlock = 1024;

/// y[i] = x[i] by all conversions of a path, for i < n.
void convert_block(std::span<const Conversion> path, const void* x, void* y, int64_t n);

}  // namespace linnet
