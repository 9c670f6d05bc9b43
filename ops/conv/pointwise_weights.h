#pragma once

#include "gemm/weights.h"

namespace linnet {

/// The weights [out channels, in channels, 1...] of a pointwise convolution, of type T, packed as those of a matrix
/// product; shared by all that pack the same tensor.
template <class T>
Tensor packed_pointwise_weights(const Tensor& w, const GemmPanels& panels, const CompileInput& in);

}  // namespace linnet
