#include "math/expert_order.h"

#include <algorithm>

#include "linnet/error.h"
#include "linnet/shape.h"

namespace linnet {

ExpertOrder::ExpertOrder(std::span<const int64_t> chosen, int64_t experts, std::byte* memory)
    : begins_(reinterpret_cast<int64_t*>(memory), size_t(experts) + 1),
      sorted_(begins_.data() + begins_.size(), chosen.size()) {
  // A counting sort: begins_[e + 1] counts the products of expert e, then says where the next of them goes.
  std::ranges::fill(begins_, 0);
  for (const int64_t expert : chosen) {
    if (expert < 0 || expert >= experts) {
      throw Error(ErrorKind::kShape, str("experts must be in [0,", experts, "), got ", expert));
    }
    ++begins_[size_t(expert) + 1];
  }
  for (size_t e = 0; e < size_t(experts); ++e) begins_[e + 1] += begins_[e];
  for (size_t i = 0; i < chosen.size(); ++i) sorted_[size_t(begins_[size_t(chosen[i])]++)] = int64_t(i);
  std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
  begins_[0] = 0;
}

size_t ExpertOrder::bytes(int64_t products, int64_t experts) {
  return dtype_bytes(DType::kInt64, checked_add(checked_add(experts, 1), products));
}

}  // namespace linnet
