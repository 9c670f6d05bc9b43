#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/kernels_for.h"
#include "linnet/dtype.h"

namespace linnet {

/// A conversion by a kernel, and the bytes of the elements that it makes.
struct CastStep {
  std::function<void(const void* x, void* y, int64_t n)> convert;
  int64_t y_bytes;
};

/// The steps, one to three, by which kernels convert one dtype to another one as wide.h defines it: by way of int32,
/// int64, float32 or float64, so that n dtypes take a few kernels rather than n * n. nullopt where a step would round
/// too early, or no kernel reads the dtype.
std::optional<std::vector<CastStep>> cast_path(DType from, DType to, Isa isa);

/// The most elements that convert_block() takes where there are several steps.
inline constexpr int64_t kCastBlock = 1024;

/// y[i] = x[i] by all steps of a path, for i < n.
void convert_block(std::span<const CastStep> path, const void* x, void* y, int64_t n);

}  // namespace linnet
