#include "elementwise/variadic.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace linnet {
namespace {

constexpr size_t kBlockBytes = 4096;  // of intermediate results, which stay in the first-level cache

Operand from(const Operand& x, std::ptrdiff_t bytes) {
  return {x.scalar ? x.data : static_cast<const std::byte*>(x.data) + bytes, x.scalar};
}

/// Copies the elements of the only input.
void copy(const Operand& x, void* y, std::ptrdiff_t bytes) {
  if (x.data != y && bytes > 0) std::memcpy(y, x.data, size_t(bytes));
}

}  // namespace

InnerLoop fold_loop(const CompileInput& in, InnerLoop f, InnerLoop finish) {
  const int count = in.num_inputs();
  if (count == 2 && !finish) return f;
  const std::ptrdiff_t bytes = dtype_bits(in.dtype(0)) / 8;
  return [count, bytes, f = std::move(f), finish = std::move(finish)](const Operand* x, void* y, int64_t n) {
    if (count == 1 && !finish) return copy(x[0], y, n * bytes);
    // y may be the memory of an input that is read last.
    alignas(64) std::byte results[kBlockBytes];
    const int64_t block = int64_t{kBlockBytes} / bytes, last = finish ? count : count - 1;
    for (int64_t first = 0; first < n; first += block) {
      const int64_t size = std::min(block, n - first);
      void* const to = static_cast<std::byte*>(y) + first * bytes;
      Operand result = from(x[0], first * bytes);
      for (int k = 1; k < count; ++k) {
        const Operand operands[] = {result, from(x[k], first * bytes)};
        const bool scalar = operands[0].scalar && operands[1].scalar;
        f(operands, k < last ? results : to, scalar ? 1 : size);
        result = {results, scalar};
      }
      if (finish) finish(&result, to, size);
    }
  };
}

}  // namespace linnet
