#pragma once

#include <span>
#include <string>

#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The labels of a classifier: integers or strings.
class ClassLabels {
 public:
  /// Reads the labels from the two attributes, of which exactly one must contain labels. Throws Error(kModel)
  /// otherwise.
  ClassLabels(const NodeSpec& node, const std::string& ints, const std::string& strings);

  int64_t count() const { return int64_t(ints_.size() + strings_.size()); }
  /// int64 or string.
  DType dtype() const { return strings_.empty() ? DType::kInt64 : DType::kString; }
  /// Writes label `label`, which is in [0, count()), to element `row` of y.
  void write(int64_t label, Tensor& y, int64_t row) const { write({&label, 1}, y, row); }
  /// Writes several labels to consecutive elements of y from `row` on.
  void write(std::span<const int64_t> labels, Tensor& y, int64_t row) const;

 private:
  CountedVector<int64_t> ints_;
  CountedVector<std::string> strings_;
};

}  // namespace linnet
