#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <utility>

#include "linnet/containers.h"
#include "numpy_arrays.h"
#include "numpy_interface.h"
#include "values.h"

namespace linnet::python {
namespace {

nb::object text_to_python(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "surrogateescape"));
}

/// The objects of texts that were converted not long ago. Columns of labels and tokens repeat a few texts.
class RecentTexts {
 public:
  /// The text must exist as long as this object.
  nb::handle object_of(const std::string& text) {
    Recent& recent = recent_[place(text)];
    if (!recent.text || *recent.text != text) recent = {&text, text_to_python(text)};
    return recent.object;
  }

 private:
  struct Recent {
    const std::string* text = nullptr;
    nb::object object;
  };
  static size_t place(const std::string& text) {
    const size_t n = text.size();
    const size_t letters = n == 0 ? 0 : uint8_t(text[0]) + 5 * uint8_t(text[n / 2]) + 25 * uint8_t(text[n - 1]);
    return (n + 3 * letters) % kPlaces;
  }

  static constexpr size_t kPlaces = 128;
  std::array<Recent, kPlaces> recent_;
};

nb::object sequence_to_python(const Sequence& sequence) {
  nb::list list;
  for (const Tensor& element : sequence.elements) list.append(to_python(element));
  return list;
}

/// Converts an element of the types that a map may hold.
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
    const nb::object key = element_to_python(map.keys, i), value = element_to_python(map.values, i);
    if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr())) nb::raise_python_error();
  }
  return dict;
}

nb::object strings_to_python(const Tensor& tensor) {
  nb::object array = numpy().attr("empty")(tensor.size(), "object");
  const Buffer buffer(array, "the array of an output");
  const std::string* texts = tensor.data<std::string>();
  PyObject** objects = buffer.objects();
  RecentTexts recent;
  for (int64_t i = 0, n = tensor.size(); i < n; ++i) {
    Py_XDECREF(std::exchange(objects[i], recent.object_of(texts[i]).inc_ref().ptr()));
  }
  return array;
}

nb::object reshaped(nb::object array, const Shape& shape) {
  nb::list dims;
  for (const int64_t dim : shape) dims.append(dim);
  return array.attr("reshape")(nb::tuple(dims));
}

/// Returns the type in DLPack. For types that NumPy or nanobind do not know, returns unsigned integers of the same
/// size.
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
  if (nb::object array = array_of_tensor(tensor); array.is_valid()) return array;
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
