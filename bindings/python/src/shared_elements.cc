#include "shared_elements.h"

#include <algorithm>

#include "linnet/containers.h"

namespace linnet::python {

SharedElements::SharedElements(std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) add(input, false);
  std::ranges::sort(memory_);
}

void SharedElements::add(const Tensor& value, bool within) {
  if (value.dtype() == DType::kSequence) {
    for (const Tensor& element : value.data<Sequence>()->elements) add(element, true);
  } else if (value.dtype() == DType::kOptional) {
    add(value.data<Optional>()->value, true);
  } else if (within && value && !is_object(value.dtype())) {
    memory_.push_back(value.raw());
  }
}

Tensor SharedElements::detached(const Tensor& value) const {
  if (memory_.empty() || !value) return value;
  if (value.dtype() == DType::kSequence) {
    Sequence copy;
    for (const Tensor& element : value.data<Sequence>()->elements) copy.elements.push_back(detached(element));
    return Tensor::scalar(copy);
  }
  if (value.dtype() == DType::kOptional) return Tensor::scalar(Optional{detached(value.data<Optional>()->value)});
  if (is_object(value.dtype()) || !std::ranges::binary_search(memory_, value.raw())) return value;
  return value.clone();
}

}  // namespace linnet::python
