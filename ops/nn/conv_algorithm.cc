#include "nn/conv_algorithm.h"

#include "kernels/kernel_table.h"

namespace linnet {

ConvAlgorithmPtr choose_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in) {
  if (geometry.group == geometry.in_channels && geometry.group == geometry.out_channels) {
    return make_depthwise_conv(geometry, epilogue, in);
  }
  const bool small_groups = geometry.group_out() <= kernel_table(in.isa()).gemm.panel_columns;
  if (geometry.group > 1 && small_groups) return make_grouped_conv(geometry, epilogue, in);
  return make_gemm_conv(geometry, epilogue, in);
}

}  // namespace linnet
