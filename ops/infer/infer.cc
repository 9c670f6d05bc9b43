#include "infer/infer.h"

#include <algorithm>

namespace linnet {
namespace {

Dim broadcast_dim(const Dim& a, const Dim& b) {
  if (a.known() && a.value() == 1) return b;
  if (b.known() && b.value() == 1) return a;
  if (certainly_equal(a, b)) return a;
  if (a.known() && b.known()) {
    throw Error(ErrorKind::kShape, str("dims ", a, " and ", b, " cannot be broadcast"));
  }
  // A dim that is certainly not 1 is the result; the other is 1 or equal to it.
  const bool a_is_large = certainly_different(a, 1), b_is_large = certainly_different(b, 1);
  if (a_is_large && b_is_large) learn_equal(a, b);
  if (a.known() || b.known()) return a.known() ? a : b;
  if (a_is_large || b_is_large) return a_is_large ? a : b;
  return {};
}

// Dim i of the shape, padded with leading ones to `rank`.
Dim aligned_dim(const Dims& dims, size_t i, size_t rank) {
  const size_t missing = rank - dims.size();
  return i < missing ? Dim(1) : dims[i - missing];
}

}  // namespace

void require_inputs(std::span<const Fact> in, int least, int most) {
  if (int(in.size()) > most) {
    throw Error(ErrorKind::kModel, str("takes at most ", most, " inputs, got ", in.size()));
  }
  for (int i = 0; i < least; ++i) {
    if (!has_input(in, i)) throw Error(ErrorKind::kModel, str("input ", i, " is required"));
  }
}

void require_rank(const Fact& fact, int rank, const std::string& what) {
  if (fact.has_rank() && fact.rank() != rank) {
    throw Error(ErrorKind::kShape, str(what, " must have rank ", rank, ", got ", fact));
  }
}

void require_per_channel(const Fact& fact, const Dim& channels, const std::string& what) {
  require_dtype(fact, DType::kFloat32, what);
  require_rank(fact, 1, what);
  if (fact.has_rank()) merge_dim(channels, fact.dim(0), "the channels and the length of " + what);
}

void require_rank_at_least(const Fact& fact, int rank, const std::string& what) {
  if (fact.has_rank() && fact.rank() < rank) {
    throw Error(ErrorKind::kShape, str(what, " must have rank ", rank, " or more, got ", fact));
  }
}

void require_dtype(const Fact& fact, DType dtype, const std::string& what) {
  if (fact.dtype != dtype) throw Error(ErrorKind::kType, str(what, " must be ", dtype, ", got ", fact.dtype));
}

void require_dtype_in(const Fact& fact, std::span<const DType> dtypes, const std::string& what) {
  if (std::find(dtypes.begin(), dtypes.end(), fact.dtype) != dtypes.end()) return;
  std::string allowed;
  for (const DType dtype : dtypes) allowed += str(allowed.empty() ? "" : ", ", dtype);
  throw Error(ErrorKind::kType, str(what, " must be one of ", allowed, ", got ", fact.dtype));
}

void require_floating(const Fact& fact, const std::string& what) {
  static constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16};
  require_dtype_in(fact, kFloats, what);
}

void require_same_dtype(const Fact& a, const Fact& b, const std::string& what) {
  if (a.dtype != b.dtype) {
    throw Error(ErrorKind::kType, str(what, " must have the same dtype, got ", a.dtype, " and ", b.dtype));
  }
}

std::optional<Dims> broadcast_dims(const std::optional<Dims>& a, const std::optional<Dims>& b) {
  if (!a || !b) return std::nullopt;
  const size_t rank = std::max(a->size(), b->size());
  Dims result;
  for (size_t i = 0; i < rank; ++i) {
    result.push_back(broadcast_dim(aligned_dim(*a, i, rank), aligned_dim(*b, i, rank)));
  }
  return result;
}

std::optional<Dims> broadcast_dims(std::span<const Fact> in) {
  std::optional<Dims> result = Dims();
  for (const Fact& fact : in) result = broadcast_dims(result, fact.dims);
  return result;
}

Dim merge_dim(const Dim& a, const Dim& b, const std::string& what) {
  if (a.known() && b.known() && a.value() != b.value()) {
    throw Error(ErrorKind::kShape, str(what, " must be equal, got ", a, " and ", b));
  }
  learn_equal(a, b);
  return a.known() || !b.determined() || (a.determined() && !b.known()) ? a : b;
}

bool broadcasts_to(const Dim& a, const Dim& b) {
  if (a.known() && (a.value() == 1 || b.known())) return a.value() == 1 || a.value() == b.value();
  if (!certainly_equal(a, b) && certainly_different(a, 1)) learn_equal(a, b);
  return true;
}

Dim checked_add(const Dim& a, const Dim& b) {
  return a.known() && b.known() ? Dim(checked_add(a.value(), b.value())) : a + b;
}

Dim checked_mul(const Dim& a, const Dim& b) {
  return a.known() && b.known() ? Dim(checked_mul(a.value(), b.value())) : a * b;
}

Dim product_of(std::span<const Dim> dims) {
  Dim product = 1;
  for (const Dim& dim : dims) product = checked_mul(product, dim);
  return product;
}

std::vector<int64_t> numbers_of(std::span<const Dim> dims) {
  std::vector<int64_t> numbers;
  for (const Dim& dim : dims) numbers.push_back(dim.value());
  return numbers;
}

std::optional<std::vector<int64_t>> constant_ints(const Fact& fact) {
  if (!fact.constant) return std::nullopt;
  return tensor_ints(fact.constant);
}

std::optional<Dims> determined_ints(const Fact& fact) {
  if (const auto numbers = constant_ints(fact)) return dims_of(*numbers);
  auto elements = elements_of(fact);
  const bool determined = elements && std::ranges::all_of(*elements, [](const Dim& dim) { return dim.determined(); });
  return determined ? elements : std::nullopt;
}

Dims dims_of(std::span<const int64_t> numbers) {
  Dims dims;
  for (const int64_t number : numbers) dims.push_back(std::max(number, -INT64_MAX));
  return dims;
}

std::vector<int64_t> tensor_ints(const Tensor& tensor) {
  if (tensor.dtype() == DType::kInt32) return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
  return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.size()};
}

}  // namespace linnet
