#include "numpy_interface.h"

#include <array>
#include <memory>

#include "numpy_arrays.h"

namespace linnet::python {
namespace {

/// The first members of each ndarray. They are a part of NumPy's ABI, since its headers read them in inline functions.
/// Source: https://numpy.org/doc/stable/reference/c-api/types-and-structures.html (PyArrayObject)
struct ArrayFields {
  PyObject ob_base;
  char* data;
  int rank;
  Py_ssize_t* dims;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;
};

constexpr int kCOrder = 0x1, kAligned = 0x100, kWritable = 0x400;

/// The functions of NumPy's C interface that Linnet calls.
/// Source: https://numpy.org/doc/stable/reference/c-api/array.html
struct NumpyInterface {
  using NewFromDescr = PyObject* (*)(PyTypeObject* type, PyObject* dtype, int rank, const Py_ssize_t* dims,
                                     const Py_ssize_t* strides, void* data, int flags, PyObject* like);
  using SetBaseObject = int (*)(PyObject* array, PyObject* base);

  PyTypeObject* array_type = nullptr;
  NewFromDescr new_from_descr = nullptr;    // takes the reference to the dtype
  SetBaseObject set_base_object = nullptr;  // takes the reference to the base
  std::array<PyObject*, 32> dtypes{};       // by Linnet's number
};

/// The table of NumPy's C interface; nullptr if its ABI is unknown.
void** function_table() {
  nb::object module;
  try {
    module = nb::module_::import_("numpy._core._multiarray_umath");
  } catch (const nb::python_error&) {
    module = nb::module_::import_("numpy.core._multiarray_umath");
  }
  const nb::object capsule = module.attr("_ARRAY_API");
  auto** const table = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!table) return nullptr;
  const unsigned version = reinterpret_cast<unsigned (*)()>(table[0])();
  return version == 0x1000009 || version == 0x2000000 ? table : nullptr;
}

/// Whether the members of an array have the values that Python's attributes of it have.
bool agrees(const nb::object& array) {
  const auto& fields = *reinterpret_cast<const ArrayFields*>(array.ptr());
  const nb::object data = array.attr("__array_interface__")["data"][0];
  return fields.rank == 2 && fields.dims[0] == 2 && fields.dims[1] == 3 &&
         reinterpret_cast<uintptr_t>(fields.data) == nb::cast<uintptr_t>(data) &&
         fields.dtype == array.attr("dtype").ptr() && fields.flags == nb::cast<int>(array.attr("flags").attr("num"));
}

/// Without array_type if the interface is unknown.
NumpyInterface read_interface() {
  NumpyInterface interface;
  void** const table = function_table();
  if (!table || !agrees(numpy().attr("ones")(nb::make_tuple(2, 3), "float32"))) return interface;
  for (const auto& [number, dtype] : numpy_dtypes()) {
    const auto i = nb::cast<size_t>(number);
    if (i < interface.dtypes.size()) interface.dtypes[i] = dtype.ptr();  // the dict is never freed
  }
  interface.array_type = static_cast<PyTypeObject*>(table[2]);
  interface.new_from_descr = reinterpret_cast<NumpyInterface::NewFromDescr>(table[94]);
  interface.set_base_object = reinterpret_cast<NumpyInterface::SetBaseObject>(table[282]);
  return interface;
}

const NumpyInterface& numpy_interface() {
  static const NumpyInterface interface = [] {
    try {
      return read_interface();
    } catch (const nb::python_error&) {  // a NumPy of another form
      return NumpyInterface();
    }
  }();
  return interface;
}

PyObject* dtype_in(const NumpyInterface& interface, DType dtype) {
  return size_t(dtype) < interface.dtypes.size() ? interface.dtypes[size_t(dtype)] : nullptr;
}

/// A reference to an object, which a thread without the interpreter's lock may drop.
class Held {
 public:
  explicit Held(nb::handle object) : object_(object) { object_.inc_ref(); }
  ~Held() {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire lock;
    object_.dec_ref();
  }
  Held(const Held&) = delete;

 private:
  nb::handle object_;
};

}  // namespace

std::optional<Tensor> tensor_of_array(nb::handle array, DType dtype, bool writable) {
  const NumpyInterface& interface = numpy_interface();
  if (!interface.array_type || Py_TYPE(array.ptr()) != interface.array_type) return std::nullopt;
  const auto& fields = *reinterpret_cast<const ArrayFields*>(array.ptr());
  const int needed = kCOrder | kAligned | (writable ? kWritable : 0);
  if (fields.dtype != dtype_in(interface, dtype) || (fields.flags & needed) != needed) return std::nullopt;
  Shape shape;
  for (int i = 0; i < fields.rank; ++i) shape.push_back(fields.dims[i]);
  return Tensor::share(dtype, shape, fields.data, std::make_shared<const Held>(array));
}

nb::object array_of_tensor(const Tensor& tensor) {
  const NumpyInterface& interface = numpy_interface();
  PyObject* const dtype = interface.array_type ? dtype_in(interface, tensor.dtype()) : nullptr;
  if (!dtype) return {};
  auto held = std::make_unique<Tensor>(tensor);
  void* const data = held->raw();
  nb::object owner = nb::capsule(held.get(), [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  held.release();
  std::array<Py_ssize_t, kMaxRank> dims{};
  std::copy(tensor.shape().begin(), tensor.shape().end(), dims.begin());
  PyObject* const array =
      interface.new_from_descr(interface.array_type, nb::borrow(dtype).release().ptr(), tensor.rank(), dims.data(),
                               nullptr, data, kCOrder | kAligned | kWritable, nullptr);
  nb::object result = nb::steal(array);
  if (!array || (data && interface.set_base_object(array, owner.release().ptr()) != 0)) nb::raise_python_error();
  return result;
}

}  // namespace linnet::python
