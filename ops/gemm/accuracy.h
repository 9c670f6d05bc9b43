#pragma once

#include <cstdint>

// The rounding error of a float32 sum grows with the number of products that are added in sequence. Longer sums are
// divided into blocks, which start at zero and are added to each other.
namespace linnet {

/// The most products in a block of a matrix product or of the windows of a convolution.
inline constexpr int64_t kLongestSum = 768;
/// The same where errors of transforms or exponentials are added: Winograd's convolutions, attention.
inline constexpr int64_t kLongestTransformedSum = 512;
inline constexpr int64_t kLongestAttentionSum = 384;

}  // namespace linnet
