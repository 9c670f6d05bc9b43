#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace linnet::torch_ops {

/// The operator `torchvision::deform_conv2d` on the CPU, forward only.
/// input [n,c,h,w], weight [o,c/groups,kh,kw], offset [n,2*offset_groups*kh*kw,oh,ow] (y before x for each kernel
/// point), mask [n,offset_groups*kh*kw,oh,ow] where use_mask (ignored otherwise), bias [o]; all float or all double.
/// Result [n,o,oh,ow]. A sample at y <= -1, y >= h, x <= -1 or x >= w is 0; between, neighbours outside the image
/// count as 0. Throws c10::Error on arguments that do not fit.
/// Source: https://pytorch.org/vision/0.14/generated/torchvision.ops.deform_conv2d.html,
/// https://arxiv.org/abs/1811.11168
at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                         const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                         int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                         int64_t offset_groups, bool use_mask);

}  // namespace linnet::torch_ops
