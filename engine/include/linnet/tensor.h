#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "linnet/dtype.h"
#include "linnet/error.h"
#include "linnet/half.h"
#include "linnet/shape.h"

namespace linnet {

/// The DType of a C++ element type: `dtype_of<float> == DType::kFloat32`. The types of complex numbers are in
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

/// A dense, row-major tensor. A copy shares the data; clone() copies it. Data that the tensor allocates is aligned to
/// 64 bytes and uninitialised (strings and containers are empty). A model's weights may stay in its files until their
/// data is first accessed. That access throws Error(kIo) if they can no longer be read.
class LINNET_API Tensor {
 public:
  /// The empty tensor, of dtype kUndefined. It represents an omitted optional input.
  Tensor() = default;
  /// Allocates uninitialised memory; use zeros() if the elements are not all written afterwards. Throws Error(kLimit)
  /// if the size overflows or there is not enough memory.
  Tensor(DType dtype, const Shape& shape);
  /// Allocates elements that are 0, false or empty strings. Throws Error(kLimit) as the constructor does.
  static Tensor zeros(DType dtype, const Shape& shape);

  /// A tensor over the caller's memory, which the caller keeps alive. Nothing is copied.
  static Tensor wrap(DType dtype, const Shape& shape, void* data) { return {dtype, shape, data, nullptr}; }
  /// A tensor over memory that `owner` keeps alive. Nothing is copied.
  static Tensor share(DType dtype, const Shape& shape, void* data, std::shared_ptr<const void> owner) {
    return {dtype, shape, data, std::move(owner)};
  }
  /// A tensor that holds a copy of the given values. Its shape is [n] unless one is given.
  template <class T>
  static Tensor of(const std::vector<T>& values) {
    return of(Shape{int64_t(values.size())}, values);
  }
  /// The same with a shape. Throws Error(kShape) unless it has as many elements as there are values.
  template <class T>
  static Tensor of(const Shape& shape, const std::vector<T>& values);
  /// A tensor of rank 0.
  template <class T>
  static Tensor scalar(const T& value) {
    return of(Shape{}, std::vector<T>{value});
  }

  /// Whether the tensor is not empty, that is, has a dtype.
  explicit operator bool() const { return dtype_ != DType::kUndefined; }
  /// The type of the elements.
  DType dtype() const { return dtype_; }
  /// The shape, its number of dims and one dim. `i` must be in [0, rank()).
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i]; }
  /// The number of elements, and the bytes that they occupy.
  int64_t size() const { return shape_.elements(); }
  size_t bytes() const { return dtype_bytes(dtype_, size()); }

  /// The address of the first element, valid as long as a tensor shares the data. Reads the data if it is still in a
  /// file: throws Error(kIo) if that fails. nullptr for the empty tensor.
  void* raw() { return stored_ ? const_cast<void*>(contents()) : data_; }
  const void* raw() const { return stored_ ? contents() : data_; }
  /// The elements, for as long as raw() is valid. Throws Error(kType) unless T is the element type, and what raw()
  /// throws.
  template <class T>
  T* data() {
    check_type(element_type<T>());
    return static_cast<T*>(raw());
  }
  /// The elements, read-only.
  template <class T>
  const T* data() const {
    check_type(element_type<T>());
    return static_cast<const T*>(raw());
  }
  /// The elements as a span. Throws what data() throws.
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), size_t(size())};
  }
  /// The address that identifies the data, without reading it: tensors with the same address start at the same data. It
  /// does not point to data that is still in a file.
  const void* address() const { return data_; }

  /// Whether Linnet allocated the data, it holds numbers, and no other tensor shares it.
  bool exclusive() const { return allocated_ && owner_.use_count() == 1; }

  /// A copy with its own data.
  Tensor clone() const;
  /// The same data with another shape. Throws Error(kShape) unless that has as many elements.
  Tensor reshaped(const Shape& shape) const;

 private:
  friend class StoredContents;
  friend class TensorArena;
  Tensor(DType dtype, const Shape& shape, void* data, std::shared_ptr<const void> owner)
      : dtype_(dtype), shape_(shape), data_(data), owner_(std::move(owner)) {}
  template <class T>
  static constexpr DType element_type() {
    static_assert(dtype_of<T> != DType::kUndefined, "no element type, or its header is missing: see dtype_of");
    return dtype_of<T>;
  }
  [[noreturn]] static void throw_count(const Shape& shape, size_t values);
  void check_type(DType wanted) const;
  const void* contents() const;

  DType dtype_ = DType::kUndefined;
  bool allocated_ = false;  // whether Linnet allocated the data, which are numbers
  bool stored_ = false;     // whether the owner is a StoredContents, which data_ identifies
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

/// Copies all elements. Both tensors must have the same dtype and number of elements; shapes may differ.
LINNET_API void copy_elements(const Tensor& from, Tensor& to);

/// Whether dtype, shape and all elements are equal: numbers byte by byte, strings and containers by value.
LINNET_API bool identical(const Tensor& a, const Tensor& b);

/// Whether the memory of two tensors of numbers has a byte in common. False if one is empty or holds objects.
LINNET_API bool overlap(const Tensor& a, const Tensor& b);

/// Whether the two overlap and one has a byte that the other does not.
LINNET_API bool overlap_in_part(const Tensor& a, const Tensor& b);

/// A text about dtype and shape, not about values: "float32[1,3,224,224]", "sequence(2 elements)",
/// "optional(float32[3])", "map(2 keys)".
LINNET_API std::string describe(const Tensor& tensor);

}  // namespace linnet
