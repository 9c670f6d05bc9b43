#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/op.h"

// Type and shape rules that many operators share. They throw Error(kType) or Error(kShape) with the expected and the
// actual value, unless stated otherwise.
namespace linnet {

/// Checks that there are at most `most` inputs and that the first `least` are not omitted. Throws Error(kModel).
void require_inputs(std::span<const Fact> in, int least, int most);
/// Whether input i is present.
inline bool has_input(std::span<const Fact> in, int i) { return i < int(in.size()) && in[size_t(i)].present(); }

/// Checks the rank if it is known.
void require_rank(const Fact& fact, int rank, const std::string& what);
void require_rank_at_least(const Fact& fact, int rank, const std::string& what);
void require_dtype(const Fact& fact, DType dtype, const std::string& what);
/// Checks that the dtype is one of those listed.
void require_dtype_in(const Fact& fact, std::span<const DType> dtypes, const std::string& what);
/// Checks that the value is a float32 vector with one element for each channel.
void require_per_channel(const Fact& fact, const Dim& channels, const std::string& what);
void require_floating(const Fact& fact, const std::string& what);
void require_same_dtype(const Fact& a, const Fact& b, const std::string& what);

/// The NumPy broadcast of two or more shapes; nullopt when a rank is unknown.
/// Source: https://onnx.ai/onnx/repo-docs/Broadcasting.html
std::optional<Dims> broadcast_dims(const std::optional<Dims>& a, const std::optional<Dims>& b);
std::optional<Dims> broadcast_dims(std::span<const Fact> in);

/// The dim that two values share: the known one if there is one. Throws if both are known and differ. Records that they
/// are equal.
Dim merge_dim(const Dim& a, const Dim& b, const std::string& what);
/// Whether dim a is 1 or equal to b, if both are known. Records that they are equal if a is certainly not 1.
bool broadcasts_to(const Dim& a, const Dim& b);

/// The sum and the product of dims. They throw Error(kLimit) if a number overflows.
Dim checked_add(const Dim& a, const Dim& b);
Dim checked_mul(const Dim& a, const Dim& b);
/// The product of all dims; 1 for no dims.
Dim product_of(std::span<const Dim> dims);
/// The dims as numbers; all must be known.
std::vector<int64_t> numbers_of(std::span<const Dim> dims);

/// The integers of a constant int32 or int64 tensor; nullopt when the fact is not constant.
std::optional<std::vector<int64_t>> constant_ints(const Fact& fact);
/// The elements as constant_ints(), or as expressions of symbolic dims. Returns nullopt if one of them is unknown.
std::optional<Dims> determined_ints(const Fact& fact);
/// The numbers as dims. INT64_MIN, which a Dim cannot contain, becomes INT64_MIN + 1.
Dims dims_of(std::span<const int64_t> numbers);
std::vector<int64_t> tensor_ints(const Tensor& tensor);

/// The output fact of unary operators: the input's, without its constant.
inline std::vector<Fact> same_as(const Fact& fact) {
  Fact result = fact;
  result.constant = {};
  return {result};
}

}  // namespace linnet
