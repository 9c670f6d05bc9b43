#include "experts/expert_order.h"

#include <algorithm>

#include "infer/infer.h"

namespace linnet {

ExpertOrder::ExpertOrder(std::span<const int64_t> chosen, int64_t experts, std::byte* memory)
    : begins_(reinterpret_cast<int64_t*>(memory), size_t(experts) + 1),
      sorted_(begins_.data() + begins_.size(), chosen.size()) {
  // Counting sort: begins_[e + 1] counts the products of expert e, and then is the position of its next product.
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

Dims expert_product_dims(const Fact& x, const Fact& chosen, const Fact& matrices, const Fact& bias) {
  require_rank(x, 2, "x");
  require_rank(chosen, 1, "experts");
  require_rank(matrices, 3, "weights");
  const auto dim = [](const Fact& fact, int d) { return fact.has_rank() ? fact.dim(d) : Dim(); };
  Dim columns = dim(matrices, 1);
  if (bias.present()) {
    require_rank(bias, 2, "bias");
    merge_dim(dim(matrices, 0), dim(bias, 0), "the matrices of weights and bias");
    columns = merge_dim(columns, dim(bias, 1), "the columns of weights and bias");
  }
  const Dim rows = dim(x, 0), products = dim(chosen, 0);
  const bool known = rows.known() && products.known();
  if (known && (rows.value() == 0 ? products.value() != 0 : products.value() % rows.value() != 0)) {
    throw Error(ErrorKind::kShape, str("experts must be a multiple of the ", rows, " rows of x, got ", products));
  }
  return {products, columns};
}

}  // namespace linnet
