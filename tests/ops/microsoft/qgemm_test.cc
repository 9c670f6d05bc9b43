#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qgemm {
namespace {

constexpr int64_t kM = 3, kK = 5, kN = 4;

struct Gemm {
  bool trans_a = false, trans_b = false, by_column = false;
  float alpha = 1;

  double b_scale(int64_t j) const { return by_column ? 0.25f * float(j + 1) : 0.25f; }
  Tensor a() const { return scattered<uint8_t>(trans_a ? Shape{kK, kM} : Shape{kM, kK}); }
  Tensor b() const { return scattered<int8_t>(trans_b ? Shape{kN, kK} : Shape{kK, kN}, 59); }

  /// Returns the element with C[j] = 10 * j.
  double value(int64_t i, int64_t j) const {
    const Tensor a_bytes = a(), b_bytes = b();
    double sum = 10.0 * double(j);
    for (int64_t k = 0; k < kK; ++k) {
      const int x = a_bytes.data<uint8_t>()[trans_a ? k * kM + i : i * kK + k];
      const int y = b_bytes.data<int8_t>()[trans_b ? j * kK + k : k * kN + j];
      sum += (x - 100) * (y + 2);
    }
    return alpha * sum * 0.5 * b_scale(j);
  }

  std::vector<Tensor> inputs() const {
    std::vector<float> scales;
    for (int64_t j = 0; j < (by_column ? kN : 1); ++j) scales.push_back(float(b_scale(j)));
    return {a(),
            Tensor::scalar(0.5f),
            Tensor::scalar(uint8_t{100}),
            b(),
            Tensor::of<float>(scales),
            Tensor::of<int8_t>(std::vector<int8_t>(scales.size(), -2)),
            Tensor::of<int32_t>({0, 10, 20, 30})};
  }

  Attributes attributes() const {
    return {{"transA", int64_t{trans_a}}, {"transB", int64_t{trans_b}}, {"alpha", alpha}};
  }
};

const std::vector<Gemm> kGemms{
    {}, {.trans_a = true, .by_column = true}, {.trans_b = true, .by_column = true, .alpha = 0.75f}};

TEST(QGemm, GivesFloatsWithoutScaleOfTheOutput) {
  for (const Gemm& gemm : kGemms) {
    Tensor want(DType::kFloat32, {kM, kN});
    for (int64_t i = 0; i < kM * kN; ++i) want.data<float>()[i] = float(gemm.value(i / kN, i % kN));
    expect_close(run_expanded("QGemm", gemm.attributes(), gemm.inputs())[0], want, 1e-3, 1e-5);
  }
}

TEST(QGemm, RoundsToTheScaleOfTheOutput) {
  for (const Gemm& gemm : kGemms) {
    Tensor want(DType::kUint8, {kM, kN});
    for (int64_t i = 0; i < kM * kN; ++i) {
      want.data<uint8_t>()[i] = rounded_to<uint8_t>(gemm.value(i / kN, i % kN), 37.3f, 120);
    }
    std::vector<Tensor> inputs = gemm.inputs();
    inputs.insert(inputs.end(), {Tensor::scalar(37.3f), Tensor::scalar(uint8_t{120})});
    expect_close(run_expanded("QGemm", gemm.attributes(), inputs)[0], want);
  }
}

TEST(QGemm, RefusesHalfAnOutputAndScalesThatAreNotOfColumns) {
  const OpCase op{"QGemm", 1, {}, "com.microsoft"};
  std::vector<Tensor> inputs = Gemm{}.inputs();
  inputs.push_back(Tensor::scalar(1.0f));
  expect_error(ErrorKind::kModel, "y_zero_point", [&] { run_op(op, inputs); });
  inputs = Gemm{}.inputs();
  inputs[4] = Tensor::of<float>({1, 2, 3});
  expect_error(ErrorKind::kShape, "[3]", [&] { run_op(op, inputs); });
  inputs = Gemm{}.inputs();
  inputs[6] = random_tensor({kN});
  expect_error(ErrorKind::kType, "C", [&] { run_op(op, inputs); });
}

}  // namespace
}  // namespace linnet::testing::qgemm
