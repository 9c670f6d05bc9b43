#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/run_op.h"

// Attention of random values, by the operator and by the specification's function in double.
namespace linnet::testing {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The inputs of the operator in a test. Tensors are [batch, heads, length, size], whatever layout the node gets.
struct AttentionSettings {
  int64_t batch = 2, q_heads = 2, kv_heads = 2, q_length = 5, new_length = 7, past_length = 0, size = 8, v_size = 8;
  bool joined_heads = false, causal = false;
  int64_t left = -1, right = -1, mode = 0;
  float softcap = 0, scale = 0;
  std::vector<int64_t> keys{};  ///< nonpad_kv_seqlen
  Tensor mask{};
  int64_t opset = 25;

  int64_t kv_length() const { return past_length + new_length; }
};

struct AttentionValues {
  Tensor q, k, v, past_key, past_value;
};

inline AttentionValues random_values(const AttentionSettings& s) {
  AttentionValues values{random_tensor({s.batch, s.q_heads, s.q_length, s.size}, 1),
                         random_tensor({s.batch, s.kv_heads, s.new_length, s.size}, 2),
                         random_tensor({s.batch, s.kv_heads, s.new_length, s.v_size}, 3)};
  if (s.past_length > 0) {
    values.past_key = random_tensor({s.batch, s.kv_heads, s.past_length, s.size}, 4);
    values.past_value = random_tensor({s.batch, s.kv_heads, s.past_length, s.v_size}, 5);
  }
  return values;
}

inline Tensor transposed(const Tensor& x) {
  return run_op({"Transpose", 13, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}}, {x})[0];
}

/// Transposes [batch, heads, length, size] to [batch, length, heads * size].
inline Tensor join_heads(const Tensor& x) { return transposed(x).reshaped({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)}); }
inline Tensor split_heads(const Tensor& x, int64_t heads) {
  return transposed(x.reshaped({x.dim(0), x.dim(1), heads, x.dim(2) / heads}));
}

/// Returns all four outputs; Y as [batch, heads, length, size].
inline std::vector<Tensor> attend(const AttentionSettings& s, const AttentionValues& values,
                                  DType dtype = DType::kFloat32, Isa isa = Isa::kAuto, int threads = 2,
                                  Attributes attributes = {}) {
  attributes["qk_matmul_output_mode"] = s.mode;
  attributes["is_causal"] = int64_t{s.causal};
  attributes["softcap"] = s.softcap;
  if (s.scale != 0) attributes["scale"] = s.scale;
  if (s.opset >= 25) attributes["left_window_size"] = s.left, attributes["right_window_size"] = s.right;
  if (s.joined_heads) attributes["q_num_heads"] = s.q_heads, attributes["kv_num_heads"] = s.kv_heads;
  const auto given = [&](const Tensor& x) { return x ? cast_to(x, dtype) : x; };
  const auto form = [&](const Tensor& x) { return given(s.joined_heads ? join_heads(x) : x); };
  std::vector<Tensor> inputs{form(values.q), form(values.k),         form(values.v),
                             s.mask,         given(values.past_key), given(values.past_value)};
  if (!s.keys.empty()) inputs.push_back(Tensor::of(s.keys));
  auto outputs = run_op({"Attention", s.opset, attributes}, inputs, 4, {}, isa, threads);
  if (s.joined_heads) {
    outputs[0] = cast_to(split_heads(cast_to(outputs[0], DType::kFloat32), s.q_heads), outputs[0].dtype());
  }
  return outputs;
}

inline double element(const Tensor& x, std::vector<int64_t> at) {
  int64_t i = 0;
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    const auto index = at[size_t(axis) + at.size() - size_t(x.shape().rank())];
    i = i * x.dim(axis) + (x.dim(axis) == 1 ? 0 : index);
  }
  if (x.dtype() == DType::kBool) return x.data<bool>()[i] ? 0 : kNever;
  return double(x.data<float>()[i]);
}

/// Returns what the mask, the window, the causal rule and the padding add to a score.
inline double bias_of(const AttentionSettings& s, int64_t b, int64_t h, int64_t i, int64_t j) {
  double bias = 0;
  if (s.mask) bias = j < s.mask.dim(-1 + s.mask.shape().rank()) ? element(s.mask, {b, h, i, j}) : kNever;
  const int64_t offset = s.keys.empty() ? s.past_length : s.keys[size_t(b)] - s.q_length;
  const int64_t distance = j - (i + offset);
  if ((s.causal && distance > 0) || (s.left >= 0 && -distance > s.left) || (s.right >= 0 && distance > s.right))
    bias = kNever;
  if (!s.keys.empty() && j >= s.keys[size_t(b)]) bias = kNever;
  return bias;
}

struct AttentionReference {
  Tensor y, scores;
};

/// Computes the specification's function in double.
inline AttentionReference reference(const AttentionSettings& s, const AttentionValues& values) {
  const auto kv = [&](const Tensor& past, const Tensor& now, int64_t b, int64_t h, int64_t j, int64_t d) {
    return j < s.past_length ? element(past, {b, h, j, d}) : element(now, {b, h, j - s.past_length, d});
  };
  AttentionReference result{Tensor(DType::kFloat32, {s.batch, s.q_heads, s.q_length, s.v_size}),
                            Tensor(DType::kFloat32, {s.batch, s.q_heads, s.q_length, s.kv_length()})};
  float *y = result.y.data<float>(), *scores = result.scores.data<float>();
  const double scale = s.scale != 0 ? double(s.scale) : 1 / std::sqrt(double(s.size));
  for (int64_t row = 0; row < s.batch * s.q_heads * s.q_length; ++row) {
    const int64_t i = row % s.q_length, h = row / s.q_length % s.q_heads, b = row / s.q_length / s.q_heads;
    const int64_t g = h * s.kv_heads / s.q_heads;
    std::vector<double> stages[4], bias;
    for (int64_t j = 0; j < s.kv_length(); ++j) {
      double product = 0;
      for (int64_t d = 0; d < s.size; ++d)
        product += element(values.q, {b, h, i, d}) * kv(values.past_key, values.k, b, g, j, d);
      product *= scale;
      bias.push_back(bias_of(s, b, h, i, j));
      stages[0].push_back(product);
      stages[1].push_back(s.softcap > 0 ? double(s.softcap) * std::tanh(product / double(s.softcap)) : product);
      stages[2].push_back(bias.back() == kNever ? kNever : stages[1].back() + bias.back());
    }
    const bool none = *std::max_element(bias.begin(), bias.end()) == kNever;
    const double max = *std::max_element(stages[2].begin(), stages[2].end());
    double sum = 0;
    for (const double x : stages[2]) sum += none ? 1 : std::exp(x - max);
    for (const double x : stages[2]) stages[3].push_back(none ? 0 : std::exp(x - max) / sum);
    for (const double x : stages[s.mode]) *scores++ = float(x);
    for (int64_t d = 0; d < s.v_size; ++d) {
      double value = 0;
      for (int64_t j = 0; j < s.kv_length(); ++j)
        value += stages[3][size_t(j)] * kv(values.past_value, values.v, b, g, j, d);
      *y++ = float(value);
    }
  }
  return result;
}

inline void expect_attention(const AttentionSettings& s) {
  const AttentionValues values = random_values(s);
  const AttentionReference want = reference(s, values);
  for (const Isa isa : supported_isas()) {
    const std::vector<Tensor> got = attend(s, values, DType::kFloat32, isa);
    expect_close(got[0], want.y, 2e-5);
    expect_close(got[3], want.scores, 2e-5);
  }
  const std::vector<Tensor> wide = attend(s, values, DType::kFloat64);
  expect_close(cast_to(wide[0], DType::kFloat32), want.y, 1e-6);
  expect_close(cast_to(wide[3], DType::kFloat32), want.scores, 1e-6, 1e-6);
}

inline Tensor random_bools(const Shape& shape, unsigned seed) {
  const Tensor noise = random_tensor(shape, seed);
  Tensor mask(DType::kBool, shape);
  for (int64_t i = 0; i < mask.size(); ++i) mask.data<bool>()[i] = noise.data<float>()[i] > -0.3f;
  return mask;
}

inline Tensor with_infinities(const Tensor& x) {
  Tensor y = x.clone();
  for (int64_t i = 0; i < y.size(); ++i) {
    if (y.data<float>()[i] > 0.8f) y.data<float>()[i] = float(kNever);
  }
  return y;
}

}  // namespace linnet::testing
