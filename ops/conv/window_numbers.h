#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace linnet {

/// Bounds the attributes of windows (kernel, strides, pads, dilations), so that sums and products of a few cannot
/// overflow.
inline constexpr int64_t kLargestWindowNumber = int64_t{1} << 31;

/// Throws Error(kModel) for a value outside of [least, 2^31]; `name` goes into the message.
void require_window_numbers(std::span<const int64_t> values, int64_t least, std::string_view name);

}  // namespace linnet
