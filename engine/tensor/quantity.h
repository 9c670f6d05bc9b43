#pragma once

#include <cstdint>
#include <string>

#include "linnet/error.h"

namespace linnet {

/// A number in fixed notation of about `digits` significant digits, without trailing zeros, with commas between
/// thousands: "0.00125", "12.3", "1,160".
LINNET_API std::string fixed_number(double value, int digits = 3);

/// Milliseconds in the unit that fits: "850 ns", "1.1 us", "1,160 ms", "12.5 s".
LINNET_API std::string human_time(double ms, int digits = 3);

/// Bytes in the unit that fits: "97.5 MiB".
LINNET_API std::string human_bytes(int64_t bytes);

}  // namespace linnet
