#include "conv/transpose_images.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kChunkValues = 32 * 1024;

}  // namespace

template <class T>
void transpose_images(Executor& executor, const TransposeKernels& kernels, const T* x, int64_t batch, int64_t rows,
                      int64_t columns, T* y) {
  const auto transpose = sizeof(T) == 4 ? kernels.bits32 : kernels.bits64;
  const int64_t step = std::max<int64_t>(16, kChunkValues / std::max<int64_t>(1, rows));
  const int64_t blocks = ceil_div(columns, step);
  executor.parallel_for(batch * blocks, [&](int64_t chunk, int) {
    const int64_t image = chunk / blocks * rows * columns;
    const int64_t column = chunk % blocks * step;
    transpose(x + image + column, rows, std::min(step, columns - column), columns, y + image + column * rows, rows);
  });
}

template void transpose_images(Executor&, const TransposeKernels&, const float*, int64_t, int64_t, int64_t, float*);
template void transpose_images(Executor&, const TransposeKernels&, const double*, int64_t, int64_t, int64_t, double*);

}  // namespace linnet
