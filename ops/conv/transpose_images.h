#pragma once

#include "kernels/transpose.h"
#include "linnet/executor.h"

namespace linnet {

/// float32 images [batch, rows, columns] to [batch, columns, rows], in parallel.
void transpose_images(Executor& executor, const TransposeKernels& kernels, const float* x, int64_t batch, int64_t rows,
                      int64_t columns, float* y);

}  // namespace linnet
