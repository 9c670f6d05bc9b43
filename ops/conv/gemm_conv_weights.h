#pragma once

#include "conv/conv_geometry.h"
#include "gemm/weights.h"

namespace linnet {

/// The weights of a convolution (input 1, as in ONNX), packed for one matrix product per group. Constant weights are
/// packed at compile time, others in every run. bfloat16 pairs need constant weights.
template <class Type>
class GemmConvWeights {
  using B = typename Type::B;

 public:
  GemmConvWeights() = default;
  /// panels: the panels of one group's output channels.
  GemmConvWeights(const ConvGeometry& geometry, const GemmPanels& panels, const CompileInput& in);

  /// Whether the weights are packed already, so that a kernel need not read them.
  bool packed() const { return bool(packed_); }
  /// The number of values in the packed form of one group.
  int64_t group_size() const { return group_size_; }
  /// Returns the packed form. Where it does not exist yet, packs it in `scratch`, which has scratch_bytes().
  const B* get(const B* w, std::byte* scratch, Executor& executor) const;
  size_t scratch_bytes() const;

 private:
  void pack(const B* w, B* packed, Executor& executor) const;

  ConvGeometry geometry_;
  GemmPanels panels_;
  int64_t group_size_ = 0;
  Tensor packed_;
};

/// Returns the weights of one group of a convolution: a matrix [group in channels, group out channels] for each tap.
template <class T>
GemmWeights<T> conv_matrices(const ConvGeometry& geometry, const T* w, int64_t group);

/// Returns the name by which convolutions cache weights packed for such panels.
PackedForm packed_conv_form(const GemmPanels& panels, int64_t groups);

}  // namespace linnet
