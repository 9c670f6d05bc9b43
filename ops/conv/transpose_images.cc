#include "conv/transpose_images.h"

#include <algorithm>

#include "partition/parts.h"

namespace linnet {
namespace {

constexpr int64_t kChunkFloats = 32 * 1024;

}  // namespace

void transpose_images(Executor& executor, const TransposeKernels& kernels, const float* x, int64_t batch, int64_t rows,
                      int64_t columns, float* y) {
  const int64_t step = std::max<int64_t>(16, kChunkFloats / std::max<int64_t>(1, rows));
  const int64_t blocks = ceil_div(columns, step);
  executor.parallel_for(batch * blocks, [&](int64_t chunk, int) {
    const int64_t image = chunk / blocks * rows * columns;
    const int64_t column = chunk % blocks * step;
    kernels.bits32(x + image + column, rows, std::min(step, columns - column), columns, y + image + column * rows,
                   rows);
  });
}

}  // namespace linnet
