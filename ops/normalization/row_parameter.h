#pragma once

#include "infer/infer.h"
#include "reduction/reduce_plan.h"

namespace linnet {

/// Checks that a parameter's shape broadcasts to that of x without changing it.
void require_broadcastable_to(const Fact& parameter, const Fact& x, const std::string& what);

/// A scale or bias that is broadcast to a tensor of shape x, whose rows consist of the dims from `axis` on.
class RowParameter {
 public:
  RowParameter() = default;
  RowParameter(const Shape& parameter, const Shape& x, int axis);

  /// Whether the parameter is one row, the same for all rows of x.
  bool is_row() const { return is_row_; }

  /// Returns the n values for a row of x. `buffer` has room for n values and is used unless is_row().
  template <class T>
  const T* row(const T* data, int64_t row, int64_t n, T* buffer) const {
    if (is_row_) return data;
    for (int64_t i = 0; i < n; ++i) buffer[i] = data[walk_.offset(row * n + i)];
    return buffer;
  }

 private:
  Walk walk_;
  bool is_row_ = true;
};

}  // namespace linnet
