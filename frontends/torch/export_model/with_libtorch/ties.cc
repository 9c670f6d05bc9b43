#include "ties.h"

#include <ATen/ATen.h>

namespace linnet::exporter::torchscript {
namespace {

at::Tensor to_torch(const Tensor& tensor, at::ScalarType dtype) {
  const std::vector<int64_t> sizes(tensor.shape().begin(), tensor.shape().end());
  return at::from_blob(const_cast<void*>(tensor.raw()), sizes, at::TensorOptions(dtype)).clone();
}

/// Returns the elements at positions, in a tensor of the same shape.
at::Tensor elements_at(const Positions& positions, const at::Tensor& places) {
  if (!positions.axis || positions.elements.dim() == 0) {
    return positions.elements.flatten().index_select(0, places.flatten()).reshape(places.sizes());
  }
  const int64_t axis = *positions.axis;
  if (places.dim() == positions.elements.dim()) return positions.elements.gather(axis, places);
  return positions.elements.gather(axis, places.unsqueeze(axis)).squeeze(axis);
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

}  // namespace linnet::exporter::torchscript
