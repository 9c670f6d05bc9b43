#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/dim.h"
#include "linnet/tensor.h"

namespace linnet {

/// What is known about a value before it is computed: its dtype, its shape, and its contents if they are constant.
struct LINNET_API Fact {
  DType dtype = DType::kUndefined;  ///< kUndefined: an omitted optional input
  std::optional<Dims> dims;         ///< nullopt: not even the rank is known
  Tensor constant;                  ///< the value itself, where known; its shape then equals dims
  /// The elements of a small tensor of integers or booleans, as far as they are known; nullptr if none is. For a
  /// constant it is not set.
  std::shared_ptr<const Dims> contents;
  /// The fact of a sequence's elements, of an optional's value or of a map's values. Its contents are never constant.
  std::shared_ptr<const Fact> element;
  DType key = DType::kUndefined;  ///< the dtype of a map's keys

  /// Nothing: an omitted input.
  Fact() = default;
  Fact(const Fact&);  // these five are not inline, which saves half a megabyte of code
  Fact(Fact&&) noexcept;
  Fact& operator=(const Fact&);
  Fact& operator=(Fact&&) noexcept;
  ~Fact();
  /// The fact of a tensor whose contents are not known. Without dims, its rank is not known either.
  Fact(DType type, std::optional<Dims> dims_in) : dtype(type), dims(std::move(dims_in)) {}
  Fact(DType type, const Shape& shape) : dtype(type), dims(Dims(shape.begin(), shape.end())) {}
  /// The facts of containers. The elements of a sequence, and the value of an optional, meet the fact given.
  static Fact sequence(Fact element) { return container(DType::kSequence, std::move(element)); }
  static Fact optional(Fact element) { return container(DType::kOptional, std::move(element)); }
  static Fact map(DType key, DType value);
  /// The fact of a known tensor.
  explicit Fact(const Tensor& value) : Fact(value.dtype(), value.shape()) { constant = value; }

  /// Whether the value exists, that is, is not omitted.
  bool present() const { return dtype != DType::kUndefined; }
  /// Whether the rank is known; rank() and dim() require it.
  bool has_rank() const { return dims.has_value(); }
  int rank() const { return int(dims->size()); }
  const Dim& dim(int i) const { return (*dims)[size_t(i)]; }
  /// Whether it is present and every dim is a number.
  bool concrete() const;
  /// The dims as numbers. Throws Error(kInternal) unless concrete().
  Shape shape() const;

 private:
  static Fact container(DType dtype, Fact element);
};

/// Prints "float32[N,3,224,224]", "float32[?,8]", "float32" where the rank is unknown, "sequence(int64[2])".
LINNET_API std::ostream& operator<<(std::ostream& out, const Fact& fact);

/// The maximum number of elements of a tensor whose contents are tracked.
inline constexpr int64_t kMostContents = 64;
/// Whether contents of tensors of this dtype are tracked: int32, int64 and bool.
LINNET_API bool is_followed(DType dtype);

/// The elements of a small int32, int64 or bool tensor, each as far as it is known; nullopt if none is.
LINNET_API std::optional<Dims> elements_of(const Fact& fact);

/// Whether the tensor has the dtype and the known dims of the fact, and so do its elements if it is a container. Any
/// tensor fits a fact that is not present().
LINNET_API bool fits(const Fact& fact, const Tensor& tensor);

/// What holds for every value that meets `a` or `b`: dims that differ become open. Throws Error(kType) if dtypes
/// differ.
LINNET_API Fact generalize(const Fact& a, const Fact& b);

/// The fact with all dims open, elements of containers included, and without contents.
LINNET_API Fact without_shape(const Fact& fact);

/// Whether a value that meets `b` can also meet `a`: dtypes agree, and no known dim contradicts.
LINNET_API bool compatible(const Fact& a, const Fact& b);

}  // namespace linnet
