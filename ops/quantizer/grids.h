#pragma once

#include "linnet/tensor.h"
#include "quantizer/histogram.h"
#include "quantizer/layers.h"

namespace linnet {

/// The uint8 values that stand for a range: real = (value - zero) * scale.
struct ActivationGrid {
  float scale = 1;
  uint8_t zero = 0;

  explicit ActivationGrid(const ValueRange& range);
};

/// Centred int8 weights: real = values * scale, one scale (rank 0) or one for each output channel.
struct ByteWeights {
  Tensor values, scale;
};

/// How weights become int8.
struct WeightGrid {
  bool per_channel = false;   ///< one scale for each output channel
  bool reduce_range = false;  ///< magnitudes of at most 64, not 127
};

/// input_scale: what a bias is then divided by besides; scales are large enough for it to fit into int32. 0: no bias.
ByteWeights quantize_weights(const Layer& layer, const WeightGrid& grid, float input_scale = 0);

/// The bias in units of the products' sums: int32, and its scale.
ByteWeights quantize_bias(const Layer& layer, const ByteWeights& weights, float input_scale);

/// MatMulNBits' B uint8 [N, blocks, block_size / 2] and scales float32 [N, blocks] of 4 bits, zero at 8.
ByteWeights quantize_blocks(const Layer& layer, int64_t block_size);

}  // namespace linnet
