#pragma once

#include <cstdint>

// Rounding errors of a float32 sum grow with the number of products that are added one after the other. Longer sums are
// cut into blocks that begin at zero and are added to each other.
namespace linnet {

/// The most products in a block of a matrix product or of the windows of a convolution.
inline constexpr int64_t kLongestSum = 768;
/// The same where errors of transforms or of exponentials come on top: Winograd's convolutions, attention.
inline constexpr int64_t kLongestTransformedSum = 512;
inline constexpr int64_t kLongestAttentionSum = 384;

}  // namespace linnet
