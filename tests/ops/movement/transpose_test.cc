#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "movement/transpose_plan.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Computes element by element, from the definition: out[i[perm[0]], i[perm[1]], ...] = in[i].
std::vector<int64_t> source_indices(const Shape& shape, const std::vector<int64_t>& perm) {
  std::vector<int64_t> y_strides(perm.size()), result(size_t(shape.elements()));
  int64_t stride = 1;
  for (size_t d = perm.size(); d-- > 0; stride *= shape[int(perm[d])]) y_strides[size_t(perm[d])] = stride;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    int64_t rest = i, to = 0;
    for (int d = shape.rank() - 1; d >= 0; rest /= shape[d], --d) to += rest % shape[d] * y_strides[size_t(d)];
    result[size_t(to)] = i;
  }
  return result;
}

void check(const Shape& shape, const std::vector<int64_t>& perm, DType dtype) {
  Tensor x(dtype, shape);
  for (size_t i = 0; i < x.bytes(); ++i)
    static_cast<unsigned char*>(x.raw())[i] = static_cast<unsigned char>(i * 7 + i / 256);
  Shape out;
  for (const int64_t axis : perm) out.push_back(shape[int(axis)]);
  Tensor want(dtype, out);
  const size_t width = size_t(dtype_bits(dtype)) / 8;
  const std::vector<int64_t> from = source_indices(shape, perm);
  for (size_t i = 0; i < from.size(); ++i) {
    std::memcpy(static_cast<char*>(want.raw()) + i * width, static_cast<const char*>(x.raw()) + size_t(from[i]) * width,
                width);
  }
  EXPECT_TRUE(identical(run_op({"Transpose", 13, {{"perm", perm}}}, {x})[0], want)) << shape << ' ' << dtype;
}

TEST(Transpose, EveryPermutationOfFourAxes) {
  std::vector<int64_t> perm{0, 1, 2, 3};
  do {
    check({2, 3, 5, 4}, perm, DType::kFloat32);
    check({1, 3, 1, 4}, perm, DType::kInt16);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST(Transpose, MovesBlocksOfPixelsToChannels) {
  for (const std::vector<int64_t>& perm : {std::vector<int64_t>{0, 3, 5, 1, 2, 4}, {0, 1, 3, 5, 2, 4}}) {
    for (const int64_t block : {2, 3, 5, 9}) {
      check({2, 3, 4, block, 6, block}, perm, DType::kFloat32);
      check({2, 3, 4, block, 1, block}, perm, DType::kUint8);
    }
    check({2, 16, 20, 2, 40, 2}, perm, DType::kFloat64);
  }
}

TEST(Transpose, EveryWidthAndManyChunks) {
  for (const DType dtype : {DType::kUint8, DType::kFloat16, DType::kFloat32, DType::kInt64, DType::kComplex128}) {
    check({2, 70, 33, 19}, {0, 2, 3, 1}, dtype);
    check({2, 33, 19, 70}, {0, 3, 1, 2}, dtype);
    check({300, 2, 200}, {0, 2, 1}, dtype);
    check({2, 4000, 21}, {0, 2, 1}, dtype);
    check({3, 1500, 5, 60}, {0, 2, 1, 3}, dtype);
    check({3, 4, 700, 5, 60}, {3, 0, 2, 1, 4}, dtype);
    check({40001, 3}, {1, 0}, dtype);
    check({700, 600}, {1, 0}, dtype);
    check({3, 4, 2, 5, 2}, {3, 1, 4, 0, 2}, dtype);
    check({300, 2, 40, 2}, {1, 3, 0, 2}, dtype);
    check({0, 3}, {1, 0}, dtype);
  }
}

TEST(Transpose, MovesStringsAndReversesByDefault) {
  const Tensor x = Tensor::of(Shape{2, 3}, std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
  const Tensor want = Tensor::of(Shape{3, 2}, std::vector<std::string>{"a", "d", "b", "e", "c", "f"});
  EXPECT_TRUE(identical(run_op({"Transpose", 13}, {x})[0], want));
}

TEST(Transpose, PermutationsSimplifyToTheAxesThatMove) {
  const int nchw_to_nhwc[] = {0, 2, 3, 1}, shuffle[] = {0, 2, 1, 3, 4}, ones[] = {2, 0, 3, 1};
  EXPECT_EQ(simplify_permutation({2, 3, 5, 7}, nchw_to_nhwc).extents, (std::vector<int64_t>{2, 3, 35}));
  EXPECT_EQ(simplify_permutation({2, 3, 5, 7}, nchw_to_nhwc).perm, (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(simplify_permutation({1, 2, 58, 28, 28}, shuffle).extents, (std::vector<int64_t>{2, 58, 784}));
  EXPECT_TRUE(simplify_permutation({1, 5, 1, 1}, ones).is_identity());
  EXPECT_TRUE(simplify_permutation({1, 1, 4, 5}, nchw_to_nhwc).is_identity());
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  const Tensor x = random_tensor({2, 3});
  const auto transpose = [&](std::vector<int64_t> perm) {
    return [=] { run_op({"Transpose", 13, {{"perm", perm}}}, {x}); };
  };
  expect_error(ErrorKind::kModel, "each axis from 0 to 1 once", transpose({0, 0}));
  expect_error(ErrorKind::kModel, "each axis from 0 to 1 once", transpose({1, 2}));
  expect_error(ErrorKind::kShape, "data", transpose({0, 2, 1}));
}

TEST(DepthToSpace, UndoesSpaceToDepth) {
  const Tensor x = random_tensor({2, 3, 4, 6});
  for (const char* mode : {"DCR", "CRD"}) {
    const Attributes attributes{{"blocksize", int64_t{2}}, {"mode", std::string(mode)}};
    const Tensor deep = run_op({"SpaceToDepth", 28, attributes}, {x})[0];
    EXPECT_EQ(deep.shape(), (Shape{2, 12, 2, 3}));
    EXPECT_TRUE(identical(run_op({"DepthToSpace", 13, attributes}, {deep})[0], x)) << mode;
  }
}

TEST(DepthToSpace, DoesTheSameChannelsLast) {
  const Tensor x = random_tensor({2, 12, 3, 4});
  const auto transposed = [](const Tensor& t, const std::vector<int64_t>& perm) {
    return run_op({"Transpose", 13, {{"perm", perm}}}, {t})[0];
  };
  for (const char* mode : {"DCR", "CRD"}) {
    const Attributes attributes{{"blocksize", int64_t{2}}, {"mode", std::string(mode)}};
    const Tensor want = run_op({"DepthToSpace", 13, attributes}, {x})[0];
    const Tensor got = run_op({"DepthToSpace", 1, attributes, "linnet"}, {transposed(x, {0, 2, 3, 1})})[0];
    EXPECT_TRUE(identical(transposed(got, {0, 3, 1, 2}), want)) << mode;
  }
}

TEST(DepthToSpace, OrdersChannelsByMode) {
  const Tensor x = Tensor::of(Shape{1, 8, 1, 1}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
  const auto run = [&](const char* mode) {
    return run_op({"DepthToSpace", 13, {{"blocksize", int64_t{2}}, {"mode", std::string(mode)}}}, {x})[0];
  };
  expect_close(run("DCR"), Tensor::of(Shape{1, 2, 2, 2}, std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7}));
  expect_close(run("CRD"), Tensor::of(Shape{1, 2, 2, 2}, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  expect_error(ErrorKind::kShape, "the number of channels must be a multiple of 9, got 8", [&] {
    run_op({"DepthToSpace", 13, {{"blocksize", int64_t{3}}}}, {x});
  });
}

}  // namespace
}  // namespace linnet::testing
