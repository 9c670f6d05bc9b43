#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/run_op.h"

namespace linnet {
namespace {

using testing::cast_to;
using testing::expect_close;
using testing::expect_error;
using testing::random_tensor;
using testing::run_op;

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// What a test gives the operator. Tensors are [batch, heads, length, size] here, whatever form the node gets.
struct Settings {
  int64_t batch = 2, q_heads = 2, kv_heads = 2, q_length = 5, new_length = 7, past_length = 0, size = 8, v_size = 8;
  bool packed = false, causal = false;
  int64_t left = -1, right = -1, mode = 0;
  float softcap = 0, scale = 0;
  std::vector<int64_t> keys{};  ///< nonpad_kv_seqlen
  Tensor mask{};
  int64_t opset = 25;

  int64_t kv_length() const { return past_length + new_length; }
};

struct Values {
  Tensor q, k, v, past_key, past_value;
};

Values random_values(const Settings& s) {
  Values values{random_tensor({s.batch, s.q_heads, s.q_length, s.size}, 1),
                random_tensor({s.batch, s.kv_heads, s.new_length, s.size}, 2),
                random_tensor({s.batch, s.kv_heads, s.new_length, s.v_size}, 3)};
  if (s.past_length > 0) {
    values.past_key = random_tensor({s.batch, s.kv_heads, s.past_length, s.size}, 4);
    values.past_value = random_tensor({s.batch, s.kv_heads, s.past_length, s.v_size}, 5);
  }
  return values;
}

Tensor transposed(const Tensor& x) {
  return run_op({"Transpose", 13, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}}, {x})[0];
}

/// [batch, heads, length, size] to [batch, length, heads * size].
Tensor pack(const Tensor& x) { return transposed(x).reshaped({x.dim(0), x.dim(2), x.dim(1) * x.dim(3)}); }
Tensor unpack(const Tensor& x, int64_t heads) {
  return transposed(x.reshaped({x.dim(0), x.dim(1), heads, x.dim(2) / heads}));
}

/// All four outputs; Y as [batch, heads, length, size].
std::vector<Tensor> attend(const Settings& s, const Values& values, DType dtype = DType::kFloat32, Isa isa = Isa::kAuto,
                           int threads = 2, std::map<std::string, Attribute> attributes = {}) {
  attributes["qk_matmul_output_mode"] = s.mode;
  attributes["is_causal"] = int64_t{s.causal};
  attributes["softcap"] = s.softcap;
  if (s.scale != 0) attributes["scale"] = s.scale;
  if (s.opset >= 25) attributes["left_window_size"] = s.left, attributes["right_window_size"] = s.right;
  if (s.packed) attributes["q_num_heads"] = s.q_heads, attributes["kv_num_heads"] = s.kv_heads;
  const auto given = [&](const Tensor& x) { return x ? cast_to(x, dtype) : x; };
  const auto form = [&](const Tensor& x) { return given(s.packed ? pack(x) : x); };
  std::vector<Tensor> inputs{form(values.q), form(values.k),         form(values.v),
                             s.mask,         given(values.past_key), given(values.past_value)};
  if (!s.keys.empty()) inputs.push_back(Tensor::of(s.keys));
  auto outputs = run_op({"Attention", s.opset, attributes}, inputs, 4, {}, isa, threads);
  if (s.packed) outputs[0] = cast_to(unpack(cast_to(outputs[0], DType::kFloat32), s.q_heads), outputs[0].dtype());
  return outputs;
}

double element(const Tensor& x, std::vector<int64_t> at) {
  int64_t i = 0;
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    const auto index = at[size_t(axis) + at.size() - size_t(x.shape().rank())];
    i = i * x.dim(axis) + (x.dim(axis) == 1 ? 0 : index);
  }
  if (x.dtype() == DType::kBool) return x.data<bool>()[i] ? 0 : kNever;
  return double(x.data<float>()[i]);
}

/// What the mask, the window, the causal rule and the padding add to a score.
double bias_of(const Settings& s, int64_t b, int64_t h, int64_t i, int64_t j) {
  double bias = 0;
  if (s.mask) bias = j < s.mask.dim(-1 + s.mask.shape().rank()) ? element(s.mask, {b, h, i, j}) : kNever;
  const int64_t offset = s.keys.empty() ? s.past_length : s.keys[size_t(b)] - s.q_length;
  const int64_t distance = j - (i + offset);
  if ((s.causal && distance > 0) || (s.left >= 0 && -distance > s.left) || (s.right >= 0 && distance > s.right))
    bias = kNever;
  if (!s.keys.empty() && j >= s.keys[size_t(b)]) bias = kNever;
  return bias;
}

struct Reference {
  Tensor y, scores;
};

/// The specification's function in double.
Reference reference(const Settings& s, const Values& values) {
  const auto kv = [&](const Tensor& past, const Tensor& now, int64_t b, int64_t h, int64_t j, int64_t d) {
    return j < s.past_length ? element(past, {b, h, j, d}) : element(now, {b, h, j - s.past_length, d});
  };
  Reference result{Tensor(DType::kFloat32, {s.batch, s.q_heads, s.q_length, s.v_size}),
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

void expect_attention(const Settings& s) {
  const Values values = random_values(s);
  const Reference want = reference(s, values);
  for (const Isa isa : testing::supported_isas()) {
    const std::vector<Tensor> got = attend(s, values, DType::kFloat32, isa);
    expect_close(got[0], want.y, 2e-5);
    expect_close(got[3], want.scores, 2e-5);
  }
  const std::vector<Tensor> wide = attend(s, values, DType::kFloat64);
  expect_close(cast_to(wide[0], DType::kFloat32), want.y, 1e-6);
  expect_close(cast_to(wide[3], DType::kFloat32), want.scores, 1e-6, 1e-6);
}

Tensor random_bools(const Shape& shape, unsigned seed) {
  const Tensor noise = random_tensor(shape, seed);
  Tensor mask(DType::kBool, shape);
  for (int64_t i = 0; i < mask.size(); ++i) mask.data<bool>()[i] = noise.data<float>()[i] > -0.3f;
  return mask;
}

Tensor with_infinities(const Tensor& x) {
  Tensor y = x.clone();
  for (int64_t i = 0; i < y.size(); ++i) {
    if (y.data<float>()[i] > 0.8f) y.data<float>()[i] = float(kNever);
  }
  return y;
}

TEST(Attention, FollowsTheFunctionBody) {
  expect_attention({});
  expect_attention({.q_length = 0});
  expect_attention({.q_length = 4});
  expect_attention({.packed = true, .scale = 0.7f});
  expect_attention({.q_heads = 6, .kv_heads = 2, .size = 5, .v_size = 3, .causal = true});
  expect_attention({.q_heads = 4, .kv_heads = 1, .q_length = 1, .past_length = 300, .packed = true, .softcap = 1.5f});
}

TEST(Attention, SplitsTheQueriesOfASingleHead) {
  expect_attention(
      {.batch = 1, .q_heads = 5, .kv_heads = 1, .q_length = 1, .new_length = 3000, .size = 64, .v_size = 64});
}

TEST(Attention, FollowsTheFunctionBodyForManyQueries) {
  expect_attention({.q_length = 70, .new_length = 133, .size = 40, .v_size = 24});
  expect_attention(
      {.batch = 1, .q_heads = 4, .q_length = 65, .new_length = 150, .size = 17, .v_size = 33, .packed = true});
  expect_attention(
      {.batch = 1, .q_heads = 1, .kv_heads = 1, .q_length = 17, .new_length = 500, .size = 400, .v_size = 2});
  expect_attention({.q_length = 90, .new_length = 60, .past_length = 30, .causal = true, .mode = 3});
  expect_attention({.batch = 1, .q_heads = 4, .q_length = 100, .new_length = 100, .left = 9, .right = 4, .mode = 3});
}

TEST(Attention, ComposesMasks) {
  for (const int64_t q_length : {2, 40}) {
    const int64_t n = q_length + 30;
    const Settings s{.q_heads = 4, .q_length = q_length, .new_length = n, .causal = true, .mode = 2};
    Settings masked = s;
    for (const Shape& shape : {Shape{n}, Shape{q_length, n}, Shape{4, q_length, n}, Shape{2, 1, q_length, n}}) {
      masked.mask = random_bools(shape, 8);
      expect_attention(masked);
      masked.mask = with_infinities(random_tensor(shape, 9));
      expect_attention(masked);
    }
    masked.left = 5;
    masked.keys = {n - 4, q_length - 2};
    expect_attention(masked);
    masked.mask = random_bools({q_length, n - 4}, 8);
    expect_attention(masked);
  }
}

TEST(Attention, GivesTheScoresOfEveryStage) {
  for (int64_t mode = 0; mode < 4; ++mode) {
    for (const int64_t q_length : {2, 33}) {
      expect_attention({.q_length = q_length, .past_length = 3, .causal = true, .mode = mode, .softcap = 2});
    }
  }
}

TEST(Attention, BroadcastsALastMaskDimOf1BeforeOpset24) {
  Settings s{.opset = 23};
  const Values values = random_values(s);
  const Tensor plain = attend(s, values)[0];
  s.mask = random_tensor({5, 1});
  expect_close(attend(s, values)[0], plain, 1e-5);  // a constant on all scores of a row changes nothing
  s.opset = 24;
  expect_close(attend(s, values)[0], reference(s, values).y, 1e-5);  // only the first key is attended
}

TEST(Attention, TakesMasksOfIntegers) {
  Settings s;
  const Values values = random_values(s);
  s.mask = random_tensor({5, 7});
  for (int64_t i = 0; i < 35; ++i) s.mask.data<float>()[i] = float(i % 4);
  const Tensor want = reference(s, values).y;
  for (const DType dtype : {DType::kInt8, DType::kUint64, DType::kFloat16}) {
    Settings cast = s;
    cast.mask = cast_to(s.mask, dtype);
    expect_close(attend(cast, values)[0], want, 1e-5);
  }
}

TEST(Attention, GivesZerosToQueriesWithoutKeys) {
  for (const int64_t q_length : {4, 40}) {
    Settings s{.q_length = q_length, .mode = 3};
    const Values values = random_values(s);
    s.mask = random_bools({q_length, 7}, 3);
    std::fill_n(s.mask.data<bool>() + 7, 7, false);
    const std::vector<Tensor> got = attend(s, values);
    expect_close(got[0], reference(s, values).y, 1e-5);
    for (int64_t d = 0; d < 8; ++d) EXPECT_EQ(got[0].data<float>()[8 + d], 0.0f);
    for (int64_t j = 0; j < 7; ++j) EXPECT_EQ(got[3].data<float>()[7 + j], 0.0f);
  }
}

TEST(Attention, DisallowedKeysMayScoreNaN) {
  for (const int64_t q_length : {1, 30}) {
    Settings s{.q_length = q_length};
    Values values = random_values(s);
    s.mask = with_infinities(random_tensor({7}, 5));
    s.mask.data<float>()[3] = float(kNever);
    const Tensor want = attend(s, values)[0];
    for (int64_t head = 0; head < 4; ++head) values.k.data<float>()[(head * 7 + 3) * 8] = NAN;
    expect_close(attend(s, values)[0], want, 1e-6);
  }
}

TEST(Attention, JoinsPastAndNewKeysAndValues) {
  for (const bool packed : {false, true}) {
    const Settings s{.new_length = 2, .past_length = 3, .size = 4, .v_size = 5, .packed = packed};
    const Values values = random_values(s);
    const std::vector<Tensor> got = attend(s, values);
    for (int which = 1; which <= 2; ++which) {
      const Tensor &past = which == 1 ? values.past_key : values.past_value, &now = which == 1 ? values.k : values.v;
      expect_close(got[size_t(which)], run_op({"Concat", 13, {{"axis", int64_t{2}}}}, {past, now})[0]);
    }
    const std::vector<Tensor> inputs{values.q, values.k, values.v, {}, values.past_key, values.past_value};
    if (!packed) expect_close(run_op({"Attention", 23}, inputs)[0], got[0]);  // joined in scratch memory
  }
}

TEST(Attention, RoundsHalfPrecisionOnce) {
  const Settings s{.q_length = 20, .new_length = 40, .causal = true};
  const Values values = random_values(s);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const auto rounded = [&](const Tensor& x) { return cast_to(cast_to(x, dtype), DType::kFloat32); };
    const Reference want = reference(s, {rounded(values.q), rounded(values.k), rounded(values.v)});
    const double ulp = dtype == DType::kFloat16 ? 0x1p-10 : 0x1p-7;
    expect_close(attend(s, values, dtype)[0], cast_to(want.y, dtype), 1e-5, ulp);
  }
}

TEST(Attention, TakesTheSoftmaxInDoubleWhereAsked) {
  const Settings s{.q_length = 20};
  const Values values = random_values(s);
  const std::map<std::string, Attribute> attributes{{"softmax_precision", int64_t(DType::kFloat64)}};
  expect_close(attend(s, values, DType::kFloat32, Isa::kAuto, 2, attributes)[0], reference(s, values).y, 1e-5);
}

TEST(Attention, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t q_length : {1, 2, 150}) {
    const Settings s{.q_heads = 6, .q_length = q_length, .new_length = 700, .size = 33, .packed = true, .causal = true};
    const Values values = random_values(s);
    const std::vector<Tensor> one = attend(s, values, DType::kFloat32, Isa::kAuto, 1);
    for (const int threads : {2, 5, 16}) {
      const std::vector<Tensor> many = attend(s, values, DType::kFloat32, Isa::kAuto, threads);
      EXPECT_TRUE(identical(many[0], one[0]) && identical(many[3], one[3])) << threads;
    }
  }
}

TEST(Attention, NamesWhatDoesNotFit) {
  const Settings s;
  const auto with = [&](const std::string& text, auto change, ErrorKind kind = ErrorKind::kShape) {
    Settings changed = s;
    Values values = random_values(s);
    std::map<std::string, Attribute> attributes;
    change(changed, values, attributes);
    expect_error(kind, text, [&] { attend(changed, values, DType::kFloat32, Isa::kAuto, 2, attributes); });
  };
  with("the head size of Q and K", [](auto&, auto& v, auto&) { v.k = random_tensor({2, 2, 7, 9}); });
  with("the length of K and V", [](auto&, auto& v, auto&) { v.v = random_tensor({2, 2, 6, 8}); });
  with("a multiple of those of K and V, got 2 and 3", [](auto&, auto& v, auto&) {
    v.k = v.v = random_tensor({2, 3, 7, 8});
  });
  with("broadcastable to [2,2,5,7], got float32[4,7]", [](auto& c, auto&, auto&) { c.mask = random_tensor({4, 7}); });
  with("broadcastable", [](auto& c, auto&, auto&) { c.mask = random_tensor({5, 8}); });
  with("broadcastable", [](auto& c, auto&, auto&) { c.opset = 23, c.mask = random_tensor({5, 6}); });
  with(
      "given together",
      [](auto&, auto& v, auto&) {
        v.past_key = random_tensor({2, 2, 3, 8});
      },
      ErrorKind::kModel);
  for (const int64_t past : {0, 3}) {
    with("the past lengths", [past](auto&, auto& v, auto&) {
      v.past_key = random_tensor({2, 2, past, 8});
      v.past_value = random_tensor({2, 2, 4, 8});
    });
  }
  with(
      "attn_mask must be one of",
      [](auto& c, auto&, auto&) {
        c.mask = Tensor(DType::kInt4, {5, 7});
      },
      ErrorKind::kType);
  with("nonpad_kv_seqlen must be in [0,7], got 8", [](auto& c, auto&, auto&) { c.keys = {3, 8}; });
  with(
      "mode must be 0, 1, 2 or 3", [](auto& c, auto&, auto&) { c.mode = 4; }, ErrorKind::kModel);
  with(
      "left_window_size", [](auto& c, auto&, auto&) { c.left = -2; }, ErrorKind::kModel);
  with(
      "softmax_precision", [](auto&, auto&, auto& a) { a["softmax_precision"] = int64_t{7}; }, ErrorKind::kModel);
  const Tensor packed = random_tensor({2, 5, 16});
  expect_error(ErrorKind::kModel, "must be given where", [&] { run_op({"Attention", 23}, {packed, packed, packed}); });
  const testing::OpCase three_heads{"Attention", 23, {{"q_num_heads", int64_t{3}}, {"kv_num_heads", int64_t{1}}}};
  expect_error(ErrorKind::kShape, "a multiple of its 3 heads, got 16", [&] {
    run_op(three_heads, {packed, packed, packed});
  });
}

}  // namespace
}  // namespace linnet
