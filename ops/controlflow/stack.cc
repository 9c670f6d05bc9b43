#include "controlflow/stack.h"

#include <algorithm>

#include "dispatch.h"

namespace linnet {
namespace {

// How element `index` along `axis` lies in the tensor: `outer` runs of `inner` elements, `stride` apart.
struct Layout {
  Layout(const Shape& shape, int axis, int64_t index)
      : outer(shape.elements(0, axis)),
        inner(shape.elements(axis + 1, shape.rank())),
        stride(inner * shape[axis]),
        offset(inner * index) {}

  int64_t outer, inner, stride, offset;
};

void check_slice(const Layout& at, const Tensor& slice, const Tensor& tensor) {
  if (slice.dtype() == tensor.dtype() && slice.size() == at.outer * at.inner) return;
  throw Error(ErrorKind::kShape, str(describe(slice), " is no slice of ", describe(tensor)));
}

}  // namespace

void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice) {
  const Layout at(tensor.shape(), axis, index);
  check_slice(at, slice, tensor);
  dispatch_width(tensor.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(tensor.raw()) + at.offset;
    T* to = static_cast<T*>(slice.raw());
    for (int64_t i = 0; i < at.outer; ++i) std::copy_n(from + i * at.stride, at.inner, to + i * at.inner);
  });
}

void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor) {
  const Layout at(tensor.shape(), axis, index);
  check_slice(at, slice, tensor);
  dispatch_width(tensor.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(slice.raw());
    T* to = static_cast<T*>(tensor.raw()) + at.offset;
    for (int64_t i = 0; i < at.outer; ++i) std::copy_n(from + i * at.inner, at.inner, to + i * at.stride);
  });
}

}  // namespace linnet
