#pragma once

#include "conv/conv_geometry.h"
#include "gemm/packed_gemm.h"

namespace linnet {

/// Weights of a convolution as panels of matrix products, one product per group.
inline PackedForm conv_panels(int panel_columns, int64_t groups) { return {"conv panels", {panel_columns, groups}}; }

/// The weights of a convolution (input 1, as in ONNX) packed for one matrix product per group: when compiled where they
/// are constant, else in every run.
class GemmConvWeights {
 public:
  GemmConvWeights(const ConvGeometry& geometry, int panel_columns, const CompileInput& in);

  /// True when they are packed already, so that a kernel need not read them.
  bool packed() const { return bool(packed_); }
  /// Floats of one group's packed form.
  int64_t group_floats() const { return group_floats_; }
  /// The packed form; made in `scratch`, of scratch_bytes(), where it does not exist yet.
  const float* get(const float* w, std::byte* scratch, Executor& executor) const;
  size_t scratch_bytes() const;

 private:
  GemmWeights matrices(const float* w, int64_t group) const;
  void pack(const float* w, float* packed, Executor& executor) const;

  ConvGeometry geometry_;
  int panel_columns_;
  int64_t group_floats_;
  Tensor packed_;
};

}  // namespace linnet
