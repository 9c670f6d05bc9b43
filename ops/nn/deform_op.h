#pragma once

#include "linnet/op.h"
#include "nn/deform_shape.h"

namespace linnet {

/// Deformable convolution: every kernel position samples X bilinearly at its own place plus an offset, times a mask.
/// Inputs X [N,C,H,W], W [O,C/group,kh,kw], offset [N,offset_group*kh*kw*2,oh,ow] (y before x), B? [O],
/// mask? [N,offset_group*kh*kw,oh,ow]; output [N,O,oh,ow]. All float16/bfloat16/float/double of one dtype.
class DeformOp final : public Op {
 public:
  /// derive_groups: group counts that are not given follow from the shapes of W and offset; else they are 1.
  DeformOp(const NodeSpec& node, bool derive_groups);

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  KernelPtr compile(const CompileInput& in) const override;

 private:
  /// The attributes, with the group counts that follow from the facts.
  DeformAttributes attributes(const Fact& x, const Fact& w, const Fact& offset) const;

  DeformAttributes attributes_;
  bool derive_group_, derive_offset_group_;
};

}  // namespace linnet
