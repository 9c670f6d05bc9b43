#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <utility>

#include "linnet/export.h"

namespace linnet {

/// The maximum number of dims of a tensor.
inline constexpr int kMaxRank = 16;

/// The dimensions of a tensor, outermost first, at most kMaxRank. Up to six are stored in place; only copies of longer
/// shapes allocate.
class LINNET_API Shape {
 public:
  /// The shape of rank 0, or the shape of the given dims. Throws as the constructor below.
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  /// The shape of these dims. Throws Error(kLimit) for more than kMaxRank dims, Error(kShape) for a negative dim.
  explicit Shape(std::span<const int64_t> dims);
  Shape(const Shape& other)
      : few_(other.few_), all_(other.all_ ? std::make_unique<All>(*other.all_) : nullptr), rank_(other.rank_) {}
  /// Moves leave the other shape with rank 0 if it had more than six dims, and unchanged otherwise.
  Shape(Shape&& other) noexcept : few_(other.few_), all_(std::move(other.all_)), rank_(other.rank_) {
    if (all_) other.rank_ = 0;
  }
  Shape& operator=(const Shape& other) {
    if (all_ || other.all_) return *this = Shape(other);
    few_ = other.few_;
    rank_ = other.rank_;
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    few_ = other.few_;
    all_ = std::move(other.all_);
    rank_ = other.rank_;
    if (all_) other.rank_ = 0;
    return *this;
  }
  ~Shape() = default;

  /// The number of dims.
  int rank() const { return rank_; }
  /// The dim at index i, which must be in [0, rank()).
  int64_t operator[](int i) const { return begin()[i]; }
  int64_t& operator[](int i) { return (all_ ? all_->data() : few_.data())[i]; }
  /// The dims in order, valid until the shape changes.
  const int64_t* begin() const { return all_ ? all_->data() : few_.data(); }
  const int64_t* end() const { return begin() + rank_; }
  std::span<const int64_t> dims() const { return {begin(), end()}; }
  /// Appends a dim. Throws as the constructor.
  void push_back(int64_t dim);

  /// The product of all dims (1 for rank 0). Throws Error(kLimit) on overflow of int64.
  int64_t elements() const { return elements(0, rank_); }
  /// The product of the dims [first, last).
  int64_t elements(int first, int last) const;

  /// Whether ranks and all dims are equal.
  friend bool operator==(const Shape& a, const Shape& b) {
    int i = 0;
    while (i < a.rank_ && i < b.rank_ && a[i] == b[i]) ++i;
    return i == a.rank_ && i == b.rank_;
  }

 private:
  using All = std::array<int64_t, kMaxRank>;

  std::array<int64_t, 6> few_{};
  std::unique_ptr<All> all_;  ///< the dims, where there are too many for few_
  int rank_ = 0;
};

/// Prints "[1,3,224,224]".
LINNET_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The product and the sum of two non-negative sizes. Throw Error(kLimit) on overflow.
LINNET_API int64_t checked_mul(int64_t a, int64_t b);
LINNET_API int64_t checked_add(int64_t a, int64_t b);

/// Converts an axis in [-rank, rank), negative ones counted from the end, to [0, rank). Throws Error(kShape) when it is
/// out of range.
LINNET_API int normalize_axis(int64_t axis, int rank);

}  // namespace linnet
