#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "linnet/registry.h"
#include "ops/movement/ramp.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns the indices of range(dim)[start:end:step] by walking, from 0 if a negative step starts before the axis.
std::vector<int64_t> walk(int64_t dim, int64_t start, int64_t end, int64_t step) {
  const auto bound = [&](int64_t i) { return i < -dim ? -1 : i < 0 ? i + dim : std::min(i, dim); };
  std::vector<int64_t> result;
  const int64_t from = bound(start), to = bound(end);
  if (step > 0) {
    for (int64_t i = std::max<int64_t>(0, from); i < std::max<int64_t>(0, to); i += step) result.push_back(i);
  } else {
    for (int64_t i = std::clamp<int64_t>(from, 0, dim - 1); i > to && i >= 0; i += step) result.push_back(i);
  }
  return result;
}

Tensor slice(const Tensor& x, const std::vector<std::vector<int64_t>>& parameters, int64_t opset = 13) {
  std::vector<Tensor> inputs{x};
  for (const auto& p : parameters) inputs.push_back(p.empty() ? Tensor() : Tensor::of(p));
  return run_op({"Slice", opset}, inputs)[0];
}

TEST(Slice, FollowsTheExamplesOfTheSpecification) {
  const Tensor x = Tensor::of(Shape{2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  expect_close(slice(x, {{1, 0}, {2, 3}, {0, 1}, {1, 2}}), Tensor::of(Shape{1, 2}, std::vector<float>{5, 7}));
  expect_close(slice(x, {{0, 1}, {-1, 1000}}), Tensor::of(Shape{1, 3}, std::vector<float>{2, 3, 4}));
}

TEST(Slice, AgreesWithWalkingThroughTheAxis) {
  const int64_t values[] = {INT64_MIN, -9, -5, -4, -1, 0, 1, 3, 5, 9, INT64_MAX};
  for (const int64_t start : values) {
    for (const int64_t end : values) {
      for (const int64_t step : {1, 2, 7, -1, -2, -7}) {
        std::vector<float> want;
        for (const int64_t i : walk(5, start, end, step)) want.push_back(float(i));
        SCOPED_TRACE(str(start, ":", end, ":", step));
        expect_close(slice(ramp({5}), {{start}, {end}, {0}, {step}}), Tensor::of(want));
      }
    }
  }
}

TEST(Slice, TakesStepsBeyondTheAxis) {
  expect_close(slice(ramp({5}), {{1}, {5}, {0}, {INT64_MAX}}), Tensor::of<float>({1}));
  expect_close(slice(ramp({5}), {{3}, {0}, {0}, {INT64_MIN}}), Tensor::of<float>({3}));
}

TEST(Slice, ReversesSeveralAxes) {
  const Tensor y = slice(ramp({3, 4, 5}), {{-1, INT64_MAX}, {INT64_MIN, -6}, {0, -1}, {-1, -2}});
  ASSERT_EQ(y.shape(), (Shape{3, 4, 3}));
  for (int64_t i = 0; i < 36; ++i) {
    EXPECT_EQ(y.data<float>()[i], float((2 - i / 12) * 20 + i / 3 % 4 * 5 + 4 - i % 3 * 2));
  }
}

TEST(Slice, TakesAttributesBeforeOpset10) {
  const OpCase op{
      "Slice",
      1,
      {{"starts", std::vector<int64_t>{1}}, {"ends", std::vector<int64_t>{3}}, {"axes", std::vector<int64_t>{1}}}};
  expect_close(run_op(op, {ramp({2, 3})})[0], Tensor::of(Shape{2, 2}, std::vector<float>{1, 2, 4, 5}));
}

TEST(Slice, MovesStringsAndInt32Parameters) {
  const Tensor x = Tensor::of<std::string>({"a", "bb", "", "dddd"});
  const std::vector<Tensor> inputs{x, Tensor::of<int32_t>({3}), Tensor::of<int32_t>({0}), Tensor(),
                                   Tensor::of<int32_t>({-2})};
  expect_close(run_op({"Slice", 13}, inputs)[0], Tensor::of<std::string>({"dddd", "bb"}));
}

TEST(Slice, KeepsSymbolsOfWholeAxes) {
  NodeSpec spec;
  spec.op_type = "Slice";
  spec.opset = 13;
  spec.num_inputs = 4;
  const auto op = standard_registry().create(spec);
  const Fact x(DType::kFloat32, Dims{Dim(std::string("N")), Dim(std::string("M")), 7});
  const auto ints = [](const std::vector<int64_t>& values) { return Fact(Tensor::of(values)); };
  const Fact y = op->infer(std::vector{x, ints({0, 1, 1}), ints({INT64_MAX, 3, 3}), ints({0, 1, 2})})[0];
  EXPECT_EQ(str(y), "float32[N,max(min(M,3)-1,0),2]");
  const Fact open = op->infer(std::vector{x, Fact(DType::kInt64, Dims{1}), Fact(DType::kInt64, Dims{1}), ints({2})})[0];
  EXPECT_EQ(str(open), "float32[N,M,?]");
}

TEST(Slice, RefusesBadParameters) {
  expect_error(ErrorKind::kShape, "steps must not be 0", [] { slice(ramp({4}), {{0}, {1}, {0}, {0}}); });
  expect_error(ErrorKind::kShape, "equally many", [] { slice(ramp({4, 4}), {{0, 1}, {1}}); });
  expect_error(ErrorKind::kShape, "given twice", [] { slice(ramp({4}), {{0, 1}, {1, 2}, {0, -1}}); });
  expect_error(ErrorKind::kShape, "axis 1", [] { slice(ramp({4}), {{0}, {1}, {1}}); });
  const OpCase without_starts{"Slice", 1, {{"ends", std::vector<int64_t>{1}}}};
  expect_error(ErrorKind::kModel, "starts", [&] { run_op(without_starts, {ramp({4})}); });
}

TEST(Slice, StepsThroughElementsOfEveryWidth) {
  for (const DType dtype : {DType::kUint8, DType::kInt16, DType::kFloat32, DType::kFloat64, DType::kComplex128}) {
    Tensor x(dtype, Shape{3, 103});
    for (size_t i = 0; i < x.bytes(); ++i) static_cast<uint8_t*>(x.raw())[i] = uint8_t(i * 2654435761u >> 13 & 0x3f);
    const size_t width = x.bytes() / size_t(x.size());
    for (const auto& [start, step] : {std::pair<int64_t, int64_t>{1, 2}, {102, -1}, {100, -2}, {0, 3}}) {
      const Tensor y =
          run_op({"Slice"}, {x, Tensor::of<int64_t>({start}), Tensor::of<int64_t>({step > 0 ? 1000 : -1000}),
                             Tensor::of<int64_t>({1}), Tensor::of<int64_t>({step})})[0];
      Tensor want(dtype, y.shape());
      for (int64_t i = 0; i < y.size(); ++i) {
        const int64_t from = i / y.dim(1) * 103 + start + i % y.dim(1) * step;
        std::memcpy(static_cast<std::byte*>(want.raw()) + size_t(i) * width,
                    static_cast<const std::byte*>(x.raw()) + size_t(from) * width, width);
      }
      EXPECT_EQ(y.dim(1), step > 0 ? (103 - start + step - 1) / step : start / -step + 1);
      EXPECT_TRUE(identical(y, want)) << dtype << " " << step;
    }
  }
}

}  // namespace
}  // namespace linnet::testing
