#pragma once

#include <string>

#include "linnet/tensor.h"

namespace linnet {

inline constexpr DType kIndexTypes[] = {DType::kInt32, DType::kInt64};

/// Views the elements of an int32 or int64 tensor, which must outlive it. Throws Error(kType) for other dtypes.
class Indices {
 public:
  explicit Indices(const Tensor& tensor)
      : size_(tensor.size()), narrow_(tensor.dtype() == DType::kInt32), data_(tensor.raw()) {
    if (!narrow_) tensor.data<int64_t>();
  }

  int64_t size() const { return size_; }
  bool narrow() const { return narrow_; }  ///< Whether the elements are int32.
  const void* raw() const { return data_; }
  int64_t operator[](int64_t i) const {
    return narrow_ ? static_cast<const int32_t*>(data_)[i] : static_cast<const int64_t*>(data_)[i];
  }
  /// Element i; a negative one counts from the end of a dimension of `dim`.
  int64_t wrapped(int64_t i, int64_t dim) const {
    const int64_t index = (*this)[i];
    return index < 0 ? index + dim : index;
  }

 private:
  int64_t size_;
  bool narrow_;
  const void* data_;
};

/// Calls f(data) with the elements as const int32_t* or const int64_t*.
template <class F>
auto with_elements(const Indices& indices, F&& f) {
  return indices.narrow() ? f(static_cast<const int32_t*>(indices.raw()))
                          : f(static_cast<const int64_t*>(indices.raw()));
}

[[noreturn]] void throw_index(int64_t index, int64_t dim, int axis);

/// Returns whether the index is in [-dim, dim). Replaces a negative index by the one that it denotes.
inline bool wrap_index(int64_t& index, int64_t dim) {
  if (uint64_t(index) < uint64_t(dim)) return true;
  index = int64_t(
      uint64_t(index) +
      uint64_t(dim));  // The cast avoids undefined overflow; an index beyond the largest int64 is out of range too.
  return uint64_t(index) < uint64_t(dim);
}

/// Throws Error(kShape) unless -dim <= index < dim.
inline void check_index(int64_t index, int64_t dim, int axis) {
  if (index < -dim || index >= dim) throw_index(index, dim, axis);
}

/// Checks all indices along an axis of `dim`. Throws Error(kShape).
void check_indices(const Indices& indices, int64_t dim, int axis);

}  // namespace linnet
