#pragma once

#include <gtest/gtest.h>

#include "support/byte_graph.h"
#include "support/expect_unchanged.h"

// Products between DequantizeLinear and QuantizeLinear. Scales are powers of two, so that unoptimised graphs are exact
// too and outputs have the same bits.
namespace linnet::testing {

inline constexpr auto kU8 = DType::kUint8, kS8 = DType::kInt8;

/// Expects the outputs of the unoptimised graph on every instruction set for bytes.
inline void expect_exact(const GraphBuilder& b, const std::vector<Tensor>& inputs) {
  for (const Isa isa : supported_byte_isas()) {
    ModelOptions as_written, optimized;
    as_written.optimization = 0;
    as_written.isa = optimized.isa = isa;
    const std::vector<Tensor> want = run_model(b.model(as_written), inputs);
    const std::vector<Tensor> got = run_model(b.model(optimized), inputs);
    for (size_t i = 0; i < want.size(); ++i) expect_close(got[i], want[i]);
  }
}

/// Returns scales that alternate between `first` and half of it.
inline Tensor powers(int64_t n, float first) {
  Tensor scale(DType::kFloat32, {n});
  for (int64_t i = 0; i < n; ++i) scale.data<float>()[i] = i % 2 == 0 ? first : first / 2;
  return scale;
}

/// Returns constant weights after a DequantizeLinear with scales per index of the axis.
inline ValueId weights(ByteGraph& g, const Shape& shape, int64_t axis, DType dtype = kS8) {
  const std::vector<ValueId> inputs{g.constant(random_bytes(shape, dtype, 5)),
                                    g.constant(powers(shape[int(axis)], 0x1p-7f))};
  if (dtype == kS8) return g.op("DequantizeLinear", inputs, {{"axis", axis}});
  const Tensor zeros = cast_to(random_uniform({shape[int(axis)]}, 128, 128), dtype);
  return g.op("DequantizeLinear", {inputs[0], inputs[1], g.constant(zeros)}, {{"axis", axis}});
}

/// Returns an int32 bias in units of x_scale times the scales of the weights.
inline ValueId bias(ByteGraph& g, int64_t channels, float x_scale) {
  Tensor values(DType::kInt32, {channels});
  for (int64_t i = 0; i < channels; ++i) values.data<int32_t>()[i] = int32_t(i - 2) * 999;
  return g.op("DequantizeLinear", {g.constant(values), g.constant(powers(channels, x_scale * 0x1p-7f))},
              {{"axis", int64_t{0}}});
}

inline Grid grid(DType dtype, float scale, int zero_point) { return {dtype, scale, zero_point}; }

/// Expects that a product stays one of floats.
inline void expect_floats(const ByteGraph& g, const std::vector<Tensor>& inputs) {
  EXPECT_EQ(optimized_ops(g).find("QLinear"), std::string::npos) << optimized_ops(g);
  expect_exact(g, inputs);
}

}  // namespace linnet::testing
