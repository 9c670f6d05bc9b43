#include "deform_conv2d.h"

#include <ATen/ATen.h>

#include <cstring>

#include "executor.h"
#include "graph/rewrite.h"
#include "linnet/model.h"
#include "registration.h"
#include "rewrites/lower_precision.h"
#include "run/model_graph.h"

namespace linnet {

Registration register_cast;
Registration register_deform_conv2d;

namespace torch_ops {
namespace {

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DType::kFloat32;
    case at::kDouble:
      return DType::kFloat64;
    case at::kHalf:
      return DType::kFloat16;
    case at::kBFloat16:
      return DType::kBFloat16;
    default:
      TORCH_CHECK(false, "deform_conv2d: float, double, half or bfloat16 expected, got ", tensor.scalar_type());
  }
}

/// Wraps a contiguous tensor, which must outlive the result.
Tensor wrap(const at::Tensor& tensor) {
  return Tensor::wrap(dtype_of(tensor), Shape({tensor.sizes().data(), tensor.sizes().size()}), tensor.data_ptr());
}

/// Returns a model of `node` whose inputs are those of the node.
Model model_of(NodeSpec node, const std::vector<Tensor>& inputs) {
  const auto registry = std::make_shared<Registry>();
  register_cast(*registry);
  register_deform_conv2d(*registry);
  Registry::Rewrites::set(*registry, {.lowering = lower_precision});
  Graph graph(registry);
  std::vector<ValueId> values;
  for (const char* name : {"input", "weight", "offset", "bias", "mask"}) {
    if (values.size() == inputs.size()) break;
    const Tensor& tensor = inputs[values.size()];
    values.push_back(graph.add_input(name, Fact(tensor.dtype(), tensor.shape())));
  }
  node.num_inputs = int(values.size());
  graph.add_node(std::move(node), values, {"output"});
  graph.add_output("output", graph.node(graph.nodes().front()).outputs.front());
  return make_model(std::move(graph), {});
}

at::Tensor run(NodeSpec node, const std::vector<at::Tensor>& tensors) {
  std::vector<Tensor> inputs;
  for (const at::Tensor& tensor : tensors) inputs.push_back(wrap(tensor));
  Context context(model_of(std::move(node), inputs), {.executor = std::make_shared<TorchExecutor>()});
  const Tensor output = context.run(inputs).front();
  const at::IntArrayRef sizes(output.shape().begin(), output.shape().end());
  at::Tensor result = at::empty(sizes, tensors.front().options());
  if (output.bytes() > 0) std::memcpy(result.data_ptr(), output.raw(), output.bytes());
  return result;
}

}  // namespace

at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                         const at::Tensor& mask, const at::Tensor& bias, int64_t stride_h, int64_t stride_w,
                         int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w, int64_t groups,
                         int64_t offset_groups, bool use_mask) {
  NodeSpec node{.op_type = "deform_conv2d", .domain = "custom"};
  node.attributes = {{"strides", std::vector{stride_h, stride_w}},
                     {"pads", std::vector{pad_h, pad_w, pad_h, pad_w}},
                     {"dilations", std::vector{dilation_h, dilation_w}},
                     {"group", groups},
                     {"offset_group", offset_groups}};
  std::vector tensors{input.contiguous(), weight.contiguous(), offset.contiguous(), bias.contiguous()};
  if (use_mask) tensors.push_back(mask.contiguous());
  try {
    return run(std::move(node), tensors);
  } catch (const Error& error) {
    TORCH_CHECK(false, error.what());
  }
}

at::Tensor deform_conv2d_meta(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                              const at::Tensor&, const at::Tensor&, int64_t, int64_t, int64_t, int64_t, int64_t,
                              int64_t, int64_t, int64_t, bool) {
  return input.new_empty_symint({input.sym_size(0), weight.sym_size(0), offset.sym_size(2), offset.sym_size(3)});
}

}  // namespace torch_ops
}  // namespace linnet
