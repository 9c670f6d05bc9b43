#include "storage_view.h"

#include <cstring>

namespace linnet::pt2 {

namespace {

/// Copies the elements of the dims from `dim` on. Returns the position after the last element written.
template <size_t Bytes>
std::byte* copy_dims(const StorageView& view, int dim, const std::byte* from, std::byte* to) {
  const int64_t count = view.shape[dim], stride = view.strides[size_t(dim)];
  const bool innermost = dim + 1 == view.shape.rank();
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* const element = from + i * stride * int64_t(Bytes);
    if (innermost) {
      std::memcpy(to, element, Bytes);
      to += Bytes;
    } else {
      to = copy_dims<Bytes>(view, dim + 1, element, to);
    }
  }
  return to;
}

template <size_t Bytes>
void copy_view(const StorageView& view, const std::byte* from, std::byte* to) {
  if (view.shape.rank() == 0) {
    std::memcpy(to, from, Bytes);
  } else {
    copy_dims<Bytes>(view, 0, from, to);
  }
}

}  // namespace

bool is_dense(const StorageView& view) {
  int64_t stride = 1;
  for (int i = view.shape.rank(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[size_t(i)] != stride) return false;
    stride = checked_mul(stride, view.shape[i]);
  }
  return true;
}

int64_t needed_elements(const StorageView& view) {
  if (view.shape.elements() == 0) return 0;
  int64_t last = view.offset;
  for (int i = 0; i < view.shape.rank(); ++i) {
    last = checked_add(last, checked_mul(view.shape[i] - 1, view.strides[size_t(i)]));
  }
  return checked_add(last, 1);
}

Tensor dense_copy(const StorageView& view, const std::byte* first) {
  Tensor copy(view.dtype, view.shape);
  if (copy.size() == 0) return copy;
  auto* const to = static_cast<std::byte*>(copy.raw());
  switch (dtype_bits(view.dtype)) {
    case 8:
      copy_view<1>(view, first, to);
      break;
    case 16:
      copy_view<2>(view, first, to);
      break;
    case 32:
      copy_view<4>(view, first, to);
      break;
    case 64:
      copy_view<8>(view, first, to);
      break;
    default:
      copy_view<16>(view, first, to);
  }
  return copy;
}

}  // namespace linnet::pt2
