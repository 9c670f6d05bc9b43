#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/dim.h"
#include "linnet/tensor.h"

namespace linnet {

/// What is known of a value before it is computed: its dtype, its shape, and its contents where constant.
struct LINNET_API Fact {
  DType dtype = DType::kUndefined;  ///< kUndefined: an omitted optional input
  std::optional<Dims> dims;         ///< nullopt: not even the rank is known
  Tensor constant;                  ///< the value itself, where known; its shape then equals dims
  /// The elements of a small tensor of integers or booleans, as far as they are known; nullptr where none is. Those of
  /// a constant are not repeated here.
  std::shared_ptr<const Dims> contents;
  /// Of the elements of a sequence, the value of an optional, the values of a map; their contents are never constant.
  std::shared_ptr<const Fact> element;
  DType key = DType::kUndefined;  ///< of a map

  Fact() = default;
  Fact(const Fact&);  // these five not inline: that would take half a megabyte
  Fact(Fact&&) noexcept;
  Fact& operator=(const Fact&);
  Fact& operator=(Fact&&) noexcept;
  ~Fact();
  Fact(DType type, std::optional<Dims> dims_in) : dtype(type), dims(std::move(dims_in)) {}
  Fact(DType type, const Shape& shape) : dtype(type), dims(Dims(shape.begin(), shape.end())) {}
  /// The facts of containers. A sequence's elements, and the value of an optional, meet the fact given.
  static Fact sequence(Fact element) { return container(DType::kSequence, std::move(element)); }
  static Fact optional(Fact element) { return container(DType::kOptional, std::move(element)); }
  static Fact map(DType key, DType value);
  /// The fact of a known tensor.
  explicit Fact(const Tensor& value) : Fact(value.dtype(), value.shape()) { constant = value; }

  bool present() const { return dtype != DType::kUndefined; }
  bool has_rank() const { return dims.has_value(); }
  int rank() const { return int(dims->size()); }
  const Dim& dim(int i) const { return (*dims)[size_t(i)]; }
  /// Present with every dim a number.
  bool concrete() const;
  /// The dims as numbers. Throws Error(kInternal) unless concrete().
  Shape shape() const;

 private:
  static Fact container(DType dtype, Fact element);
};

/// "float32[N,3,224,224]", "float32[?,8]", "float32" where the rank is unknown, "sequence(int64[2])".
LINNET_API std::ostream& operator<<(std::ostream& out, const Fact& fact);

/// Most elements of a tensor whose contents are followed.
inline constexpr int64_t kMostContents = 64;
LINNET_API bool is_followed(DType dtype);

/// The elements of a small int32, int64 or bool tensor, each as far as it is known; nullopt where none is.
LINNET_API std::optional<Dims> elements_of(const Fact& fact);

/// True when the tensor has the dtype and the known dims of the fact, and so have its elements where it is a container.
/// A fact that is not present() fits all.
LINNET_API bool fits(const Fact& fact, const Tensor& tensor);

/// What holds of a value that meets `a` or `b`: dims that differ become open. Throws Error(kType) when dtypes differ.
LINNET_API Fact generalize(const Fact& a, const Fact& b);

/// The fact with all dims open, elements of containers included, and without contents.
LINNET_API Fact without_shape(const Fact& fact);

/// True when a value that meets `b` can also meet `a`: dtypes agree, and no known dim contradicts.
LINNET_API bool compatible(const Fact& a, const Fact& b);

}  // namespace linnet
