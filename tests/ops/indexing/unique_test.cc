#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "linnet/complex.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Complex = std::complex<float>;

std::vector<Complex> values(const Tensor& tensor) {
  const Complex* x = tensor.data<Complex>();
  return {x, x + tensor.size()};
}

TEST(Unique, OrdersComplexNumbersByRealThenImaginaryPart) {
  const Tensor x = Tensor::of<Complex>({{2, 1}, {1, 5}, {2, -1}, {1, 5}, {1, 4}});
  const std::vector<Tensor> y = run_op({"Unique", 11}, {x}, 4);
  EXPECT_EQ(values(y[0]), (std::vector<Complex>{{1, 4}, {1, 5}, {2, -1}, {2, 1}}));
  expect_close(y[1], Tensor::of<int64_t>({4, 1, 2, 0}));
  expect_close(y[2], Tensor::of<int64_t>({3, 1, 2, 1, 0}));
  expect_close(y[3], Tensor::of<int64_t>({1, 2, 1, 1}));
}

TEST(Unique, ComparesComplexSlices) {
  const Tensor x = Tensor::of(Shape{2, 3}, std::vector<Complex>{{1, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 0}, {2, 0}});
  const std::vector<Tensor> y = run_op({"Unique", 11, {{"axis", int64_t{1}}}}, {x}, 1);
  EXPECT_EQ(y[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(values(y[0]), (std::vector<Complex>{{1, 0}, {1, 1}, {2, 0}, {2, 0}}));
}

TEST(Unique, DoesNotWalkOverTensorsWithoutElements) {
  const Tensor x = random_tensor({int64_t{1} << 60, 0});
  const std::vector<Tensor> y = run_op({"Unique", 11, {{"axis", int64_t{1}}}}, {x}, 4);
  EXPECT_EQ(y[0].shape(), x.shape());
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(y[i].shape(), Shape({0}));
}

TEST(Unique, CountsItsWorkingMemory) {
  GraphBuilder b;
  b.output(b.op("Unique", {b.input("x", Shape{int64_t{1} << 40, 0})}, {{"axis", int64_t{0}}}));
  ContextOptions options;
  options.limits.memory_bytes = 1 << 20;
  Context context(b.model(), options);
  const std::vector<Tensor> inputs{random_tensor({int64_t{1} << 40, 0})};
  expect_error(ErrorKind::kLimit, "more than the limit", [&] { context.run(inputs); });
}

using Ints = std::vector<int64_t>;

Ints ints(const Tensor& tensor) { return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.size()}; }

/// Checks the outputs except the values with a map of slices.
template <class Slice>
void expect_groups(const std::vector<Slice>& slices, bool sorted, const std::vector<Tensor>& y) {
  std::map<Slice, std::vector<int64_t>> places;
  for (size_t i = 0; i < slices.size(); ++i) places[slices[i]].push_back(int64_t(i));
  std::vector<std::vector<int64_t>> groups;
  for (const auto& [slice, members] : places) groups.push_back(members);
  if (!sorted) std::ranges::sort(groups);
  Ints first, inverse(slices.size()), counts;
  for (const std::vector<int64_t>& members : groups) {
    for (const int64_t i : members) inverse[size_t(i)] = int64_t(first.size());
    first.push_back(members[0]);
    counts.push_back(int64_t(members.size()));
  }
  EXPECT_EQ(ints(y[1]), first);
  EXPECT_EQ(ints(y[2]), inverse);
  EXPECT_EQ(ints(y[3]), counts);
}

/// Tests vectors of `columns` elements, sampled from [low, high] and compared by value.
template <class T>
void expect_unique(int64_t slices, int64_t columns, double low, double high, double factor) {
  const Tensor drawn = random_uniform({slices, columns}, float(low), float(high), 7);
  Tensor x(dtype_of<T>, drawn.shape());
  std::vector<std::vector<T>> want(static_cast<size_t>(slices));
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<T>()[i] = T(std::floor(double(drawn.data<float>()[i])) * factor);
    want[size_t(i / columns)].push_back(x.data<T>()[i]);
  }
  for (const bool sorted : {true, false}) {
    OpCase op{"Unique", 11, {{"sorted", int64_t{sorted}}}};
    if (columns > 1) op.attributes.emplace("axis", int64_t{0});
    expect_groups(want, sorted, run_op(op, {x}, 4));
  }
}

TEST(Unique, GroupsFewAndManyElements) {
  for (const int64_t n : {1, 50, 255, 256, 3000}) {
    expect_unique<int64_t>(n, 1, -100, 100, 1);
    expect_unique<int64_t>(n, 1, -1e6, 1e6, 1e12);
    expect_unique<int8_t>(n, 1, -100, 100, 1);
    expect_unique<float>(n, 1, -100, 100, 0.25);
    expect_unique<double>(n, 1, -1e6, 1e6, 1.0 / 3);
  }
}

TEST(Unique, GroupsShortAndLongSlices) {
  for (const int64_t n : {50, 2000}) {
    for (const int64_t columns : {2, 3, 16, 17}) {
      expect_unique<int64_t>(n, columns, -1.9, 1.9, 1);
      expect_unique<double>(n, columns, -1.9, 1.9, 1e40);
    }
  }
}

TEST(Unique, GroupsStrings) {
  const Tensor drawn = random_uniform({3000}, 0, 700, 3);
  std::vector<std::string> x;
  for (int64_t i = 0; i < drawn.size(); ++i) {
    const int n = int(drawn.data<float>()[i]);
    x.push_back(std::string(size_t(n % 40), 'x') + std::to_string(n));
  }
  for (const bool sorted : {true, false}) {
    expect_groups(x, sorted, run_op({"Unique", 11, {{"sorted", int64_t{sorted}}}}, {Tensor::of(x)}, 4));
  }
}

}  // namespace
}  // namespace linnet::testing
