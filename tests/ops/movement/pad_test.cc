#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

const Tensor kX = Tensor::of(Shape{2, 3}, Floats{1, 2, 3, 4, 5, 6});

Tensor pad(const std::string& mode, const Tensor& x, const Ints& pads, const std::vector<Tensor>& others = {}) {
  std::vector<Tensor> inputs{x, Tensor::of(pads)};
  inputs.insert(inputs.end(), others.begin(), others.end());
  return run_op({"Pad", 19, {{"mode", mode}}}, inputs)[0];
}

/// Returns the index into a dim of n elements that NumPy's pad repeats for coordinate i, found by walking from the
/// border.
int64_t source(const std::string& mode, int64_t i, int64_t n) {
  if (mode == "edge") return i < 0 ? 0 : i >= n ? n - 1 : i;
  while (mode == "wrap" && i < 0) i += n;
  while (mode == "wrap" && i >= n) i -= n;
  while (mode == "reflect" && n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
  return n == 1 ? 0 : i;
}

TEST(Pad, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = Tensor::of(Shape{3, 2}, Floats{1, 1.2f, 2.3f, 3.4f, 4.5f, 5.7f});
  expect_close(pad("constant", x, {0, 2, 0, 0}),
               Tensor::of(Shape{3, 4}, Floats{0, 0, 1, 1.2f, 0, 0, 2.3f, 3.4f, 0, 0, 4.5f, 5.7f}));
  expect_close(pad("reflect", x, {0, 2, 0, 0}),
               Tensor::of(Shape{3, 4}, Floats{1, 1.2f, 1, 1.2f, 2.3f, 3.4f, 2.3f, 3.4f, 4.5f, 5.7f, 4.5f, 5.7f}));
}

TEST(Pad, FillsWithTheGivenValueAndCutsOff) {
  const Tensor nine = Tensor::scalar(9.0f);
  expect_close(pad("constant", kX, {1, -1, 0, 1}, {nine}), Tensor::of(Shape{3, 3}, Floats{9, 9, 9, 2, 3, 9, 5, 6, 9}));
  expect_close(pad("constant", kX, {-2, 0, 1, 0}, {nine}), Tensor::of(Shape{1, 3}, Floats{9, 9, 9}));
  expect_close(pad("constant", kX, {0, 0, 0, 0}), kX);
  expect_close(pad("constant", Tensor(DType::kFloat32, {0}), {1, 1}, {nine}), Tensor::of<float>({9, 9}));
  const Tensor text = Tensor::of<std::string>({"a"});
  expect_close(pad("constant", text, {1, 0}), Tensor::of<std::string>({"", "a"}));
  expect_close(pad("constant", Tensor::of<bool>({true}), {0, 1}), Tensor::of<bool>({true, false}));
}

TEST(Pad, FillsAroundAndCutsFromEveryAxis) {
  const Tensor x = random_tensor({3, 4, 2, 5}), nine = Tensor::scalar(9.0f);
  for (const Ints& pads : std::vector<Ints>{{70, 1, 2, 30, 40, 2, 1, 40},
                                            {0, 0, 1, 0, 0, 0, 2, 0},
                                            {0, 1, 0, 0, 0, 0, 0, 0},
                                            {2, 0, 0, 1, 0, 0, 0, -3},
                                            {-1, 2, 0, 0, 1, -3, 0, 0},
                                            {0, 0, -2, 3, 0, 0, 2, 1},
                                            {0, -1, 1, -7, 0, 4, 1, 4}}) {
    const Tensor y = pad("constant", x, pads, {nine});
    Ints at(4);
    for (int64_t i = 0; i < y.size(); ++i) {
      int64_t rest = i, from = 0;
      bool inside = true;
      for (int d = 3; d >= 0; rest /= y.dim(d), --d) at[size_t(d)] = rest % y.dim(d) - pads[size_t(d)];
      for (int d = 0; d < 4; ++d) {
        inside &= at[size_t(d)] >= 0 && at[size_t(d)] < x.dim(d);
        from = from * x.dim(d) + at[size_t(d)];
      }
      ASSERT_EQ(y.data<float>()[i], inside ? x.data<float>()[from] : 9) << i;
    }
  }
}

TEST(Pad, PadsTheGivenAxes) {
  const Tensor axes = Tensor::of<int32_t>({-1});
  expect_close(pad("constant", kX, {1, 0}, {Tensor(), axes}), Tensor::of(Shape{2, 4}, Floats{0, 1, 2, 3, 0, 4, 5, 6}));
}

TEST(Pad, RepeatsTheInput) {
  const Tensor x = Tensor::of(Shape{2, 3, 4}, std::vector<int32_t>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                                   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  for (const char* mode : {"edge", "wrap", "reflect"}) {
    for (const Ints& pads :
         {Ints{1, 2, 3, 0, 1, 2}, {3, 7, 9, 4, 5, 11}, {-1, 0, -2, 2, -1, 1}, {200, 0, 100, 200, 0, 100}}) {
      const Tensor y = pad(mode, x, pads);
      int64_t wrong = 0;
      for (int64_t i = 0; i < y.size(); ++i) {
        const int64_t c[] = {i / (y.dim(1) * y.dim(2)), i / y.dim(2) % y.dim(1), i % y.dim(2)};
        int64_t want = 0;
        for (int d = 0; d < 3; ++d) want = want * x.dim(d) + source(mode, c[d] - pads[size_t(d)], x.dim(d));
        wrong += y.data<int32_t>()[i] != want;
      }
      EXPECT_EQ(wrong, 0) << mode;
    }
  }
  expect_close(pad("reflect", Tensor::of<float>({5}), {2, 1}), Tensor::of<float>({5, 5, 5, 5}));
}

TEST(Pad, TakesAttributesBeforeOpset11) {
  const Ints pads{0, 1, 0, 0};
  const Tensor want = Tensor::of(Shape{2, 4}, Floats{7, 1, 2, 3, 7, 4, 5, 6});
  expect_close(run_op({"Pad", 1, {{"paddings", pads}, {"value", 7.0f}}}, {kX})[0], want);
  expect_close(run_op({"Pad", 2, {{"pads", pads}, {"value", 7.0f}}}, {kX})[0], want);
}

TEST(Pad, RefusesWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "two values per axis (4), got 2", [] { pad("constant", kX, {0, 1}); });
  expect_error(ErrorKind::kShape, "leave nothing of dim 2", [] { pad("constant", kX, {-2, 0, -1, 0}); });
  expect_error(ErrorKind::kModel, "mode must be", [] { pad("mirror", kX, {0, 0, 0, 0}); });
  expect_error(ErrorKind::kShape, "nothing to pad with", [] { pad("edge", Tensor(DType::kFloat32, {0}), {1, 1}); });
  expect_error(ErrorKind::kType, "same dtype", [] { pad("constant", kX, {0, 0, 0, 0}, {Tensor::scalar(1.0)}); });
}

TEST(CenterCropPad, CutsAndPadsAroundTheMiddle) {
  const auto run = [](const Tensor& x, const Ints& shape) {
    return run_op({"CenterCropPad", 18}, {x, Tensor::of(shape)})[0];
  };
  expect_close(run(Tensor::of<float>({1, 2, 3, 4, 5, 6}), {3}), Tensor::of<float>({2, 3, 4}));
  expect_close(run(Tensor::of<float>({1, 2}), {5}), Tensor::of<float>({0, 1, 2, 0, 0}));
  expect_close(run(kX, {3, 1}), Tensor::of(Shape{3, 1}, Floats{2, 5, 0}));
  expect_close(run_op({"CenterCropPad", 18, {{"axes", Ints{-1}}}}, {kX, Tensor::of<int64_t>({1})})[0],
               Tensor::of(Shape{2, 1}, Floats{2, 5}));
  expect_error(ErrorKind::kShape, "shape must have 2 values, got 1", [&] { run(kX, {3}); });
}

}  // namespace
}  // namespace linnet::testing
