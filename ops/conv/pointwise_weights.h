#pragma once

#include "gemm/weights.h"

namespace linnet {

/// Packs the weights [out channels, in channels, 1...] of a pointwise convolution, of type T, like those of a matrix
/// product. All that pack the same tensor share the result.
template <class T>
Tensor packed_pointwise_weights(const Tensor& w, const GemmPanels& panels, const CompileInput& in);

}  // namespace linnet
