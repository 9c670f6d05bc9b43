#pragma once

#include "partition/parts.h"

// What the cost models of convolutions share. They count multiplications of whole vectors on one core, of which a core
// does about one per cycle; what else takes time is expressed in them. The constants were fitted to measurements of
// single layers.
namespace linnet {

/// Beginning and storing a vector of sums.
inline constexpr double kSumCost = 8;

/// Of Winograd's minimal filtering, per vector of channels of a tile.
struct TransformCost {
  double input, output;
};

/// Vectors that hold so many channels.
inline double vectors_of(int64_t channels, int lanes) { return double(ceil_div(channels, lanes)); }

}  // namespace linnet
