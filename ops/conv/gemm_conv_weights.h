#pragma once

#include "conv/conv_geometry.h"
#include "gemm/weights.h"

namespace linnet {

/// The weights of a convolution (input 1, as in ONNX) packed for one matrix product per group: when compiled where they
/// are constant, else in every run. Of bfloat16 pairs they are constant.
template <class Type>
class GemmConvWeights {
  using B = typename Type::B;

 public:
  GemmConvWeights() = default;
  /// panels: those of one group's output channels.
  GemmConvWeights(const ConvGeometry& geometry, const GemmPanels& panels, const CompileInput& in);

  /// True when they are packed already, so that a kernel need not read them.
  bool packed() const { return bool(packed_); }
  /// Values of one group's packed form.
  int64_t group_size() const { return group_size_; }
  /// The packed form; made in `scratch`, of scratch_bytes(), where it does not exist yet.
  const B* get(const B* w, std::byte* scratch, Executor& executor) const;
  size_t scratch_bytes() const;

 private:
  void pack(const B* w, B* packed, Executor& executor) const;

  ConvGeometry geometry_;
  GemmPanels panels_;
  int64_t group_size_ = 0;
  Tensor packed_;
};

/// The weights of one group of a convolution: a matrix [group in channels, group out channels] for each tap.
template <class T>
GemmWeights<T> conv_matrices(const ConvGeometry& geometry, const T* w, int64_t group);

/// How convolutions name the form of weights that are packed for such panels.
PackedForm packed_conv_form(const GemmPanels& panels, int64_t groups);

}  // namespace linnet
