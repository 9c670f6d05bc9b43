#pragma once

#include <algorithm>
#include <cstring>

#include "status.h"

namespace linnet::c_api {

/// Reads a struct that begins with its size. Callers of an earlier version pass a smaller struct, whose missing fields
/// get their defaults, as do all fields for nullptr. Throws ArgumentError, which begins with `name`, for any other
/// size.
template <class T>
T read_sized(const T* given, size_t first_version_bytes, const char* name) {
  T value{};
  if (!given) return value;
  if (given->size < first_version_bytes || given->size > sizeof(T)) {
    throw ArgumentError(str(name, "->size is ", given->size, ", no version has such; set it to sizeof *", name));
  }
  std::memcpy(&value, given, given->size);
  return value;
}

}  // namespace linnet::c_api
