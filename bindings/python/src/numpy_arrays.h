#pragma once

#include <nanobind/nanobind.h>

#include "linnet/fact.h"

namespace linnet::python {

namespace nb = nanobind;

/// Sets NumPy's dtypes by Linnet's number, and a function that returns these and those of ml_dtypes, where that is
/// installed. It is called when they are first asked for, as ml_dtypes takes milliseconds to import.
void set_dtypes(nb::dict numpys, nb::object load_all);
const nb::dict& numpy_dtypes();
const nb::dict& all_dtypes();

/// The dtype in NumPy; throws where only ml_dtypes has it and is not there.
nb::object numpy_dtype(DType dtype);

/// NumPy has the type; others are ml_dtypes' and do not export their memory.
inline bool is_numpys(DType dtype) { return dtype <= DType::kComplex128; }

inline nb::module_ numpy() { return nb::module_::import_("numpy"); }

/// An array's memory in C order, which stays in place as long as this lives: a copy's where the array has another
/// order. Whoever lets go of a tensor last may be without the interpreter's lock.
class Buffer {
 public:
  explicit Buffer(nb::object array);
  /// The array's own memory, where it is in C order and of this dtype as `codes` of Python's struct name it; else none.
  Buffer(nb::handle array, const char* codes, int64_t bytes);
  /// The array's own memory, which is written to.
  Buffer(const nb::object& array, const std::string& what);
  ~Buffer();
  Buffer(const Buffer&) = delete;

  explicit operator bool() const { return view_.obj != nullptr; }
  void* data() const { return view_.buf; }
  /// Those of an array of objects, one after the other.
  PyObject** objects() const { return static_cast<PyObject**>(view_.buf); }
  size_t bytes() const { return size_t(view_.len); }
  Shape shape() const;

 private:
  Py_buffer view_{};
};

/// Elements of less than a byte lie one to a byte in NumPy, without gaps in Linnet.
Tensor packed(const Buffer& buffer, DType dtype, const Shape& shape);
/// An array of the bytes, of rank 1.
nb::object unpacked(const Tensor& tensor);

}  // namespace linnet::python
