#pragma once

#include "partition/parts.h"

// What the cost models of convolutions share. The unit of cost is a multiplication of whole vectors on one core, which
// takes about one cycle. All other work is expressed in this unit. The constants were fitted to measurements of single
// layers.
namespace linnet {

/// The cost of starting and storing a vector of sums.
inline constexpr double kSumCost = 8;

/// The cost of Winograd's minimal filtering per vector of channels of a tile.
struct TransformCost {
  double input, output;
};

/// The number of vectors that hold so many channels.
inline double vectors_of(int64_t channels, int lanes) { return double(ceil_div(channels, lanes)); }

}  // namespace linnet
