#pragma once

// The C API, linnet.h, compiles with any standard.
#if defined(__cplusplus) && __cplusplus < 202002L && !defined(LINNET_H)
#error "Linnet's headers need C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD to 20"
#endif

/// Marks the symbols that liblinnet exports; all others are hidden.
#define LINNET_API __attribute__((visibility("default")))
