#include "values.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "linnet/containers.h"

namespace linnet::python {
namespace {

nb::dict& dtypes() {
  static auto* table = new nb::dict();  // never freed: the interpreter ends before
  return *table;
}

nb::module_ numpy() { return nb::module_::import_("numpy"); }

/// NumPy has the type; others are ml_dtypes' and do not export their memory.
bool is_numpys(DType dtype) { return dtype <= DType::kComplex128; }

std::string python_type(nb::handle value) { return nb::cast<std::string>(nb::str(nb::type_name(value.type()))); }

/// The dtype in NumPy; throws where only ml_dtypes has it and is not there.
nb::object numpy_dtype(DType dtype) {
  nb::object found = dtypes().attr("get")(int(dtype));
  if (found.is_none()) throw Error(ErrorKind::kUnsupported, str(dtype, " needs the Python package ml_dtypes"));
  return found;
}

/// An array's memory in C order, which stays in place as long as this lives: a copy's where the array has another
/// order. Whoever lets go of a tensor last may be without the interpreter's lock.
class Buffer {
 public:
  explicit Buffer(nb::object array) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS) == 0) return;
    PyErr_Clear();
    array = array.attr("copy")("C");
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) nb::raise_python_error();
  }
  /// The array's own memory, where it is in C order and of this dtype as `codes` of Python's struct name it; else none.
  Buffer(nb::handle array, const char* codes, int64_t bytes) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      view_ = {};
    } else if (!view_.format || view_.format[1] || !std::strchr(codes, view_.format[0]) || view_.itemsize != bytes) {
      PyBuffer_Release(&view_);
    }
  }
  /// The array's own memory, which is written to.
  Buffer(const nb::object& array, const std::string& what) {
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) == 0) return;
    PyErr_Clear();
    throw Error(ErrorKind::kType, what + " must be writable and in C order");
  }
  ~Buffer() {
    if (!view_.obj || !Py_IsInitialized()) return;
    nb::gil_scoped_acquire lock;
    PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;

  explicit operator bool() const { return view_.obj != nullptr; }
  void* data() const { return view_.buf; }
  Shape shape() const {
    Shape shape;
    for (int i = 0; i < view_.ndim; ++i) shape.push_back(view_.shape[i]);
    return shape;
  }

 private:
  Py_buffer view_{};
};

Shape shape_of(nb::handle array) {
  Shape shape;
  for (nb::handle dim : nb::cast<nb::tuple>(array.attr("shape"))) shape.push_back(nb::cast<int64_t>(dim));
  return shape;
}

std::string text_of(PyObject* item, const std::string& what) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(item)) {
    const char* text = PyUnicode_AsUTF8AndSize(item, &size);
    if (!text) nb::raise_python_error();
    return {text, size_t(size)};
  }
  char* bytes = nullptr;
  if (PyBytes_Check(item) && PyBytes_AsStringAndSize(item, &bytes, &size) == 0) return {bytes, size_t(size)};
  throw Error(ErrorKind::kType, what + " must hold str or bytes, got " + python_type(item));
}

/// An array's objects, one after the other.
PyObject** objects(const Buffer& buffer) { return static_cast<PyObject**>(buffer.data()); }

Tensor strings(nb::object array, const std::string& what) {
  Tensor tensor(DType::kString, shape_of(array));
  std::string* out = tensor.data<std::string>();
  if (nb::cast<std::string>(array.attr("dtype").attr("kind")) != "O") array = array.attr("astype")("O");
  const Buffer buffer(array);
  for (int64_t i = 0; i < tensor.size(); ++i) out[i] = text_of(objects(buffer)[i], what);
  return tensor;
}

/// Elements of less than a byte lie one to a byte in NumPy, without gaps in Linnet.
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

bool is_array(nb::handle value) {
  static const auto* ndarray = new nb::object(numpy().attr("ndarray"));
  return PyObject_IsInstance(value.ptr(), ndarray->ptr()) != 0;
}

/// The value as an array of NumPy; of `dtype` where it has no type of its own.
nb::object as_array(nb::handle value, const nb::object& dtype) {
  if (is_array(value)) return nb::borrow(value);
  if (nb::hasattr(value, "__dlpack__") && !nb::hasattr(value, "__array__")) return numpy().attr("from_dlpack")(value);
  const bool typed = nb::hasattr(value, "dtype") || PyObject_CheckBuffer(value.ptr());
  return typed ? numpy().attr("asarray")(value) : numpy().attr("asarray")(value, dtype);
}

/// The array with the byte order of this machine.
nb::object of_dtype(nb::object array, const nb::object& dtype, DType wanted, const std::string& what) {
  const nb::object own = array.attr("dtype");
  if (own.is(dtype) || own.equal(dtype)) return array;
  if (own.attr("newbyteorder")("=").equal(dtype)) return array.attr("astype")(dtype);
  throw Error(ErrorKind::kType, str(what, " must be ", wanted, ", got ", nb::str(own).c_str()));
}

/// The array as bytes or 16-bit words, where its memory is ml_dtypes' and so not exported.
nb::object exported(nb::object array, DType dtype) {
  return is_numpys(dtype) ? array : array.attr("view")(dtype_bits(dtype) == 16 ? "uint16" : "uint8");
}

/// The letters that Python's struct has for a dtype; none where NumPy has no type.
const char* struct_codes(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return "e";
    case DType::kFloat32:
      return "f";
    case DType::kFloat64:
      return "d";
    case DType::kInt8:
      return "b";
    case DType::kInt16:
      return "h";
    case DType::kInt32:
      return "il";
    case DType::kInt64:
      return "lq";
    case DType::kUint8:
      return "B";
    case DType::kUint16:
      return "H";
    case DType::kUint32:
      return "IL";
    case DType::kUint64:
      return "LQ";
    case DType::kBool:
      return "?";
    default:
      return "";
  }
}

/// An array that can be shared as it is.
std::optional<Tensor> shared_array(nb::handle array, DType dtype) {
  const char* codes = struct_codes(dtype);
  if (!*codes || !is_array(array)) return std::nullopt;
  auto buffer = std::make_shared<const Buffer>(array, codes, dtype_bits(dtype) / 8);
  if (!*buffer) return std::nullopt;
  void* data = buffer->data();
  const Shape shape = buffer->shape();
  return Tensor::share(dtype, shape, data, std::move(buffer));
}

Tensor to_array_tensor(nb::handle value, const Fact& fact, const std::string& what) {
  if (const std::optional<Tensor> shared = shared_array(value, fact.dtype)) return *shared;
  if (fact.dtype == DType::kString) return strings(numpy().attr("asarray")(value), what);
  const nb::object dtype = numpy_dtype(fact.dtype);
  nb::object array = of_dtype(as_array(value, dtype), dtype, fact.dtype, what);
  const Shape shape = shape_of(array);
  array = exported(array, fact.dtype);
  if (dtype_bits(fact.dtype) < 8) return packed(Buffer(array), fact.dtype, shape);
  auto buffer = std::make_shared<const Buffer>(array);
  void* data = buffer->data();
  return Tensor::share(fact.dtype, shape, data, std::move(buffer));
}

/// That of an array's elements, in any byte order.
DType dtype_of(nb::handle array, const std::string& what) {
  const nb::object own = array.attr("dtype"), native = own.attr("newbyteorder")("=");
  if (std::string("SUO").find(nb::cast<std::string>(own.attr("kind"))) != std::string::npos) return DType::kString;
  for (const auto& [number, dtype] : dtypes()) {
    if (native.equal(dtype)) return DType(nb::cast<int>(number));
  }
  throw Error(ErrorKind::kType, str(what, " cannot be of dtype ", nb::str(own).c_str()));
}

Tensor to_sequence(nb::handle value, const Fact& fact, const std::string& what) {
  if (!PySequence_Check(value.ptr()))
    throw Error(ErrorKind::kType, what + " must be a list, got " + python_type(value));
  Sequence sequence;
  for (nb::handle item : nb::borrow<nb::object>(value)) {
    const std::string element = str(what, ", element ", sequence.elements.size(), ",");
    sequence.elements.push_back(to_tensor(item, *fact.element, element));
  }
  return Tensor::scalar(sequence);
}

/// Numbers of Python, those of which it is quick; nullopt for others.
template <class T, class Check, class Get>
std::optional<Tensor> numbers(const nb::list& list, Check check, Get get) {
  Tensor tensor(linnet::dtype_of<T>, Shape{int64_t(list.size())});
  T* out = tensor.data<T>();
  for (nb::handle item : list) {
    if (!check(item.ptr())) return std::nullopt;
    *out++ = T(get(item.ptr()));
  }
  if (!PyErr_Occurred()) return tensor;
  PyErr_Clear();
  return std::nullopt;
}

/// Keys or values of a map.
Tensor map_column(const nb::list& list, DType dtype, const std::string& what) {
  const auto is_float = [](PyObject* item) { return PyFloat_CheckExact(item); };
  const auto is_int = [](PyObject* item) { return PyLong_CheckExact(item); };
  std::optional<Tensor> quick;
  if (dtype == DType::kInt64) quick = numbers<int64_t>(list, is_int, PyLong_AsLongLong);
  if (dtype == DType::kFloat32) quick = numbers<float>(list, is_float, PyFloat_AsDouble);
  if (dtype == DType::kFloat64) quick = numbers<double>(list, is_float, PyFloat_AsDouble);
  return quick ? *quick : to_array_tensor(list, Fact(dtype, Dims{Dim(int64_t(list.size()))}), what);
}

Tensor to_map(nb::handle value, const Fact& fact, const std::string& what) {
  if (!nb::isinstance<nb::dict>(value))
    throw Error(ErrorKind::kType, what + " must be a dict, got " + python_type(value));
  const auto dict = nb::cast<nb::dict>(value);
  return Tensor::scalar(Map{map_column(dict.keys(), fact.key, what + ", keys,"),
                            map_column(dict.values(), fact.element->dtype, what + ", values,")});
}

nb::object text_to_python(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "surrogateescape"));
}

nb::object sequence_to_python(const Sequence& sequence) {
  nb::list list;
  for (const Tensor& element : sequence.elements) list.append(to_python(element));
  return list;
}

/// What a map may hold.
nb::object element_to_python(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kInt64:
      return nb::steal(PyLong_FromLongLong(tensor.data<int64_t>()[i]));
    case DType::kFloat32:
      return nb::steal(PyFloat_FromDouble(double(tensor.data<float>()[i])));
    case DType::kFloat64:
      return nb::steal(PyFloat_FromDouble(tensor.data<double>()[i]));
    case DType::kString:
      return text_to_python(tensor.data<std::string>()[i]);
    default:
      return to_python(tensor).attr("tolist")()[i];
  }
}

nb::object map_to_python(const Map& map) {
  nb::dict dict;
  for (int64_t i = 0; i < map.keys.size(); ++i) {
    dict[element_to_python(map.keys, i)] = element_to_python(map.values, i);
  }
  return dict;
}

nb::object strings_to_python(const Tensor& tensor) {
  nb::object array = numpy().attr("empty")(tensor.size(), "object");
  const Buffer buffer(array, "the array of an output");
  for (int64_t i = 0; i < tensor.size(); ++i) {
    nb::object text = text_to_python(tensor.data<std::string>()[i]);
    Py_XDECREF(std::exchange(objects(buffer)[i], text.release().ptr()));
  }
  return array;
}

nb::object reshaped(nb::object array, const Shape& shape) {
  nb::list dims;
  for (const int64_t dim : shape) dims.append(dim);
  return array.attr("reshape")(nb::tuple(dims));
}

/// The same bytes as unsigned integers, where NumPy or nanobind do not know the type.
nb::dlpack::dtype dlpack_dtype(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto bits = uint8_t(dtype_bits(dtype));
  switch (dtype) {
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return {uint8_t(Code::Float), bits, 1};
    case DType::kComplex64:
    case DType::kComplex128:
      return {uint8_t(Code::Complex), bits, 1};
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return {uint8_t(Code::Int), bits, 1};
    case DType::kBool:
      return {uint8_t(Code::Bool), 8, 1};
    default:
      return {uint8_t(Code::UInt), bits, 1};
  }
}

nb::object numbers_to_python(const Tensor& tensor) {
  auto* held = new Tensor(tensor);
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  size_t shape[kMaxRank];
  std::copy(tensor.shape().begin(), tensor.shape().end(), shape);
  const nb::ndarray<nb::numpy> array(held->raw(), size_t(tensor.rank()), shape, owner, nullptr,
                                     dlpack_dtype(tensor.dtype()));
  nb::object result = nb::cast(array, nb::rv_policy::reference);
  return is_numpys(tensor.dtype()) ? result : result.attr("view")(numpy_dtype(tensor.dtype()));
}

}  // namespace

void set_dtypes(nb::dict by_number) { dtypes() = std::move(by_number); }

Tensor to_tensor(nb::handle value, const Fact& fact, const std::string& what) {
  switch (fact.dtype) {
    case DType::kSequence:
      return to_sequence(value, fact, what);
    case DType::kMap:
      return to_map(value, fact, what);
    case DType::kOptional:
      return Tensor::scalar(value.is_none() ? Optional{} : Optional{to_tensor(value, *fact.element, what)});
    default:
      return to_array_tensor(value, fact, what);
  }
}

Tensor to_tensor(nb::handle array, const std::string& what) {
  return to_array_tensor(array, Fact(dtype_of(array, what), std::nullopt), what);
}

Tensor output_memory(nb::handle array, const Fact& fact, const std::string& what) {
  if (is_object(fact.dtype) || dtype_bits(fact.dtype) < 8) {
    throw Error(ErrorKind::kType,
                str(what, " cannot be given: elements of ", fact.dtype, " do not lie in NumPy's memory"));
  }
  const nb::object dtype = numpy_dtype(fact.dtype);
  if (!nb::hasattr(array, "dtype") || !array.attr("dtype").equal(dtype)) {
    throw Error(ErrorKind::kType, str(what, " must be an array of ", fact.dtype));
  }
  auto buffer = std::make_shared<const Buffer>(exported(nb::borrow(array), fact.dtype), what);
  void* data = buffer->data();
  return Tensor::share(fact.dtype, shape_of(array), data, std::move(buffer));
}

nb::object to_python(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kUndefined:
      return nb::none();
    case DType::kSequence:
      return sequence_to_python(*tensor.data<Sequence>());
    case DType::kMap:
      return map_to_python(*tensor.data<Map>());
    case DType::kOptional:
      return to_python(tensor.data<Optional>()->value);
    case DType::kString:
      return reshaped(strings_to_python(tensor), tensor.shape());
    default:
      break;
  }
  if (dtype_bits(tensor.dtype()) >= 8) return numbers_to_python(tensor);
  return reshaped(unpacked(tensor).attr("view")(numpy_dtype(tensor.dtype())), tensor.shape());
}

}  // namespace linnet::python
