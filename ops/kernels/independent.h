#pragma once

// Placed before a loop whose output may be one of its inputs but does not overlap them otherwise. Included by *.simd.cc
// only.
#if defined(__clang__)
#define LINNET_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LINNET_INDEPENDENT _Pragma("GCC ivdep")
#endif
