#pragma once

#include "conv/deform_shape.h"
#include "gemm/fused_activation.h"
#include "linnet/op.h"

namespace linnet {

/// Deformable convolution: every kernel position samples X bilinearly at its place plus an offset and multiplies the
/// sample by a mask. A point at or beyond one pixel outside the unpadded image gives zero, and neighbours outside the
/// image count as zero.
/// Inputs: X [N,C,H,W], W [O,C/group,kh,kw], offset [N,offset_group*kh*kw*2,oh,ow] (y before x), B? [O], mask?
/// [N,offset_group*kh*kw,oh,ow]. Output: [N,O,oh,ow]. All have one dtype: float16, bfloat16, float or double.
/// The operator of the internal domain "linnet" differs:
/// - It is float32 only, and all tensors but W and B are channels-last.
/// - A sixth input of the output's shape is added before the activation, as in linnet::Conv.
/// - With the attribute mask_in_offset there is no mask input; offset [N,oh,ow,offset_group*kh*kw*3] ends in the mask's
///   values before a sigmoid.
/// Source: https://onnx.ai/onnx/operators/onnx__DeformConv.html
/// Source: X. Zhu et al., "Deformable ConvNets v2", 2019.
class DeformOp final : public Op {
 public:
  /// derive_groups: group counts that are not given follow from the shapes of W and offset; otherwise they are 1.
  DeformOp(const NodeSpec& node, bool derive_groups);

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  int64_t multiply_adds(const NodeValues& v) const override;
  KernelPtr compile(const CompileInput& in) const override;

 private:
  struct Groups {
    ConvAttributes conv;
    int64_t offset_group;
  };

  /// Returns the group counts of the attributes, or those that follow from the facts.
  Groups groups(const Fact& x, const Fact& w, const Fact& offset) const;
  void check_types(std::span<const Fact> in) const;
  void check_field(const Fact& field, int64_t channels, const char* what, const Fact& y) const;
  int field_values() const { return mask_in_offset_ ? 3 : 2; }
  int channel_axis() const { return ConvLayout::channel_axis(layout_.x_channels_last, 4); }

  ConvAttributes conv_;
  int64_t offset_group_;
  ConvLayout layout_;
  bool mask_in_offset_;
  FusedActivation activation_;
  bool derive_group_, derive_offset_group_;
};

}  // namespace linnet
