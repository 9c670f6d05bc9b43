#include "conv/separable.h"

#include "infer/infer.h"

namespace linnet {

Fact infer_pointwise(const Fact& x, const Fact& w, const std::string& name) {
  const ConvAttributes pointwise{NodeSpec()};
  check_conv(pointwise, kChannelsLast, x, w);
  for (int axis = 2; axis < w.rank(); ++axis) merge_dim(w.dim(axis), 1, "a kernel size of " + name + " and 1");
  return Fact(DType::kFloat32, conv_output_dims(pointwise, kChannelsLast, x, w));
}

Fact infer_depthwise(const ConvAttributes& attributes, const Fact& x, const Fact& w, const std::string& name) {
  check_conv(attributes, kChannelsLast, x, w);
  merge_dim(x.dim(x.rank() - 1), w.dim(0), "the input channels and the output channels of " + name);
  merge_dim(w.dim(1), 1, "the input channels of a group of " + name + " and 1");
  return Fact(DType::kFloat32, conv_output_dims(attributes, kChannelsLast, x, w));
}

}  // namespace linnet
