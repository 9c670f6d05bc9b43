#include "comparison.h"

#include <ATen/ATen.h>

#include <cmath>

#include "exporter/export_error.h"

namespace linnet::exporter::torchscript {
namespace {

at::Tensor to_torch(const Tensor& tensor, at::ScalarType dtype) {
  const std::vector<int64_t> sizes(tensor.shape().begin(), tensor.shape().end());
  return at::from_blob(const_cast<void*>(tensor.raw()), sizes, at::TensorOptions(dtype)).clone();
}

/// The elements at positions: a tensor of the same shape.
at::Tensor elements_at(const Positions& positions, const at::Tensor& places) {
  if (!positions.axis || positions.elements.dim() == 0) {
    return positions.elements.flatten().index_select(0, places.flatten()).reshape(places.sizes());
  }
  const int64_t axis = *positions.axis;
  if (places.dim() == positions.elements.dim()) return positions.elements.gather(axis, places);
  return positions.elements.gather(axis, places.unsqueeze(axis)).squeeze(axis);
}

Comparison compare_integers(const at::Tensor& mine, const at::Tensor& expected) {
  const at::Tensor a = mine.flatten(), b = expected.flatten(), bad = a.ne(b);
  if (!bad.any().item<bool>()) return {};
  const int64_t first = bad.to(at::kInt).argmax().item<int64_t>();
  const at::Tensor difference = a.to(at::kDouble) - b.to(at::kDouble);
  return {text_of(bad.sum().item<int64_t>(), " of ", a.numel(), " elements differ; at ", first, " ",
                  a[first].item<int64_t>(), " for PyTorch's ", b[first].item<int64_t>()),
          difference.abs().max().item<double>()};
}

}  // namespace

bool is_tie(const Tensor& got, const at::Tensor& expected, const Positions& positions) {
  const at::Tensor mine = to_torch(got, expected.scalar_type());
  if (mine.sizes() != expected.sizes() || mine.numel() == 0) return false;
  const int64_t size = positions.axis && positions.elements.dim() > 0 ? positions.elements.size(*positions.axis)
                                                                      : positions.elements.numel();
  if (mine.min().item<int64_t>() < 0 || mine.max().item<int64_t>() >= size) return false;
  return elements_at(positions, mine).equal(elements_at(positions, expected));
}

Comparison compare(const Tensor& got, const at::Tensor& expected, const Options& options, double slack) {
  const DType dtype = dtype_from(expected.scalar_type());
  if (got.dtype() != dtype) {
    return {text_of("dtype ", got.dtype(), " for PyTorch's ", dtype)};
  }
  const at::Tensor mine = to_torch(got, expected.scalar_type());
  if (mine.sizes() != expected.sizes()) return {text_of("shape ", mine.sizes(), " for PyTorch's ", expected.sizes())};
  if (mine.numel() == 0) return {};
  if (!expected.is_floating_point()) return compare_integers(mine, expected);
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

}  // namespace linnet::exporter::torchscript
