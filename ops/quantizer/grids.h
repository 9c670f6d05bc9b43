#pragma once

#include "linnet/tensor.h"
#include "quantizer/histogram.h"
#include "quantizer/layers.h"

namespace linnet {

/// The uint8 values that represent a range: real = (value - zero) * scale.
struct ActivationGrid {
  float scale = 1;
  uint8_t zero = 0;

  explicit ActivationGrid(const ValueRange& range);
};

/// Symmetric int8 weights: real = values * scale, with one scale (rank 0) or one for each output channel.
struct ByteWeights {
  Tensor values, scale;
};

/// The options of int8 weights.
struct WeightGrid {
  bool per_channel = false;   ///< One scale for each output channel.
  bool reduce_range = false;  ///< Limits magnitudes to 64 instead of 127.
};

/// Quantises weights. Scales are large enough for the bias, divided by input_scale and the scale, to fit into int32. An
/// input_scale of 0 means no bias.
ByteWeights quantize_weights(const Layer& layer, const WeightGrid& grid, float input_scale = 0);

/// Returns the bias in units of the products' sums: int32, and its scale.
ByteWeights quantize_bias(const Layer& layer, const ByteWeights& weights, float input_scale);

/// Returns MatMulNBits' B, uint8 [N, blocks, block_size / 2], and scales, float32 [N, blocks], for 4 bits with zero at
/// 8.
ByteWeights quantize_blocks(const Layer& layer, int64_t block_size);

}  // namespace linnet
