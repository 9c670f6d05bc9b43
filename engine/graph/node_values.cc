#include <set>

#include "linnet/op.h"

namespace linnet {

int64_t NodeValues::bytes(const Tensor& value) {
  return !value || is_object(value.dtype()) ? 0 : int64_t(value.bytes());
}

int64_t NodeValues::bytes() const {
  int64_t sum = 0;
  for (const Tensor* input : std::set<const Tensor*>(inputs.begin(), inputs.end())) sum += bytes(*input);
  for (const Tensor* output : outputs) sum += bytes(*output);
  return sum;
}

}  // namespace linnet
