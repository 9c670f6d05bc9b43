#pragma once

#include <limits>

namespace linnet::testing {

inline constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace linnet::testing
