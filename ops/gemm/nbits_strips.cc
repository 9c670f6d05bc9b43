#include "gemm/nbits_strips.h"

#include <algorithm>
#include <type_traits>

#include "tensor/alignment.h"

namespace linnet {
namespace {

template <class A>
constexpr bool kQuantized = std::is_same_v<A, int8_t>;

template <class A>
size_t values_bytes(const NBitsForm& form, int64_t rows) {
  const int64_t values = checked_mul(rows, checked_mul(form.blocks, form.block));
  return aligned(dtype_bytes(kQuantized<A> ? DType::kInt8 : DType::kFloat32, values));
}

template <class A>
size_t blocks_bytes(const NBitsForm& form, int64_t rows) {
  return kQuantized<A> ? aligned(dtype_bytes(DType::kFloat32, checked_mul(rows, form.blocks))) : 0;
}

}  // namespace

template <class A>
int NBitsKernels<A>::rows(const NBitsForm& form) const {
  return kQuantized<A> ? bytes_.rows : floats_.rows_of(form);
}

template <class A>
int NBitsKernels<A>::unpacked_rows(const NBitsForm& form, int64_t rows) const {
  return !kQuantized<A> && rows > floats_.rows_of(form) ? floats_.unpacked_rows : 0;
}

template <class A>
void NBitsKernels<A>::multiply(const NBitsTile<A>& tile) const {
  if constexpr (kQuantized<A>) {
    bytes_.multiply(tile);
  } else {
    floats_.multiply(tile);
  }
}

template <class A>
void NBitsKernels<A>::put(const NBitsForm& form, const float* a, int64_t n, int64_t i, int64_t rows,
                          const NBitsStrip<A>& strip) const {
  if constexpr (kQuantized<A>) {
    bytes_.quantize(a, n, form.block, int(rows), bytes_.factor(form), strip.values + 4 * i, strip.scales + i,
                    strip.sums + i);
  } else {
    float* to = strip.values + i;
    for (int64_t k = 0; k < n; ++k) to[k * rows] = a[k];
    for (int64_t k = n; k < form.blocks * form.block; ++k) to[k * rows] = 0;
  }
}

template <class A>
NBitsStrips<A>::NBitsStrips(const NBitsForm& form, int64_t rows, int highest, std::byte* scratch)
    : form_(form), rows_(rows), count_(std::max<int64_t>(1, ceil_div(rows, highest))) {
  const size_t values = values_bytes<A>(form, rows), blocks = blocks_bytes<A>(form, rows);
  first_ = {reinterpret_cast<A*>(scratch), reinterpret_cast<float*>(scratch + values),
            reinterpret_cast<int32_t*>(scratch + values + blocks)};
}

template <class A>
NBitsStrip<A> NBitsStrips<A>::operator[](int64_t strip) const {
  const std::ptrdiff_t row = rows(strip).begin, blocks = form_.blocks;
  return {first_.values + row * blocks * form_.block, first_.scales + row * blocks, first_.sums + row * blocks};
}

template <class A>
size_t NBitsStrips<A>::scratch_bytes(const NBitsForm& form, int64_t rows) {
  const size_t blocks = blocks_bytes<A>(form, rows);
  return values_bytes<A>(form, rows) + blocks + blocks;
}

template class NBitsKernels<float>;
template class NBitsKernels<int8_t>;
template class NBitsStrips<float>;
template class NBitsStrips<int8_t>;

}  // namespace linnet
