#pragma once

#include <nanobind/nanobind.h>

#include "linnet/fact.h"

namespace linnet::python {

namespace nb = nanobind;

/// Sets NumPy's dtypes by Linnet's number, and a function that returns them together with the dtypes of ml_dtypes,
/// where that is installed. The function is called on first use because importing ml_dtypes takes milliseconds.
void set_dtypes(nb::dict numpys, nb::object load_all);
const nb::dict& numpy_dtypes();
const nb::dict& all_dtypes();

/// Returns the dtype in NumPy. Throws Error(kUnsupported) if only ml_dtypes has the dtype and it is not installed.
nb::object numpy_dtype(DType dtype);

/// Whether NumPy has the type. Other types belong to ml_dtypes and do not export their memory.
inline bool is_numpys(DType dtype) { return dtype <= DType::kComplex128; }

inline nb::module_ numpy() { return nb::module_::import_("numpy"); }

/// The memory of an array in C order, which stays valid as long as this object lives. If the array has another order,
/// this is the memory of a copy. A thread without the interpreter's lock may destroy it.
class Buffer {
 public:
  explicit Buffer(nb::object array);
  /// Refers to the array's own memory if it is in C order and its dtype is one of `codes` of Python's struct, of
  /// `bytes` bytes; else to nothing.
  Buffer(nb::handle array, const char* codes, int64_t bytes);
  /// Refers to the array's own memory for writing. Throws Error(kType), which begins with `what`, if it is read-only or
  /// not in C order.
  Buffer(const nb::object& array, const std::string& what);
  ~Buffer();
  Buffer(const Buffer&) = delete;

  explicit operator bool() const { return view_.obj != nullptr; }
  void* data() const { return view_.buf; }
  /// The consecutive elements of an array of objects.
  PyObject** objects() const { return static_cast<PyObject**>(view_.buf); }
  size_t bytes() const { return size_t(view_.len); }
  Shape shape() const;

 private:
  Py_buffer view_{};
};

/// Packs elements of less than a byte. NumPy stores one in each byte, Linnet stores them without gaps.
Tensor packed(const Buffer& buffer, DType dtype, const Shape& shape);
/// Returns the bytes of the tensor's elements, unpacked, as an array of rank 1.
nb::object unpacked(const Tensor& tensor);

}  // namespace linnet::python
