#pragma once

#include "kernels/transpose.h"
#include "linnet/executor.h"

namespace linnet {

/// Transposes images [batch, rows, columns] of float or double to [batch, columns, rows], in parallel.
template <class T>
void transpose_images(Executor& executor, const TransposeKernels& kernels, const T* x, int64_t batch, int64_t rows,
                      int64_t columns, T* y);

}  // namespace linnet
