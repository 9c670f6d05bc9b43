#pragma once

#include "conv/conv_geometry.h"
#include "kernels/byte_rows.h"
#include "linnet/op.h"

namespace linnet {

/// The sums of the windows of a convolution with one group over channels-last bytes, less their zero point. Padding
/// holds the zero point.
class WindowSums {
 public:
  WindowSums() = default;
  WindowSums(const ConvGeometry& geometry, Isa isa);

  size_t scratch_bytes() const;
  /// Returns one sum for each output pixel of all images, in the scratch.
  const int32_t* compute(Executor& executor, const uint8_t* x, int32_t zero, std::byte* scratch) const;

 private:
  void sum_channels(Executor& executor, const uint8_t* x, int32_t zero, int32_t* sums) const;
  /// Computes the sums of the windows of one line of output pixels.
  void sum_line(int64_t line, const int32_t* pixels, int32_t* sums) const;

  ConvGeometry geometry_;
  decltype(ByteRowKernels::sum_rows) sum_rows_ = nullptr;
};

}  // namespace linnet
