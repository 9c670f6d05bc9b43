#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "deform_conv2d.h"
#include "linnet_torch_ops.h"

bool linnet_torch_register_deform_conv2d() {
  if (c10::Dispatcher::singleton().findSchema({"torchvision::deform_conv2d", ""}).has_value()) return false;
  static torch::Library library(torch::Library::FRAGMENT, "torchvision", {}, __FILE__, __LINE__);
  library.def(
      "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, int stride_h, int stride_w, "
      "int pad_h, int pad_w, int dilation_h, int dilation_w, int groups, int offset_groups, bool use_mask) -> Tensor");
  library.impl("deform_conv2d", c10::DispatchKey::CPU, linnet::torch_ops::deform_conv2d);
  return true;
}
