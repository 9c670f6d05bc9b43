#include "movement/copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <cwchar>
#include <type_traits>

#include "elements/bit_stream.h"
#include "elements/dispatch.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

bool all_equal(std::span<const unsigned char> bytes) {
  return std::ranges::all_of(bytes, [&](unsigned char byte) { return byte == bytes[0]; });
}

/// Writes n copies of a value. The functions of the C library use the widest vectors of the processor.
template <class T>
void fill_row(T* y, int64_t n, const T& value) {
  constexpr int64_t kShort = 16, kFirst = 512 / int64_t(sizeof(T)), kMost = 16384 / int64_t(sizeof(T));
  if constexpr (!std::is_trivially_copyable_v<T>) {
    std::fill_n(y, n, value);
  } else if (n < kShort) {
    std::fill_n(y, n, value);
  } else if (all_equal(std::bit_cast<std::array<unsigned char, sizeof(T)>>(value))) {
    std::memset(static_cast<void*>(y), std::bit_cast<std::array<unsigned char, sizeof(T)>>(value)[0],
                size_t(n) * sizeof(T));
  } else if constexpr (sizeof(T) == sizeof(wchar_t)) {
    std::wmemset(reinterpret_cast<wchar_t*>(y), std::bit_cast<wchar_t>(value), size_t(n));
  } else {
    std::fill_n(y, std::min(n, kFirst), value);
    for (int64_t part, done = kFirst; done < n; done += part) {
      part = std::min({done, n - done, kMost});
      std::memcpy(static_cast<void*>(y + done), y, size_t(part) * sizeof(T));
    }
  }
}

template <class T>
void copy_row(const void* x_data, int64_t x_stride, void* y_data, int64_t y_stride, int64_t n) {
  const T* x = static_cast<const T*>(x_data);
  T* __restrict y = static_cast<T*>(y_data);
  if (n <= 0) return;
  if (y_stride == 1 && x_stride == 1) {
    std::copy_n(x, n, y);
  } else if (y_stride == 1 && x_stride == 0) {
    fill_row(y, n, *x);
  } else if (y_stride == 1 && x_stride == 2) {  // Compilers can vectorise constant strides.
    for (int64_t i = 0; i < n; ++i) y[i] = x[2 * i];
  } else if (y_stride == 1 && x_stride == -1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[-i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * y_stride] = x[i * x_stride];
  }
}

void require_whole_bytes(DType dtype) {
  if (dtype_bits(dtype) < 8) {
    throw Error(ErrorKind::kUnsupported, str("elements of ", dtype, " cannot be moved one by one"));
  }
}

/// The bytes that one thread copies at once, which takes some milliseconds.
constexpr int64_t kMostBytes = int64_t{1} << 24;

/// The same as fill_tensor() for a dtype below one byte. The remainder of the last byte is zero.
void fill_sub_byte(const Tensor& value, Tensor& y, Executor& executor) {
  const int bits = dtype_bits(y.dtype());
  const unsigned code = code_at(value.raw(), 0, bits);
  parallel_items(executor, y.size(), 1, [&](int64_t begin, int64_t end, int) {
    write_codes(y.raw(), begin, end - begin, bits, [code](int64_t) { return code; });
  });
}

}  // namespace

CopyRow copy_row_of(DType dtype) {
  require_whole_bytes(dtype);
  return dispatch_width(dtype, []<class T>() -> CopyRow { return copy_row<T>; });
}

int64_t element_bytes(DType dtype) {
  require_whole_bytes(dtype);
  return dtype_bits(dtype) / 8;
}

void copy_tensor(const Tensor& x, Tensor& y, Executor& executor) {
  if (is_object(x.dtype())) return copy_elements(x, y);
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto* to = static_cast<std::byte*>(y.raw());
  const auto copy = [&](int64_t begin, int64_t end, int) {
    std::memcpy(to + begin, from + begin, size_t(end - begin));
  };
  const auto bytes = int64_t(x.bytes());
  if (executor.workers() == 1 && bytes <= kMostBytes) return copy(0, bytes, 0);  // One long copy is faster than parts.
  parallel_items(executor, bytes, 1, copy);
}

void fill_tensor(const Tensor& value, Tensor& y, Executor& executor) {
  if (dtype_bits(y.dtype()) < 8) return fill_sub_byte(value, y, executor);
  const CopyRow copy = copy_row_of(y.dtype());
  const int64_t width = element_bytes(y.dtype());
  auto* to = static_cast<std::byte*>(y.raw());
  parallel_items(executor, y.size(), 1,
                 [&](int64_t begin, int64_t end, int) { copy(value.raw(), 0, to + begin * width, 1, end - begin); });
}

Tensor zero_element(DType dtype) {
  Tensor zero(dtype, Shape{1});
  if (!is_object(dtype)) std::memset(zero.raw(), 0, zero.bytes());
  return zero;
}

}  // namespace linnet
