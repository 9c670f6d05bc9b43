#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace linnet::torch_ops {

/// The schema of torchvision::deform_conv2d and of linnet::deform_conv2d.
inline constexpr char kDeformConv2dSchema[] =
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, int stride_h, int stride_w, "
    "int pad_h, int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, bool use_mask) -> Tensor";

/// Computes deformable convolution on the CPU with the engine's own operator, forward only.
/// - input: [n, c, h, w]
/// - weight: [o, c / groups, kh, kw]
/// - offset: [n, 2 * offset_groups * kh * kw, oh, ow], y before x for each kernel point
/// - mask: [n, offset_groups * kh * kw, oh, ow] if use_mask, otherwise ignored
/// - bias: [o]
///
/// All have one type: float, double, half or bfloat16. Returns [n, o, oh, ow]. A sample at y <= -1, y >= h, x <= -1 or
/// x >= w is 0; for all other samples, neighbours outside the image count as 0. Throws c10::Error on arguments that do
/// not fit.
/// Source: https://pytorch.org/vision/0.14/generated/torchvision.ops.deform_conv2d.html
/// Source: https://arxiv.org/abs/1811.11168
at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                         const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                         int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                         int64_t offset_groups, bool use_mask);

/// Returns an empty result of the right shape. Supports symbolic sizes.
at::Tensor deform_conv2d_meta(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                              const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                              int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                              int64_t offset_groups, bool use_mask);

}  // namespace linnet::torch_ops
