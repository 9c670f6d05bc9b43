#pragma once

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {

inline int least_of(DType dtype) { return dtype == DType::kInt8 ? -128 : 0; }

inline Tensor random_bytes(const Shape& shape, DType dtype, unsigned seed = 0) {
  const auto least = float(least_of(dtype));
  return cast_to(random_uniform(shape, least, least + 255.9f, seed), dtype);
}

inline Tensor byte(DType dtype, int value) {
  return dtype == DType::kInt8 ? Tensor::scalar(int8_t(value)) : Tensor::scalar(uint8_t(value));
}

struct Grid {
  DType dtype = DType::kUint8;
  float scale = 0.05f;
  int zero_point = 100;

  double value(double byte) const { return (byte - zero_point) * double(scale); }
};

/// Builds graphs of quantised values.
struct ByteGraph : GraphBuilder {
  using GraphBuilder::GraphBuilder;

  ValueId bytes(const std::string& name, const Shape& shape, DType dtype = DType::kUint8) {
    return input(name, Fact(dtype, shape));
  }
  ValueId dequantize(ValueId x, const Grid& grid = {}) {
    return op("DequantizeLinear",
              {x, constant(Tensor::scalar(grid.scale)), constant(byte(grid.dtype, grid.zero_point))});
  }
  ValueId quantize(ValueId x, const Grid& grid = {}) {
    return op("QuantizeLinear", {x, constant(Tensor::scalar(grid.scale)), constant(byte(grid.dtype, grid.zero_point))});
  }
  /// Quantises and dequantises.
  ValueId rounded(ValueId x, const Grid& grid = {}) { return dequantize(quantize(x, grid), grid); }
};

}  // namespace linnet::testing
