#pragma once

#include <cstdint>

namespace linnet {

/// Rows that dot_products() computes at a time; the last ones of another number are slower.
inline constexpr int64_t kIntegerRows = 4;

/// y[r * n + j] = sum over k of a[r * depth + k] * b[j * depth + k], modulo 2^32, for all r < rows and j < n. The
/// values of a are within [-255, 255], those of b within [-128, 255].
void dot_products(const int16_t* a, int64_t rows, const int16_t* b, int64_t n, int64_t depth, int32_t* y);

/// to[i] = from[i] - zero for 8-bit integers; returns the sum of all, modulo 2^32.
int32_t widen(const int8_t* from, int64_t n, int32_t zero, int16_t* to);
int32_t widen(const uint8_t* from, int64_t n, int32_t zero, int16_t* to);

/// a * b and a - b modulo 2^32.
inline int32_t wrapped_mul(int32_t a, int32_t b) { return int32_t(uint32_t(a) * uint32_t(b)); }
inline int32_t wrapped_sub(int32_t a, int32_t b) { return int32_t(uint32_t(a) - uint32_t(b)); }

}  // namespace linnet
