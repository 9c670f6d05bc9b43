#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor reference(const Tensor& a, const Tensor& b, double alpha) {
  Tensor y(DType::kFloat32, a.shape());
  for (int64_t i = 0; i < y.size(); ++i) {
    const auto x = double(a.data<float>()[i]);
    y.data<float>()[i] = float(x / (1 + std::exp(-alpha * x)) * double(b.data<float>()[i]));
  }
  return y;
}

TEST(SwiGLU, GatesElementByElement) {
  const Tensor a = random_tensor({3, 40, 1000}), b = random_tensor({3, 40, 1000}, 1);
  expect_close(run_op({"SwiGLU", 28}, {a, b})[0], reference(a, b, 1), 1e-6, 1e-6);
  const Attributes alpha{{"alpha", 1.7f}};
  expect_close(run_op({"SwiGLU", 28, alpha}, {a, b})[0], reference(a, b, double(1.7f)), 1e-6, 1e-6);
  const Tensor wide = run_op({"SwiGLU", 28, alpha}, {cast_to(a, DType::kFloat64), cast_to(b, DType::kFloat64)})[0];
  expect_close(cast_to(wide, DType::kFloat32), reference(a, b, double(1.7f)), 1e-7, 1e-6);
  const Tensor a16 = cast_to(a, DType::kBFloat16), b16 = cast_to(b, DType::kBFloat16);
  const Tensor want = reference(cast_to(a16, DType::kFloat32), cast_to(b16, DType::kFloat32), 1);
  expect_close(run_op({"SwiGLU", 28}, {a16, b16})[0], cast_to(want, DType::kBFloat16), 1e-7, 0x1p-7);
}

TEST(SwiGLU, GatesAValueThatNobodyReadsLaterByItself) {
  GraphBuilder b(28);
  const ValueId gate = b.op("Neg", {b.input("x", Shape{3, 1000})});
  b.output(b.op("SwiGLU", {gate, gate}));
  const Tensor x = random_tensor({3, 1000});
  Tensor minus_x(DType::kFloat32, x.shape());
  std::transform(x.data<float>(), x.data<float>() + x.size(), minus_x.data<float>(), std::negate<>());
  expect_close(run_model(b.model(), {x})[0], reference(minus_x, minus_x, 1), 1e-6, 1e-6);
}

TEST(SwiGLU, DoesNotBroadcast) {
  expect_error(ErrorKind::kShape, "dim 1 of A and B", [] {
    run_op({"SwiGLU", 28}, {random_tensor({2, 3}), random_tensor({2, 1})});
  });
}

}  // namespace
}  // namespace linnet::testing
