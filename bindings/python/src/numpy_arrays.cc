#include "numpy_arrays.h"

#include <algorithm>
#include <cstring>

namespace linnet::python {

namespace {

struct DtypeTables {
  nb::dict numpys, all;
  nb::object load_all;
};

DtypeTables& dtype_tables() {
  static auto* tables = new DtypeTables();  // never freed: the interpreter may end first
  return *tables;
}

}  // namespace

void set_dtypes(nb::dict numpys, nb::object load_all) {
  dtype_tables() = {std::move(numpys), nb::dict(), std::move(load_all)};
}

const nb::dict& numpy_dtypes() { return dtype_tables().numpys; }

const nb::dict& all_dtypes() {
  DtypeTables& tables = dtype_tables();
  if (tables.all.size() == 0) tables.all = nb::cast<nb::dict>(tables.load_all());
  return tables.all;
}

nb::object numpy_dtype(DType dtype) {
  nb::object found = (is_numpys(dtype) ? numpy_dtypes() : all_dtypes()).attr("get")(int(dtype));
  if (found.is_none()) throw Error(ErrorKind::kUnsupported, str(dtype, " needs the Python package ml_dtypes"));
  return found;
}

Buffer::Buffer(nb::object array) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS) == 0) return;
  PyErr_Clear();
  array = array.attr("copy")("C");
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) nb::raise_python_error();
}

Buffer::Buffer(nb::handle array, const char* codes, int64_t bytes) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    view_ = {};
  } else if (!view_.format || view_.format[1] || !std::strchr(codes, view_.format[0]) || view_.itemsize != bytes) {
    PyBuffer_Release(&view_);
  }
}

Buffer::Buffer(const nb::object& array, const std::string& what) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) == 0) return;
  PyErr_Clear();
  throw Error(ErrorKind::kType, what + " must be writable and in C order");
}

Buffer::~Buffer() {
  if (!view_.obj || !Py_IsInitialized()) return;
  nb::gil_scoped_acquire lock;
  PyBuffer_Release(&view_);
}

Shape Buffer::shape() const {
  Shape shape;
  for (int i = 0; i < view_.ndim; ++i) shape.push_back(view_.shape[i]);
  return shape;
}

Tensor packed(const Buffer& buffer, DType dtype, const Shape& shape) {
  const auto* from = static_cast<const uint8_t*>(buffer.data());
  Tensor tensor(dtype, shape);
  auto* to = static_cast<uint8_t*>(tensor.raw());
  std::fill_n(to, tensor.bytes(), uint8_t{0});
  const int bits = dtype_bits(dtype);
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t bit = i * bits;
    const unsigned value = (from[i] & mask) << (bit % 8);
    to[bit / 8] = uint8_t(to[bit / 8] | value);
    if (value > 0xff) to[bit / 8 + 1] = uint8_t(to[bit / 8 + 1] | value >> 8);
  }
  return tensor;
}

nb::object unpacked(const Tensor& tensor) {
  nb::object bytes = numpy().attr("empty")(tensor.size(), "uint8");
  const Buffer buffer(bytes);
  auto* to = static_cast<uint8_t*>(buffer.data());
  const auto* from = static_cast<const uint8_t*>(tensor.raw());
  const int bits = dtype_bits(tensor.dtype());
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t bit = i * bits;
    unsigned value = unsigned(from[bit / 8]) >> (bit % 8);
    if (bit % 8 + bits > 8) value |= unsigned(from[bit / 8 + 1]) << (8 - bit % 8);
    to[i] = uint8_t(value & mask);
  }
  return bytes;
}

}  // namespace linnet::python
