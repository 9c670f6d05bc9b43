#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "deform_conv2d.h"
#include "linnet_torch_ops.h"

namespace linnet::torch_ops {
namespace {

void add_deform_conv2d(torch::Library& library) {
  library.def(kDeformConv2dSchema);
  library.impl("deform_conv2d", c10::DispatchKey::CPU, deform_conv2d);
  library.impl("deform_conv2d", c10::DispatchKey::Meta, deform_conv2d_meta);
}

TORCH_LIBRARY_FRAGMENT(linnet, m) { add_deform_conv2d(m); }

}  // namespace
}  // namespace linnet::torch_ops

bool linnet_torch_register_deform_conv2d() {
  if (c10::Dispatcher::singleton().findSchema({"torchvision::deform_conv2d", ""}).has_value()) return false;
  static torch::Library library(torch::Library::FRAGMENT, "torchvision", {}, __FILE__, __LINE__);
  linnet::torch_ops::add_deform_conv2d(library);
  return true;
}
