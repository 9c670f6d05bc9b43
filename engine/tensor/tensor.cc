#include "linnet/tensor.h"

#include <cstring>
#include <new>

namespace linnet {
namespace {

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<const void> allocate(size_t bytes, void*& data) {
  data = ::operator new(bytes, kAlignment, std::nothrow);
  if (!data) throw Error(ErrorKind::kLimit, str("out of memory allocating ", bytes, " bytes"));
  return {data, [](void* p) { ::operator delete(p, kAlignment); }};
}

std::shared_ptr<const void> allocate_strings(int64_t count, void*& data) {
  auto strings = std::make_shared<std::vector<std::string>>(size_t(count));
  data = strings->data();
  return strings;
}

}  // namespace

Tensor::Tensor(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape) {
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  owner_ = dtype == DType::kString ? allocate_strings(shape.elements(), data_) : allocate(bytes, data_);
}

Tensor Tensor::wrap(DType dtype, const Shape& shape, void* data) { return share(dtype, shape, data, nullptr); }

Tensor Tensor::share(DType dtype, const Shape& shape, void* data, std::shared_ptr<const void> owner) {
  Tensor result;
  result.dtype_ = dtype;
  result.shape_ = shape;
  result.data_ = data;
  result.owner_ = std::move(owner);
  return result;
}

Tensor Tensor::clone() const {
  if (!*this) return {};
  Tensor copy(dtype_, shape_);
  if (dtype_ == DType::kString) {
    std::copy_n(data<std::string>(), size(), copy.data<std::string>());
  } else if (bytes() > 0) {
    std::memcpy(copy.data_, data_, bytes());
  }
  return copy;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  if (shape.elements() != size()) {
    throw Error(ErrorKind::kShape, str("cannot reshape ", shape_, " to ", shape));
  }
  return share(dtype_, shape, data_, owner_);
}

void Tensor::check_type(DType wanted) const {
  if (dtype_ != wanted) throw Error(ErrorKind::kType, str("tensor is ", dtype_, ", not ", wanted));
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!a || a.size() == 0) return true;
  if (a.dtype() == DType::kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.size(), b.data<std::string>());
  }
  return a.raw() == b.raw() || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

std::string describe(const Tensor& tensor) { return str(tensor.dtype(), tensor.shape()); }

}  // namespace linnet
