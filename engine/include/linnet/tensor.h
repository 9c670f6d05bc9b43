#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/error.h"
#include "linnet/half.h"
#include "linnet/shape.h"

namespace linnet {

/// The DType of a C++ element type: dtype_of<float> == DType::kFloat32. Those of complex numbers are in
/// linnet/complex.h, those of containers in linnet/containers.h.
template <class T>
inline constexpr DType dtype_of = DType::kUndefined;
template <>
inline constexpr DType dtype_of<float> = DType::kFloat32;
template <>
inline constexpr DType dtype_of<double> = DType::kFloat64;
template <>
inline constexpr DType dtype_of<Half> = DType::kFloat16;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::kBFloat16;
template <>
inline constexpr DType dtype_of<int8_t> = DType::kInt8;
template <>
inline constexpr DType dtype_of<int16_t> = DType::kInt16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::kInt32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::kInt64;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::kUint8;
template <>
inline constexpr DType dtype_of<uint16_t> = DType::kUint16;
template <>
inline constexpr DType dtype_of<uint32_t> = DType::kUint32;
template <>
inline constexpr DType dtype_of<uint64_t> = DType::kUint64;
template <>
inline constexpr DType dtype_of<bool> = DType::kBool;
template <>
inline constexpr DType dtype_of<std::string> = DType::kString;

/// A dense tensor in row-major order. A copy shares the data; clone() duplicates it.
/// Data that the tensor allocates is aligned to 64 bytes and uninitialised (strings and containers are empty).
/// Weights of a model may stay in its files until somebody asks for the data, which throws Error(kIo) where they cannot
/// be read any more.
class LINNET_API Tensor {
 public:
  /// No tensor: dtype kUndefined. What an omitted optional input is.
  Tensor() = default;
  /// Allocates memory whose contents are not initialised: fill it, or take zeros(). Throws Error(kLimit) where the size
  /// overflows or memory is short.
  Tensor(DType dtype, const Shape& shape);
  /// Allocates elements that are 0, false or an empty string. Throws Error(kLimit) as the constructor does.
  static Tensor zeros(DType dtype, const Shape& shape);

  /// Memory of the caller, who keeps it alive.
  static Tensor wrap(DType dtype, const Shape& shape, void* data);
  /// Memory kept alive by `owner`.
  static Tensor share(DType dtype, const Shape& shape, void* data, std::shared_ptr<const void> owner);
  /// A tensor that holds the given values; shape [n] unless given.
  template <class T>
  static Tensor of(const std::vector<T>& values) {
    return of(Shape{int64_t(values.size())}, values);
  }
  template <class T>
  static Tensor of(const Shape& shape, const std::vector<T>& values);
  /// A tensor of rank 0.
  template <class T>
  static Tensor scalar(const T& value) {
    return of(Shape{}, std::vector<T>{value});
  }

  explicit operator bool() const { return dtype_ != DType::kUndefined; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i]; }
  int64_t size() const { return shape_.elements(); }
  size_t bytes() const { return dtype_bytes(dtype_, size()); }

  void* raw() { return stored_ ? const_cast<void*>(contents()) : data_; }
  const void* raw() const { return stored_ ? contents() : data_; }
  /// Throw Error(kType) unless T is the element type.
  template <class T>
  T* data() {
    check_type(element_type<T>());
    return static_cast<T*>(raw());
  }
  template <class T>
  const T* data() const {
    check_type(element_type<T>());
    return static_cast<const T*>(raw());
  }
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), size_t(size())};
  }
  /// Names the data without reading it: tensors that begin with the same data have the same.
  const void* address() const { return data_; }

  /// The data was allocated by Linnet, holds numbers, and no other tensor shares it.
  bool exclusive() const { return allocated_ && owner_.use_count() == 1; }

  /// A copy with its own data.
  Tensor clone() const;
  /// The same data under another shape of as many elements. Throws Error(kShape) otherwise.
  Tensor reshaped(const Shape& shape) const;

 private:
  friend class StoredContents;
  friend class TensorArena;
  template <class T>
  static constexpr DType element_type() {
    static_assert(dtype_of<T> != DType::kUndefined, "no element type, or its header is missing: see dtype_of");
    return dtype_of<T>;
  }
  [[noreturn]] static void throw_count(const Shape& shape, size_t values);
  void check_type(DType wanted) const;
  const void* contents() const;

  DType dtype_ = DType::kUndefined;
  bool allocated_ = false;  // numbers in memory of Linnet's
  bool stored_ = false;     // the owner is a StoredContents, which data_ names
  Shape shape_;
  void* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

template <class T>
Tensor Tensor::of(const Shape& shape, const std::vector<T>& values) {
  Tensor result(element_type<T>(), shape);
  if (result.size() != int64_t(values.size())) throw_count(shape, values.size());
  T* element = result.data<T>();
  for (const auto& value : values) *element++ = value;
  return result;
}

/// Copies all elements. Both tensors have the same dtype and number of elements.
LINNET_API void copy_elements(const Tensor& from, Tensor& to);

/// True when dtype, shape and all elements (as bytes; strings and containers by value) are equal.
LINNET_API bool identical(const Tensor& a, const Tensor& b);

/// True when the memory of two tensors of numbers has a byte in common; false where one is empty or holds objects.
LINNET_API bool overlap(const Tensor& a, const Tensor& b);

/// True when they overlap and one has a byte that the other has not.
LINNET_API bool overlap_in_part(const Tensor& a, const Tensor& b);

/// "float32[1,3,224,224]", "sequence(2 elements)", "optional(float32[3])", "map(2 keys)".
LINNET_API std::string describe(const Tensor& tensor);

}  // namespace linnet
