#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const OpCase kGatherColumns{"GatherColumns", 1, {}, "linnet"};

/// Returns the rows of x^T at the indices `columns`.
Tensor columns_of(const Tensor& x, const std::vector<int64_t>& columns) {
  const Tensor w = cast_to(x, DType::kFloat32);
  Tensor y(DType::kFloat32, {int64_t(columns.size()), w.dim(0)});
  for (size_t i = 0; i < columns.size(); ++i) {
    for (int64_t k = 0; k < w.dim(0); ++k) {
      y.data<float>()[int64_t(i) * w.dim(0) + k] = w.data<float>()[k * w.dim(1) + columns[i]];
    }
  }
  return cast_to(y, x.dtype());
}

class GatherColumnsOf : public ::testing::TestWithParam<std::tuple<Isa, DType>> {};

TEST_P(GatherColumnsOf, GivesEachColumnAsARow) {
  const auto [isa, dtype] = GetParam();
  for (const int64_t n : {1, 2, 7, 8, 24, 31, 64, 77, 200, 203}) {
    const Tensor w = cast_to(random_tensor({5, n}, unsigned(n)), dtype);
    std::vector<int64_t> columns(size_t(n), 0);
    for (int64_t i = 0; i < n; ++i) columns[size_t(i)] = i * 3 % n;
    for (const bool constant : {true, false}) {
      if (!constant && dtype != DType::kFloat32) continue;
      const auto y = run_op(kGatherColumns, {Tensor::of({n}, columns), w}, 1,
                            constant ? std::vector<int>{1} : std::vector<int>{}, isa);
      expect_close(y[0], columns_of(w, columns));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GatherColumnsOf,
                         ::testing::Combine(::testing::ValuesIn(supported_isas()),
                                            ::testing::Values(DType::kFloat32, DType::kFloat16, DType::kBFloat16)));

TEST(GatherColumns, CountsNegativeIndicesFromTheEnd) {
  const Tensor w = random_tensor({4, 9});
  const auto y = run_op(kGatherColumns, {Tensor::of({2, 1}, std::vector<int32_t>{-1, -9}), w}, 1, {1});
  EXPECT_EQ(y[0].shape(), Shape({2, 1, 4}));
  expect_close(y[0].reshaped({2, 4}), columns_of(w, {8, 0}));
}

TEST(GatherColumns, RefusesIndicesOutOfRange) {
  for (const int64_t index : {-10, 9}) {
    expect_error(ErrorKind::kShape, "index", [&] {
      run_op(kGatherColumns, {Tensor::of<int64_t>({index}), random_tensor({4, 9})}, 1, {1});
    });
  }
}

TEST(GatherColumns, RefusesOtherRanksAndTypes) {
  const Tensor index = Tensor::of<int64_t>({0});
  expect_error(ErrorKind::kShape, "w", [&] { run_op(kGatherColumns, {index, random_tensor({4, 9, 1})}); });
  expect_error(ErrorKind::kType, "w", [&] { run_op(kGatherColumns, {index, Tensor(DType::kFloat64, {4, 9})}); });
  expect_error(ErrorKind::kType, "indices", [&] {
    run_op(kGatherColumns, {random_tensor({1}), random_tensor({4, 9})});
  });
}

}  // namespace
}  // namespace linnet::testing
