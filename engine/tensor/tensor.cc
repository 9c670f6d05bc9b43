#include "linnet/tensor.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "linnet/containers.h"
#include "tensor/held_bytes.h"
#include "tensor/large_block.h"
#include "tensor/memory_account.h"
#include "tensor/stored_contents.h"

namespace linnet {
namespace {

/// The bytes of the block that counts owners, and of what alignment wastes.
constexpr size_t kOwnerBytes = 128;

std::shared_ptr<const void> allocate(size_t bytes, void*& data) {
  const CountedBytes counted(bytes + kOwnerBytes);
  data = allocate_block(bytes);
  if (!data) {
    counted.give_back();
    throw Error(ErrorKind::kLimit, str("out of memory allocating ", bytes, " bytes"));
  }
  return {data, [bytes, counted](void* p) {
            free_block(p, bytes);
            counted.give_back();
          }};
}

/// Calls f with the C++ type of the elements. is_object(dtype) must hold.
template <class F>
auto dispatch_object(DType dtype, F&& f) {
  if (dtype == DType::kSequence) return f.template operator()<Sequence>();
  if (dtype == DType::kOptional) return f.template operator()<Optional>();
  if (dtype == DType::kMap) return f.template operator()<Map>();
  return f.template operator()<std::string>();
}

size_t more_bytes(const std::string& text) {
  static const size_t kInPlace = std::string().capacity();
  return text.capacity() > kInPlace ? text.capacity() + kTextBlockBytes : 0;
}
size_t more_bytes(const Sequence& sequence) {
  std::ranges::for_each(sequence.elements, count_held);
  return size_t(checked_mul(int64_t(sequence.elements.capacity()), sizeof(Tensor)));
}
size_t more_bytes(const Optional& optional) {
  count_held(optional.value);
  return 0;
}
size_t more_bytes(const Map& map) {
  count_held(map.keys);
  count_held(map.values);
  return 0;
}

/// Frees the memory of objects, which grows while they live.
template <class T>
struct FreeObjects {
  CountedBytes counted;

  void operator()(const std::vector<T>* objects) const {
    delete objects;
    counted.give_back();
  }
  static size_t own_bytes(int64_t count) { return size_t(checked_add(checked_mul(count, sizeof(T)), kOwnerBytes)); }
  void count(const std::vector<T>& objects) {
    size_t bytes = own_bytes(std::ssize(objects));
    for (const T& object : objects) bytes += more_bytes(object);
    counted.resize(bytes);
  }
};

std::shared_ptr<const void> allocate_objects(DType dtype, int64_t count, void*& data) {
  return dispatch_object(dtype, [&]<class T>() -> std::shared_ptr<const void> {
    const FreeObjects<T> free{CountedBytes(FreeObjects<T>::own_bytes(count))};
    std::unique_ptr<std::vector<T>> objects;
    try {
      objects = std::make_unique<std::vector<T>>(size_t(count));
    } catch (...) {
      free.counted.give_back();
      throw;
    }
    data = objects->data();
    return {objects.release(), free};
  });
}

bool equal(const std::string& a, const std::string& b) { return a == b; }
bool equal(const Sequence& a, const Sequence& b) {
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), identical);
}
bool equal(const Optional& a, const Optional& b) { return identical(a.value, b.value); }
bool equal(const Map& a, const Map& b) { return identical(a.keys, b.keys) && identical(a.values, b.values); }

}  // namespace

Tensor::Tensor(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape) {
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  if (is_container(dtype) && shape.rank() != 0) {
    throw Error(ErrorKind::kType, str("a ", dtype, " has the shape [], not ", shape));
  }
  allocated_ = !is_object(dtype);
  owner_ = is_object(dtype) ? allocate_objects(dtype, shape.elements(), data_) : allocate(bytes, data_);
}

Tensor Tensor::zeros(DType dtype, const Shape& shape) {
  Tensor result(dtype, shape);
  if (!is_object(dtype) && result.bytes() > 0) std::memset(result.raw(), 0, result.bytes());
  return result;
}

Tensor Tensor::clone() const {
  if (!*this) return {};
  Tensor copy(dtype_, shape_);
  copy_elements(*this, copy);
  count_held(copy);
  return copy;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  if (shape.elements() != size()) {
    throw Error(ErrorKind::kShape, str("cannot reshape ", shape_, " to ", shape));
  }
  Tensor result = share(dtype_, shape, data_, owner_);
  result.stored_ = stored_;
  return result;
}

const void* Tensor::contents() const { return static_cast<const StoredContents*>(owner_.get())->data(); }

void Tensor::throw_count(const Shape& shape, size_t values) {
  throw Error(ErrorKind::kShape, str("shape ", shape, " does not hold ", values, " values"));
}

void Tensor::check_type(DType wanted) const {
  if (dtype_ != wanted) throw Error(ErrorKind::kType, str("tensor is ", dtype_, ", not ", wanted));
}

void copy_elements(const Tensor& from, Tensor& to) {
  if (is_object(from.dtype())) {
    dispatch_object(from.dtype(), [&]<class T>() { std::copy_n(from.data<T>(), from.size(), to.data<T>()); });
  } else if (from.bytes() > 0) {
    std::memcpy(to.raw(), from.raw(), from.bytes());
  }
}

bool overlap(const Tensor& a, const Tensor& b) {
  if (!a || !b || is_object(a.dtype()) || is_object(b.dtype())) return false;
  const auto begin = [](const Tensor& t) { return static_cast<const std::byte*>(t.raw()); };
  const std::less<const std::byte*> before;
  return before(begin(a), begin(b) + b.bytes()) && before(begin(b), begin(a) + a.bytes());
}

bool overlap_in_part(const Tensor& a, const Tensor& b) {
  return overlap(a, b) && (a.address() != b.address() || a.bytes() != b.bytes());
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!a || a.size() == 0) return true;
  if (is_object(a.dtype())) {
    return dispatch_object(a.dtype(), [&]<class T>() {
      return std::equal(a.data<T>(), a.data<T>() + a.size(), b.data<T>(),
                        [](const T& x, const T& y) { return equal(x, y); });
    });
  }
  return a.address() == b.address() || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

void count_held(const Tensor& value) {
  if (!is_object(value.dtype())) return;
  dispatch_object(value.dtype(), [&]<class T>() {
    const std::shared_ptr<const void>& owner = StoredContents::owner(value);
    if (auto* const free = std::get_deleter<FreeObjects<T>>(owner)) {
      free->count(*static_cast<const std::vector<T>*>(owner.get()));
    }
  });
}

std::string describe(const Tensor& tensor) {
  if (!is_container(tensor.dtype())) return str(tensor.dtype(), tensor.shape());
  if (tensor.dtype() == DType::kSequence)
    return str("sequence(", tensor.data<Sequence>()->elements.size(), " elements)");
  if (tensor.dtype() == DType::kMap) return str("map(", tensor.data<Map>()->keys.size(), " keys)");
  const Tensor& value = tensor.data<Optional>()->value;
  return str("optional(", value ? describe(value) : "nothing", ")");
}

}  // namespace linnet
