#include "controlflow/stack.h"

#include <algorithm>
#include <cstring>

#include "elements/bit_stream.h"
#include "elements/dispatch.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

constexpr int64_t kRunWork = 8;

// The layout of element `index` along `axis` in a tensor: `outer` runs of `inner` elements, with distance `stride`.
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
  throw Error(ErrorKind::kShape, str(describe(slice), " is not a slice of ", describe(tensor)));
}

/// Calls f(in_slice, in_tensor, n) for each run of elements of a slice, with the positions of its first element.
template <class F>
void for_each_run(const Layout& at, F f) {
  Checkpoints checkpoints;
  for (int64_t i = 0; i < at.outer; ++i) {
    f(i * at.inner, at.offset + i * at.stride, at.inner);
    checkpoints.add(kRunWork + at.inner);
  }
}

void copy_codes(const Tensor& from, int64_t first, Tensor& to, int64_t target, int64_t n) {
  const int bits = dtype_bits(from.dtype());
  for (int64_t i = 0; i < n; ++i) set_code(to.raw(), target + i, bits, code_at(from.raw(), first + i, bits));
}

/// Clears the last byte, because the bits after the last element must be zeros.
void clear_last_byte(Tensor& tensor) { static_cast<uint8_t*>(tensor.raw())[tensor.bytes() - 1] = 0; }

void copy_run(const Tensor& from, int64_t first, Tensor& to, int64_t target, int64_t n) {
  if (dtype_bits(from.dtype()) < 8) return copy_codes(from, first, to, target, n);
  dispatch_width(from.dtype(), [&]<class T>() {
    std::copy_n(static_cast<const T*>(from.raw()) + first, n, static_cast<T*>(to.raw()) + target);
  });
}

}  // namespace

Tensor zeros(DType dtype, const Shape& shape) {
  Tensor result(dtype, shape);
  if (!is_object(dtype) && result.bytes() > 0) std::memset(result.raw(), 0, result.bytes());
  return result;
}

Tensor stack_memory(KernelContext& context, int output, bool wanted, DType dtype, const Shape& shape) {
  Tensor result = wanted ? context.allocate_output(output, shape) : Tensor(dtype, shape);
  if (dtype_bits(dtype) < 8 && result.bytes() > 0) clear_last_byte(result);
  return result;
}

bool has_slices_in_place(const Tensor& tensor, int axis) {
  return !is_object(tensor.dtype()) && dtype_bits(tensor.dtype()) >= 8 && tensor.shape().elements(0, axis) == 1;
}

Tensor slice_in(const Tensor& tensor, int axis, int64_t index) {
  const Shape shape = without_axis(tensor.shape(), axis);
  auto* const first = static_cast<std::byte*>(const_cast<void*>(tensor.raw()));
  return Tensor::wrap(tensor.dtype(), shape, first + size_t(index) * dtype_bytes(tensor.dtype(), shape.elements()));
}

void take_slice(const Tensor& tensor, int axis, int64_t index, Tensor& slice) {
  const Layout at(tensor.shape(), axis, index);
  check_slice(at, slice, tensor);
  if (dtype_bits(slice.dtype()) < 8 && slice.bytes() > 0) clear_last_byte(slice);
  for_each_run(at, [&](int64_t to, int64_t from, int64_t n) { copy_run(tensor, from, slice, to, n); });
}

void put_slice(const Tensor& slice, int axis, int64_t index, Tensor& tensor) {
  const Layout at(tensor.shape(), axis, index);
  check_slice(at, slice, tensor);
  for_each_run(at, [&](int64_t from, int64_t to, int64_t n) { copy_run(slice, from, tensor, to, n); });
}

}  // namespace linnet
