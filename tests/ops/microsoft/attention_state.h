#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/run_expanded.h"

// Attention in double, for tensors of [batch, heads, rows, size].
namespace linnet::testing {

/// Converts tensors to [batch, rows, heads * size], and back.
inline Tensor with_joined_heads(const Tensor& x) {
  const Attributes perm{{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
  return run_op({"Transpose", 13, perm}, {x})[0].reshaped({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)});
}

inline Tensor with_split_heads(const Tensor& x, int64_t heads) {
  const Attributes perm{{"perm", std::vector<int64_t>{0, 2, 1, 3}}};
  return run_op({"Transpose", 13, perm}, {x.reshaped({x.dim(0), x.dim(1), heads, x.dim(2) / heads})})[0];
}

/// Returns `first` rows of a, then those of b.
inline Tensor rows_behind(const Tensor& a, int64_t first, const Tensor& b) {
  const Tensor begin =
      run_op({"Slice", 13}, {a, Tensor::of<int64_t>({0}), Tensor::of<int64_t>({first}), Tensor::of<int64_t>({2})})[0];
  return run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {begin, b})[0];
}

inline double value_at(const Tensor& x, int64_t b, int64_t h, int64_t i, int64_t d) {
  return double(x.data<float>()[((b * x.dim(1) + h) * x.dim(2) + i) * x.dim(3) + d]);
}

/// added(b, head, query, key) returns what is added to a score.
using Added = std::function<double(int64_t, int64_t, int64_t, int64_t)>;

inline double nothing(int64_t, int64_t, int64_t, int64_t) { return 0; }
inline constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Returns the output as [batch, length, heads * size].
inline Tensor attention_in_double(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Added& added) {
  Tensor y(DType::kFloat32, {q.dim(0), q.dim(1), q.dim(2), v.dim(3)});
  for (int64_t at = 0; at < y.size(); ++at) {
    const int64_t d = at % v.dim(3), i = at / v.dim(3) % q.dim(2), h = at / v.dim(3) / q.dim(2) % q.dim(1);
    const int64_t b = at / v.dim(3) / q.dim(2) / q.dim(1);
    double share = 0, sum = 0;
    for (int64_t j = 0; j < k.dim(2); ++j) {
      double score = 0;
      for (int64_t n = 0; n < q.dim(3); ++n) score += value_at(q, b, h, i, n) * value_at(k, b, h, j, n);
      const double power = std::exp(score * scale + added(b, h, i, j));
      share += power;
      sum += power * value_at(v, b, h, j, d);
    }
    y.data<float>()[at] = float(sum / share);
  }
  return with_joined_heads(y);
}

}  // namespace linnet::testing
