#include <gtest/gtest.h>

#include "attention_reference.h"

namespace linnet::testing {
namespace {

using Settings = AttentionSettings;
using Values = AttentionValues;

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

TEST(Attention, RoundsHalfPrecisionOnce) {
  const Settings s{.q_length = 20, .new_length = 40, .causal = true};
  const Values values = random_values(s);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const auto rounded = [&](const Tensor& x) { return cast_to(cast_to(x, dtype), DType::kFloat32); };
    const AttentionReference want = reference(s, {rounded(values.q), rounded(values.k), rounded(values.v)});
    const double ulp = dtype == DType::kFloat16 ? 0x1p-10 : 0x1p-7;
    expect_close(attend(s, values, dtype)[0], cast_to(want.y, dtype), 1e-5, ulp);
  }
}

TEST(Attention, TakesTheSoftmaxInDoubleWhereAsked) {
  const Settings s{.q_length = 20};
  const Values values = random_values(s);
  const Attributes attributes{{"softmax_precision", int64_t(DType::kFloat64)}};
  expect_close(attend(s, values, DType::kFloat32, Isa::kAuto, 2, attributes)[0], reference(s, values).y, 1e-5);
}

TEST(Attention, MixesFloat64WithNarrowerFloats) {
  const Settings s{.q_length = 20, .new_length = 40};
  const Values values = random_values(s);
  const auto rounded = [&](const Tensor& x) { return cast_to(cast_to(x, DType::kFloat16), DType::kFloat32); };
  const Values in_half{rounded(values.q), rounded(values.k), rounded(values.v), {}, {}};
  const Tensor want = reference(s, in_half).y;
  for (const DType qk : {DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    const DType v = qk == DType::kFloat64 ? DType::kFloat16 : DType::kFloat64;
    const auto got = run_op({"Attention", 25}, {cast_to(in_half.q, qk), cast_to(in_half.k, qk), cast_to(in_half.v, v)});
    ASSERT_EQ(got[0].dtype(), qk);
    expect_close(cast_to(got[0], DType::kFloat32), want, 1e-6, qk == DType::kFloat16 ? 0x1p-11 : 1e-6);
  }
}

TEST(Attention, NamesWhatDoesNotFit) {
  const Settings s;
  const auto with = [&](const std::string& text, auto change, ErrorKind kind = ErrorKind::kShape) {
    Settings changed = s;
    Values values = random_values(s);
    Attributes attributes;
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
  const Tensor joined = random_tensor({2, 5, 16});
  expect_error(ErrorKind::kModel, "must be given where", [&] { run_op({"Attention", 23}, {joined, joined, joined}); });
  const OpCase three_heads{"Attention", 23, {{"q_num_heads", int64_t{3}}, {"kv_num_heads", int64_t{1}}}};
  expect_error(ErrorKind::kShape, "a multiple of its 3 heads, got 16", [&] {
    run_op(three_heads, {joined, joined, joined});
  });
}

}  // namespace
}  // namespace linnet::testing
