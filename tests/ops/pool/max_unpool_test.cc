#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

TEST(MaxUnpool, UndoesMaxPool) {
  for (const Shape& shape : {Shape{2, 3, 6, 5}, Shape{2, 3, 80, 71}}) {
    const Tensor x = random_uniform(shape, 1, 2);
    const Attributes window{{"kernel_shape", Ints{2, 3}}, {"strides", Ints{2, 2}}};
    const auto pooled = run_op({"MaxPool", 12, window}, {x}, 2);
    std::vector<float> want(size_t(x.size()), 0.0f);
    for (int64_t i = 0; i < pooled[1].size(); ++i) {
      const int64_t at = pooled[1].data<int64_t>()[i];
      want[size_t(at)] = x.data<float>()[at];
    }
    for (const int threads : {1, 2}) {
      const Tensor y = run_op({"MaxUnpool", 11, window}, {pooled[0], pooled[1]}, 1, {}, Isa::kAuto, threads)[0];
      EXPECT_TRUE(identical(y, Tensor::of(shape, want))) << shape << " on " << threads << " threads";
    }
  }
}

TEST(MaxUnpool, PutsElementsFarFromTheirWindows) {
  // The first elements move to the back and the last ones to the front, some to the position of an earlier one.
  const int64_t n = 3 * 50 * 60;
  const Tensor x = random_uniform({1, 3, 50, 60}, 1, 2);
  std::vector<int64_t> indices(size_t(n), 0);
  std::vector<float> want(size_t(4 * n), 0.0f);
  for (int64_t i = 0; i < n; ++i) {
    indices[size_t(i)] = i % 7 == 3 ? i : 4 * n - 1 - 4 * i;
    want[size_t(indices[size_t(i)])] = x.data<float>()[i];
  }
  const OpCase op{"MaxUnpool", 11, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}};
  for (const int threads : {1, 2}) {
    const Tensor y = run_op(op, {x, Tensor::of(x.shape(), indices)}, 1, {}, Isa::kAuto, threads)[0];
    EXPECT_TRUE(identical(y, Tensor::of({1, 3, 100, 120}, want))) << threads << " threads";
    indices[size_t(n / 2)] = 4 * n;
    expect_error(ErrorKind::kModel, "outside", [&] {
      run_op(op, {x, Tensor::of(x.shape(), indices)}, 1, {}, Isa::kAuto, threads);
    });
    indices[size_t(n / 2)] = 4 * n - 1 - 4 * (n / 2);
  }
}

TEST(MaxUnpool, PutsItsResultIntoAGivenShape) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {7, 8}), indices = Tensor::of<int64_t>({1, 1, 2}, {1, 2});
  const OpCase op{"MaxUnpool", 11, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}};
  expect_close(run_op(op, {x, indices})[0], Tensor::of<float>({1, 1, 4}, {0, 7, 8, 0}));
  expect_close(run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 5})})[0],
               Tensor::of<float>({1, 1, 5}, {0, 7, 8, 0, 0}));
  expect_close(run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 3})})[0], Tensor::of<float>({1, 1, 3}, {0, 7, 8}));
  const Tensor planes = x.reshaped({1, 2, 1}), first_and_last = Tensor::of<int64_t>({1, 2, 1}, {0, 3});
  expect_close(run_op(op, {planes, first_and_last, Tensor::of<int64_t>({1, 2, 3})})[0],
               Tensor::of<float>({1, 2, 3}, {7, 0, 0, 8, 0, 0}));
  expect_error(ErrorKind::kModel, "index", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, 2})}); });
  expect_error(ErrorKind::kModel, "index 4", [&] { run_op(op, {x, Tensor::of<int64_t>({1, 1, 2}, {4, 0})}); });
  expect_error(ErrorKind::kShape, "negative", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 1, -4})}); });
  expect_error(ErrorKind::kShape, "output_shape", [&] { run_op(op, {x, indices, Tensor::of<int64_t>({1, 5})}); });
  expect_error(ErrorKind::kShape, "shape of X", [&] { run_op(op, {x, Tensor::of<int64_t>({1, 1, 1}, {4})}); });
}

// Tests the output of MaxPool in tensors whose end its windows do not reach or exceed.
TEST(MaxUnpool, PutsWhatMaxPoolFoundBackIntoItsShape) {
  struct Case {
    Ints size, kernel, strides, pads;
    int64_t ceil_mode = 0;
  };
  const Case cases[] = {{{5, 7}, {2, 2}, {2, 2}, {0, 0, 0, 0}},  // The windows alone give 4 x 6.
                        {{3, 3}, {2, 2}, {2, 2}, {0, 0, 0, 0}},
                        {{3, 3}, {2, 2}, {2, 2}, {0, 0, 0, 0}, 1},
                        {{8, 9}, {3, 2}, {2, 3}, {1, 0, 1, 1}},
                        {{11}, {3}, {2}, {1, 0}},
                        {{5, 4, 7}, {2, 2, 2}, {2, 2, 3}, {0, 0, 0, 0, 0, 0}}};
  for (const Case& c : cases) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      Shape shape{2, 3};
      for (const int64_t n : c.size) shape.push_back(n);
      const Tensor x = random_uniform(shape, 1, 2, seed);
      Attributes window{{"kernel_shape", c.kernel}, {"strides", c.strides}, {"pads", c.pads}};
      Attributes pool = window;
      pool["ceil_mode"] = c.ceil_mode;
      const auto pooled = run_op({"MaxPool", 12, pool}, {x}, 2);
      std::vector<float> want(size_t(x.size()), 0.0f);
      for (const int64_t at : pooled[1].values<int64_t>()) want[size_t(at)] = x.data<float>()[at];
      const Tensor size = Tensor::of(Ints(shape.begin(), shape.end()));
      for (const int threads : {1, 2}) {
        const Tensor y = run_op({"MaxUnpool", 11, window}, {pooled[0], pooled[1], size}, 1, {}, Isa::kAuto, threads)[0];
        EXPECT_TRUE(identical(y, Tensor::of(shape, want))) << shape << seed;
      }
    }
  }
}

TEST(MaxUnpool, IndicesThatFitNowhereElseCountInTheGivenShape) {
  const OpCase op{"MaxUnpool", 11, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}};
  // Elements are outside their windows. In 4 x 4, 3 would be in a column that is cut off.
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4}), at = Tensor::of<int64_t>({1, 1, 2, 2}, {8, 3, 7, 2});
  const Tensor shape = Tensor::of<int64_t>({1, 1, 3, 3});
  expect_close(run_op(op, {x, at, shape})[0], Tensor::of<float>({1, 1, 3, 3}, {0, 0, 4, 2, 0, 0, 0, 3, 1}));
  const Tensor outside = Tensor::of<int64_t>({1, 1, 2, 2}, {3, 2, 7, 9});
  expect_error(ErrorKind::kModel, "index 3", [&] { run_op(op, {x, outside, shape}); });
}

}  // namespace
}  // namespace linnet::testing
