#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace linnet {

/// The upper bound of the attributes of windows (kernel, strides, pads, dilations). With it sums and products of a few
/// of them cannot overflow.
inline constexpr int64_t kLargestWindowNumber = int64_t{1} << 31;

/// If a value is outside of [least, 2^31], throws Error(kModel) with `name` in the message.
void require_window_numbers(std::span<const int64_t> values, int64_t least, std::string_view name);

}  // namespace linnet
