#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>

#include "linnet/export.h"

namespace linnet {

inline constexpr int kMaxRank = 16;

/// The dimensions of a tensor, outermost first, kMaxRank at most. Six are stored in place; only copies of shapes that
/// have more allocate.
class LINNET_API Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  /// Throws Error(kLimit) beyond kMaxRank, Error(kShape) for a negative dim.
  explicit Shape(std::span<const int64_t> dims);
  Shape(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape() = default;

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return begin()[i]; }
  int64_t& operator[](int i) { return (all_ ? all_->data() : few_.data())[i]; }
  const int64_t* begin() const { return all_ ? all_->data() : few_.data(); }
  const int64_t* end() const { return begin() + rank_; }
  std::span<const int64_t> dims() const { return {begin(), end()}; }
  void push_back(int64_t dim);

  /// The product of all dims (1 for rank 0). Throws Error(kLimit) where it overflows int64.
  int64_t elements() const { return elements(0, rank_); }
  /// The product of the dims [first, last).
  int64_t elements(int first, int last) const;

  friend bool operator==(const Shape& a, const Shape& b) {
    int i = 0;
    while (i < a.rank_ && i < b.rank_ && a[i] == b[i]) ++i;
    return i == a.rank_ && i == b.rank_;
  }

 private:
  using All = std::array<int64_t, kMaxRank>;

  std::array<int64_t, 6> few_{};
  std::unique_ptr<All> all_;  ///< the dims, where few_ has no room for them
  int rank_ = 0;
};

/// Prints "[1,3,224,224]".
LINNET_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// a * b and a + b of non-negative sizes; throw Error(kLimit) on overflow.
LINNET_API int64_t checked_mul(int64_t a, int64_t b);
LINNET_API int64_t checked_add(int64_t a, int64_t b);

/// `axis` counted from the front: [-rank, rank) becomes [0, rank). Throws Error(kShape) when out of range.
LINNET_API int normalize_axis(int64_t axis, int rank);

}  // namespace linnet
