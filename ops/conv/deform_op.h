#pragma once

#include "conv/deform_shape.h"
#include "gemm/fused_activation.h"
#include "linnet/op.h"

namespace linnet {

/// Deformable convolution: every kernel position samples X bilinearly at its own place plus an offset, times a mask.
/// Inputs X [N,C,H,W], W [O,C/group,kh,kw], offset [N,offset_group*kh*kw*2,oh,ow] (y before x), B? [O],
/// mask? [N,offset_group*kh*kw,oh,ow]; output [N,O,oh,ow]. All float16/bfloat16/float/double of one dtype.
/// In the internal domain "linnet", float32 only, all but W and B are channels-last; a sixth input of the output's
/// shape is added before the activation (as linnet::Conv); with the attribute mask_in_offset there is no mask, and
/// offset [N,oh,ow,offset_group*kh*kw*3] ends in its values before a sigmoid. A point at or beyond one pixel outside
/// the unpadded image gives zero; its neighbours outside count as zero. Sources:
/// https://onnx.ai/onnx/operators/onnx__DeformConv.html; Deformable ConvNets v2, X. Zhu et al. 2019.
class DeformOp final : public Op {
 public:
  /// derive_groups: group counts that are not given follow from the shapes of W and offset; else they are 1.
  DeformOp(const NodeSpec& node, bool derive_groups);

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  int64_t multiply_adds(const NodeValues& v) const override;
  KernelPtr compile(const CompileInput& in) const override;

 private:
  struct Groups {
    ConvAttributes conv;
    int64_t offset_group;
  };

  /// The attributes, with the group counts that follow from the facts.
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
