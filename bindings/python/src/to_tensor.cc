#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "arguments.h"
#include "linnet/containers.h"
#include "numpy_arrays.h"
#include "numpy_interface.h"
#include "values.h"

namespace linnet::python {
namespace {

std::string python_type(nb::handle value) { return nb::cast<std::string>(nb::str(nb::type_name(value.type()))); }

bool is_array(nb::handle value) {
  static const auto* ndarray = new nb::object(numpy().attr("ndarray"));
  return PyObject_IsInstance(value.ptr(), ndarray->ptr()) != 0;
}

/// Returns the plain ndarray. Subclasses may have a shape and a dtype in Python that differ from those of their memory.
nb::object base_array(nb::handle array) { return numpy().attr("asarray")(array); }

/// Whether the value has a dtype: an array, a scalar of NumPy, or an object that converts to an array. Python's texts,
/// numbers and lists have no dtype.
bool has_type(nb::handle value) {
  return nb::hasattr(value, "dtype") || nb::hasattr(value, "__array__") ||
         (PyObject_CheckBuffer(value.ptr()) && !PyBytes_Check(value.ptr()));
}

/// Calls f(). Converts Python's exceptions about the type or contents of a value to an Error that names the value.
template <class F>
Tensor naming(const std::string& what, F f) {
  try {
    return f();
  } catch (nb::python_error& error) {
    const bool of_type = error.matches(PyExc_TypeError);
    if (!of_type && !error.matches(PyExc_ValueError) && !error.matches(PyExc_OverflowError)) throw;
    throw Error(of_type ? ErrorKind::kType : ErrorKind::kModel, str(what, " does not fit: ", text_of(error.value())));
  }
}

/// Returns the buffer's memory as a tensor. Throws Error(kShape) if the buffer has another size.
Tensor shared_buffer(DType dtype, const Shape& shape, std::shared_ptr<const Buffer> buffer, const std::string& what) {
  if (buffer->bytes() != dtype_bytes(dtype, shape.elements())) {
    throw Error(ErrorKind::kShape, str(what, " has ", buffer->bytes(), " bytes, which are not ", dtype, shape));
  }
  void* data = buffer->data();
  return Tensor::share(dtype, shape, data, std::move(buffer));
}

/// Returns the shape of a plain ndarray.
Shape shape_of(nb::handle array) {
  Shape shape;
  for (nb::handle dim : nb::cast<nb::tuple>(array.attr("shape"))) shape.push_back(nb::cast<int64_t>(dim));
  return shape;
}

/// Returns the text of an object, which holds it.
std::string_view text_of(PyObject* item, const std::string& what) {
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

Tensor strings(nb::handle value, const std::string& what) {
  // Values without a dtype are converted to objects, since NumPy would convert numbers to texts in a list that also has
  // texts.
  nb::object array = has_type(value) ? base_array(value) : numpy().attr("asarray")(value, "O");
  Tensor tensor(DType::kString, shape_of(array));
  std::string* out = tensor.data<std::string>();
  if (nb::cast<std::string>(array.attr("dtype").attr("kind")) != "O") array = array.attr("astype")("O");
  const Buffer buffer(array);
  for (int64_t i = 0, n = tensor.size(); i < n; ++i) out[i].assign(text_of(buffer.objects()[i], what));
  return tensor;
}

/// Returns the value as an ndarray. Numbers without a dtype become elements of `wanted`.
nb::object as_array(nb::handle value, DType wanted) {
  if (is_array(value)) return base_array(value);
  if (nb::hasattr(value, "__dlpack__") && !nb::hasattr(value, "__array__")) return numpy().attr("from_dlpack")(value);
  if (has_type(value)) return numpy().attr("asarray")(value);
  return nb::module_::import_("linnet.plain_numbers").attr("array")(value, numpy_dtype(wanted));
}

bool is_narrower_integer(const nb::object& own, const nb::object& dtype, DType wanted) {
  return wanted == DType::kInt64 && std::strchr("iu", nb::cast<std::string>(own.attr("kind"))[0]) &&
         nb::cast<bool>(numpy().attr("can_cast")(own, dtype));
}

/// Returns the array in the byte order of this machine. Integers of fewer bits become int64 where that is wanted, since
/// ids are often narrower.
nb::object of_dtype(nb::object array, const nb::object& dtype, DType wanted, const std::string& what) {
  const nb::object own = array.attr("dtype");
  if (own.is(dtype) || own.equal(dtype)) return array;
  if (own.attr("newbyteorder")("=").equal(dtype) || is_narrower_integer(own, dtype, wanted)) {
    return array.attr("astype")(dtype);
  }
  throw Error(ErrorKind::kType, str(what, " must be ", wanted, ", got ", nb::str(own).c_str()));
}

/// Returns the array as bytes or 16-bit words if its dtype is of ml_dtypes, whose memory is not exported.
nb::object exported(nb::object array, DType dtype) {
  return is_numpys(dtype) ? array : array.attr("view")(dtype_bits(dtype) == 16 ? "uint16" : "uint8");
}

/// Returns the letters of Python's struct for a dtype, or "" for types that NumPy does not have.
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

/// Returns a tensor that shares the array's memory, or nullopt if the array needs a conversion.
std::optional<Tensor> shared_array(nb::handle array, DType dtype) {
  if (std::optional<Tensor> tensor = tensor_of_array(array, dtype, false)) return tensor;
  const char* codes = struct_codes(dtype);
  if (!*codes || !is_array(array)) return std::nullopt;
  auto buffer = std::make_shared<const Buffer>(array, codes, dtype_bits(dtype) / 8);
  if (!*buffer) return std::nullopt;
  void* data = buffer->data();
  const Shape shape = buffer->shape();
  return Tensor::share(dtype, shape, data, std::move(buffer));
}

Tensor to_array_tensor(nb::handle value, const Fact& fact, const std::string& what) {
  if (fact.dtype == DType::kString) return strings(value, what);
  nb::object array = of_dtype(as_array(value, fact.dtype), numpy_dtype(fact.dtype), fact.dtype, what);
  const Shape shape = shape_of(array);
  array = exported(array, fact.dtype);
  if (dtype_bits(fact.dtype) < 8) return packed(Buffer(array), fact.dtype, shape);
  return shared_buffer(fact.dtype, shape, std::make_shared<const Buffer>(array), what);
}

/// Returns the dtype of an ndarray's elements, in any byte order.
DType dtype_of(nb::handle array, const std::string& what) {
  const nb::object own = array.attr("dtype"), native = own.attr("newbyteorder")("=");
  if (std::string("SUO").find(nb::cast<std::string>(own.attr("kind"))) != std::string::npos) return DType::kString;
  for (const auto table : {numpy_dtypes, all_dtypes}) {
    for (const auto& [number, dtype] : table()) {
      if (native.equal(dtype)) return DType(nb::cast<int>(number));
    }
  }
  throw Error(ErrorKind::kType, str(what, " cannot be of dtype ", nb::str(own).c_str()));
}

Tensor to_sequence(nb::handle value, const Fact& fact, const std::string& what) {
  if (!PySequence_Check(value.ptr()))
    throw Error(ErrorKind::kType, what + " must be a list, got " + python_type(value));
  Sequence sequence;
  for (nb::handle item : nb::borrow<nb::object>(value)) {
    if (std::optional<Tensor> shared = shared_array(item, fact.element->dtype)) {
      sequence.elements.push_back(std::move(*shared));
    } else {
      const std::string element = str(what, ", element ", sequence.elements.size(), ",");
      sequence.elements.push_back(to_tensor(item, *fact.element, element));
    }
  }
  return Tensor::scalar(sequence);
}

/// Converts a list of Python's numbers if `check` accepts each of them and they fit; otherwise returns nullopt.
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

/// Converts the keys or the values of a map.
Tensor map_column(const nb::list& list, DType dtype, const std::string& what) {
  const auto is_float = [](PyObject* item) { return PyFloat_CheckExact(item); };
  const auto is_int = [](PyObject* item) { return PyLong_CheckExact(item); };
  std::optional<Tensor> quick;
  if (dtype == DType::kInt64) quick = numbers<int64_t>(list, is_int, PyLong_AsLongLong);
  if (dtype == DType::kFloat32) quick = numbers<float>(list, is_float, PyFloat_AsDouble);
  if (dtype == DType::kFloat64) quick = numbers<double>(list, is_float, PyFloat_AsDouble);
  return quick ? *quick : to_tensor(list, Fact(dtype, Dims{Dim(int64_t(list.size()))}), what);
}

Tensor to_map(nb::handle value, const Fact& fact, const std::string& what) {
  if (!nb::isinstance<nb::dict>(value))
    throw Error(ErrorKind::kType, what + " must be a dict, got " + python_type(value));
  const auto dict = nb::cast<nb::dict>(value);
  return Tensor::scalar(Map{map_column(dict.keys(), fact.key, what + ", keys,"),
                            map_column(dict.values(), fact.element->dtype, what + ", values,")});
}

}  // namespace

Tensor to_tensor(nb::handle value, const Fact& fact, const std::string& what) {
  if (std::optional<Tensor> shared = shared_array(value, fact.dtype)) return std::move(*shared);
  switch (fact.dtype) {
    case DType::kSequence:
      return to_sequence(value, fact, what);
    case DType::kMap:
      return to_map(value, fact, what);
    case DType::kOptional:
      return Tensor::scalar(value.is_none() ? Optional{} : Optional{to_tensor(value, *fact.element, what)});
    default:
      return naming(what, [&] { return to_array_tensor(value, fact, what); });
  }
}

Tensor to_tensor(nb::handle array, const std::string& what) {
  const nb::object own = is_array(array) ? base_array(array) : nb::borrow(array);
  return to_tensor(own, Fact(dtype_of(own, what), std::nullopt), what);
}

Tensor output_memory(nb::handle array, const Fact& fact, const std::string& what) {
  if (std::optional<Tensor> tensor = tensor_of_array(array, fact.dtype, true)) return std::move(*tensor);
  if (is_object(fact.dtype) || dtype_bits(fact.dtype) < 8) {
    throw Error(ErrorKind::kType,
                str(what, " cannot be given: elements of ", fact.dtype, " have no form in NumPy's memory"));
  }
  const nb::object dtype = numpy_dtype(fact.dtype);
  const nb::object own = is_array(array) ? base_array(array) : nb::none();
  if (own.is_none() || !own.attr("dtype").equal(dtype)) {
    throw Error(ErrorKind::kType, str(what, " must be an array of ", fact.dtype));
  }
  return shared_buffer(fact.dtype, shape_of(own), std::make_shared<const Buffer>(exported(own, fact.dtype), what),
                       what);
}

}  // namespace linnet::python
