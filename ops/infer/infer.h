#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/op.h"

// Type and shape rules that many operators share. All throw Error(kType) or Error(kShape) with what was expected
// and what was got.
namespace linnet {

/// Checks that between `least` and `most` inputs are given and that the first `least` are not omitted.
void require_inputs(std::span<const Fact> in, int least, int most);
/// True when input i is given.
inline bool has_input(std::span<const Fact> in, int i) { return i < int(in.size()) && in[size_t(i)].present(); }

/// Checks the rank where it is known.
void require_rank(const Fact& fact, int rank, const std::string& what);
void require_rank_at_least(const Fact& fact, int rank, const std::string& what);
void require_dtype(const Fact& fact, DType dtype, const std::string& what);
/// Checks that the dtype is one of those listed.
void require_dtype_in(const Fact& fact, std::span<const DType> dtypes, const std::string& what);
/// Checks that the value is a float32 vector, one value for each channel.
void require_per_channel(const Fact& fact, const Dim& channels, const std::string& what);
void require_floating(const Fact& fact, const std::string& what);
void require_same_dtype(const Fact& a, const Fact& b, const std::string& what);

/// The NumPy broadcast of two or more shapes; nullopt when a rank is unknown.
/// Source: https://onnx.ai/onnx/repo-docs/Broadcasting.html
std::optional<Dims> broadcast_dims(const std::optional<Dims>& a, const std::optional<Dims>& b);
std::optional<Dims> broadcast_dims(std::span<const Fact> in);

/// The dim that two values share: the known one; throws where both are known and differ. Learns that they are equal.
Dim merge_dim(const Dim& a, const Dim& b, const std::string& what);
/// Whether dim a is 1 or equal to b, where both are known. Learns that they are equal where a is certainly not 1.
bool broadcasts_to(const Dim& a, const Dim& b);

/// Sums and products of dims as those of numbers: they throw Error(kLimit) where a number overflows.
Dim checked_add(const Dim& a, const Dim& b);
Dim checked_mul(const Dim& a, const Dim& b);
/// The product of all; 1 of none.
Dim product_of(std::span<const Dim> dims);
/// The dims, all of them numbers.
std::vector<int64_t> numbers_of(std::span<const Dim> dims);

/// The integers of a constant int32 or int64 tensor; nullopt when the fact is not constant.
std::optional<std::vector<int64_t>> constant_ints(const Fact& fact);
/// The same with expressions of what the model leaves open; nullopt where one of them is unknown.
std::optional<Dims> determined_ints(const Fact& fact);
/// The numbers as dims. INT64_MIN, which is none, becomes the next one.
Dims dims_of(std::span<const int64_t> numbers);
std::vector<int64_t> tensor_ints(const Tensor& tensor);

/// Output facts that are all alike the input's: unary operators.
inline std::vector<Fact> same_as(const Fact& fact) {
  Fact result = fact;
  result.constant = {};
  return {result};
}

}  // namespace linnet
