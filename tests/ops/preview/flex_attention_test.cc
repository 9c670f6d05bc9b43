#include <gtest/gtest.h>

#include <cmath>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr char kDomain[] = "ai.onnx.preview";
using GraphPtr = std::shared_ptr<const Graph>;

/// Returns attention in double with f applied to the scores and g to the probabilities.
template <class F, class G>
Tensor reference(const Tensor& q, const Tensor& k, const Tensor& v, double scale, F f, G g) {
  const int64_t heads = q.dim(1), length = q.dim(2), size = q.dim(3), keys = k.dim(2), v_size = v.dim(3);
  Tensor y(DType::kFloat32, {q.dim(0), heads, length, v_size});
  for (int64_t row = 0; row < q.dim(0) * heads * length; ++row) {
    const int64_t kv_head = row / length / (heads / k.dim(1));
    std::vector<double> p;
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double product = 0;
      for (int64_t d = 0; d < size; ++d) {
        product += double(q.data<float>()[row * size + d]) * double(k.data<float>()[(kv_head * keys + j) * size + d]);
      }
      p.push_back(std::exp(f(product * scale)));
      sum += p.back();
    }
    for (int64_t d = 0; d < v_size; ++d) {
      double value = 0;
      for (int64_t j = 0; j < keys; ++j) {
        value += g(p[size_t(j)] / sum) * double(v.data<float>()[(kv_head * keys + j) * v_size + d]);
      }
      y.data<float>()[row * v_size + d] = float(value);
    }
  }
  return y;
}

const auto kSame = [](double x) { return x; };

GraphPtr modifier(const std::string& op_type, DType dtype = DType::kFloat32) {
  GraphBuilder b(26);
  b.output(b.op(op_type, {b.input("x", Fact(dtype, Dims{Dim("B"), Dim("H"), Dim("L"), Dim("S")}))}));
  return b.shared();
}

struct Values {
  Tensor q = random_tensor({2, 4, 5, 8}), k = random_tensor({2, 2, 7, 8}, 1), v = random_tensor({2, 2, 7, 3}, 2);
};

TEST(FlexAttention, IsPlainAttentionWithoutModifiers) {
  const Values x;
  expect_close(run_op({"FlexAttention", 1, {}, kDomain}, {x.q, x.k, x.v})[0],
               reference(x.q, x.k, x.v, 1 / std::sqrt(8.0), kSame, kSame), 1e-5);
  const auto wide = [](const Tensor& t) { return cast_to(t, DType::kFloat64); };
  const Tensor y = run_op({"FlexAttention", 1, {{"scale", 0.3f}}, kDomain}, {wide(x.q), wide(x.k), wide(x.v)})[0];
  expect_close(cast_to(y, DType::kFloat32), reference(x.q, x.k, x.v, double(0.3f), kSame, kSame), 1e-6);
}

TEST(FlexAttention, HeadsShareKeysWhateverTheLengths) {
  for (const int64_t length : {1, 2, 9}) {
    const Tensor q = random_tensor({2, 6, length, 4}), k = random_tensor({2, 3, 5, 4}, 1),
                 v = random_tensor({2, 3, 5, 3}, 2);
    const auto tanh = [](double s) { return std::tanh(s); };
    expect_close(run_op({"FlexAttention", 1, {{"score_mod", modifier("Tanh")}}, kDomain}, {q, k, v})[0],
                 reference(q, k, v, 1 / std::sqrt(4.0), tanh, kSame), 1e-5);
  }
}

TEST(FlexAttention, AppliesModifiers) {
  const Values x;
  const auto tanh = [](double s) { return std::tanh(s); };
  const auto square_root = [](double p) { return std::sqrt(p); };
  const Tensor want = reference(x.q, x.k, x.v, 1 / std::sqrt(8.0), tanh, square_root);
  const Attributes attributes{{"score_mod", modifier("Tanh")}, {"prob_mod", modifier("Sqrt")}};
  expect_close(run_op({"FlexAttention", 1, attributes, kDomain}, {x.q, x.k, x.v})[0], want, 1e-5);
}

TEST(FlexAttention, ModifiersSeeTheSoftmaxPrecision) {
  const Values x;
  const auto tanh = [](double s) { return std::tanh(s); };
  const Attributes attributes{{"score_mod", modifier("Tanh", DType::kFloat64)},
                              {"softmax_precision", int64_t(DType::kFloat64)}};
  expect_close(run_op({"FlexAttention", 1, attributes, kDomain}, {x.q, x.k, x.v})[0],
               reference(x.q, x.k, x.v, 1 / std::sqrt(8.0), tanh, kSame), 1e-5);
}

TEST(FlexAttention, ModifiersMayCaptureValues) {
  const Values x;
  GraphBuilder body(26);
  const ValueId scores = body.input("scores", Fact(DType::kFloat32, Dims(4)));
  body.output(body.op("Add", {scores, body.input("bias", Fact(DType::kFloat32, Dims(4)))}));
  GraphBuilder b(1);
  const std::vector<ValueId> inputs{b.input("q", x.q.shape()), b.input("k", x.k.shape()), b.input("v", x.v.shape()),
                                    b.input("bias", Shape{1, 1, 1, 7})};
  b.output(b.ops("FlexAttention", inputs, 1, {{"score_mod", body.shared()}}, kDomain, 1)[0]);
  Tensor bias(DType::kFloat32, {1, 1, 1, 7});
  std::fill_n(bias.data<float>(), 7, -1e30f);
  bias.data<float>()[3] = 0;  // Only key 3 is attended to.
  const Tensor y = run_model(b.model(), {x.q, x.k, x.v, bias})[0];
  for (int64_t head = 0; head < 8; ++head) {
    for (int64_t d = 0; d < 3; ++d) {
      EXPECT_FLOAT_EQ(y.data<float>()[head * 15 + d], x.v.data<float>()[(head / 2 * 7 + 3) * 3 + d]);
    }
  }
}

TEST(FlexAttention, NamesWhatDoesNotFit) {
  const Values x;
  const auto run = [&](const Attributes& attributes, const Tensor& k) {
    run_op({"FlexAttention", 1, attributes, kDomain}, {x.q, k, x.v});
  };
  expect_error(ErrorKind::kShape, "the head size of Q and K", [&] { run({}, random_tensor({2, 2, 7, 9})); });
  expect_error(ErrorKind::kShape, "a modifier must give what it gets", [&] {
    run({{"prob_mod", modifier("Shape")}}, x.k);
  });
  expect_error(ErrorKind::kModel, "softmax_precision", [&] { run({{"softmax_precision", int64_t{6}}}, x.k); });
}

}  // namespace
}  // namespace linnet::testing
