#include "comparison.h"

#include <ATen/ATen.h>

#include <cmath>

#include "exporter/export_error.h"
#include "exporter/onnx_types.h"

namespace linnet::exporter {
namespace {

at::Tensor to_torch(const Tensor& tensor, at::ScalarType dtype) {
  const std::vector<int64_t> sizes(tensor.shape().begin(), tensor.shape().end());
  return at::from_blob(const_cast<void*>(tensor.raw()), sizes, at::TensorOptions(dtype)).clone();
}

}  // namespace

Comparison compare(const Tensor& got, const at::Tensor& expected, const Options& options, double slack) {
  if (int32_t(got.dtype()) != onnx_type(expected.scalar_type())) {
    return {text_of("dtype ", got.dtype(), " for PyTorch's ", dtype_name(expected.scalar_type()))};
  }
  const at::Tensor mine = to_torch(got, expected.scalar_type());
  if (mine.sizes() != expected.sizes()) return {text_of("shape ", mine.sizes(), " for PyTorch's ", expected.sizes())};
  if (mine.numel() == 0) return {};
  const at::Tensor a = mine.to(at::kDouble).reshape({-1}), b = expected.to(at::kDouble).reshape({-1});
  const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
  const at::Tensor difference = at::where(same, at::zeros_like(a), (a - b).abs()).nan_to_num(INFINITY, INFINITY);
  const at::Tensor bound = (b.abs() * options.rtol + (options.atol + slack)).nan_to_num(0, 0);
  Comparison result{"", difference.max().item<double>()};
  const at::Tensor bad = difference.gt(bound);
  if (!bad.any().item<bool>()) return result;
  const auto worst = (difference - bound).argmax().item<int64_t>();
  result.problem = text_of(bad.sum().item<int64_t>(), " of ", a.numel(), " elements differ; at ", worst, " ",
                           a[worst].item<double>(), " for PyTorch's ", b[worst].item<double>());
  return result;
}

}  // namespace linnet::exporter
