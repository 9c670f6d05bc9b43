#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

TEST(Pow, OfFloats) {
  const Tensor x = random_uniform({6, 50}, 0.1f, 4), exponent = random_uniform({6, 1}, -3, 3, 1);
  Tensor want(DType::kFloat64, {6, 50});
  for (int64_t i = 0; i < 300; ++i) {
    want.data<double>()[i] = std::exp(double{exponent.data<float>()[i / 50]} * std::log(double{x.data<float>()[i]}));
  }
  expect_close(run_op({"Pow"}, {x, exponent})[0], cast_to(want, DType::kFloat32), 0, 1e-6);
  expect_close(run_op({"Pow"}, {cast_to(x, DType::kFloat64), cast_to(exponent, DType::kFloat64)})[0], want, 0, 1e-13);
  expect_close(run_op({"Pow", 12}, {x, cast_to(exponent, DType::kFloat64)})[0], cast_to(want, DType::kFloat32), 0,
               1e-6);
}

TEST(Pow, SpecialValues) {
  expect_close(
      run_op({"Pow"}, {Tensor::of<float>({0, 0, -2, -8, kInf, 1}), Tensor::of<float>({0, -1, 3, 0.5f, -1, kInf})})[0],
      Tensor::of<float>({1, kInf, -8, std::nanf(""), 0, 1}));
}

TEST(Pow, ConstantSquareAndCube) {
  const Tensor x = random_tensor({100});
  for (const float exponent : {2.0f, 3.0f}) {
    Tensor want(DType::kFloat32, {1, 100});
    for (int64_t i = 0; i < 100; ++i) want.data<float>()[i] = std::pow(x.data<float>()[i], exponent);
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kFloat64}) {
      const Tensor y =
          run_op({"Pow"}, {cast_to(x, dtype), cast_to(Tensor::of<float>({1, 1}, {exponent}), dtype)}, 1, {1})[0];
      expect_close(cast_to(y, DType::kFloat32), want, 1e-6, dtype == DType::kFloat16 ? 4e-3 : 2e-7);
    }
  }
}

TEST(Pow, OfIntegersIsExactAndWraps) {
  expect_close(run_op({"Pow"}, {Tensor::of<int64_t>({3, -2, 1, -1, 0, 5, 2}),
                                Tensor::of<int32_t>({39, 3, -5, -3, -1, 0, 64})})[0],
               Tensor::of<int64_t>({4052555153018976267, -8, 1, -1, 0, 1, 0}));
  expect_close(run_op({"Pow"}, {Tensor::of<int32_t>({2, 9}), Tensor::of<float>({3, 0.5f})})[0],
               Tensor::of<int32_t>({8, 3}));
  expect_close(run_op({"Pow"}, {Tensor::of<float>({2, 9}), Tensor::of<uint8_t>({3})})[0], Tensor::of<float>({8, 729}));
}

TEST(Pow, RefusesElementsBelowAByte) {
  Tensor exponents(DType::kInt4, {4});
  std::memset(exponents.raw(), 0x11, size_t(exponents.bytes()));
  expect_error(ErrorKind::kUnsupported, "int4", [&] { run_op({"Pow"}, {random_tensor({4}), exponents}); });
}

}  // namespace
}  // namespace linnet::testing
