#include "movement/strided_copy.h"

#include <gtest/gtest.h>

#include "linnet/executor.h"

namespace linnet::testing {
namespace {

// Copies element by element with explicit coordinates.
void copy_slowly(const std::vector<int64_t>& extents, const std::vector<int64_t>& xs, const std::vector<int64_t>& ys,
                 const uint16_t* x, uint16_t* y, size_t d = 0) {
  if (d == extents.size()) {
    *y = *x;
    return;
  }
  for (int64_t i = 0; i < extents[d]; ++i) copy_slowly(extents, xs, ys, x + i * xs[d], y + i * ys[d], d + 1);
}

TEST(StridedCopy, AgreesWithCopyingOneByOne) {
  struct Case {
    std::vector<int64_t> extents, x_strides;
    int64_t x_offset;
  };
  const Case cases[] = {{{4, 5, 6}, {30, 6, 1}, 0},
                        {{4, 5, 6}, {1, 4, 20}, 0},
                        {{4, 5, 6}, {0, 6, 1}, 3},
                        {{4, 5, 6}, {-30, 6, -1}, 100},
                        {{7}, {-3}, 50},
                        {{3, 40000}, {1, 2}, 0},
                        {{90000}, {1}, 5},
                        {{90000}, {0}, 5},
                        {{2, 1, 3, 1}, {3, 9, 1, 9}, 0},
                        {{50000}, {2}, 3},
                        {{90000}, {-1}, 99999},
                        {{5, 7, 9}, {9, 0, 1}, 4},
                        {{3, 10000, 3}, {3, 0, 1}, 4},
                        {{30000, 3}, {0, 1}, 7},
                        {{5, 11000}, {0, 1}, 7},
                        {{50, 7, 8}, {8, 0, 1}, 3},
                        {{60, 9, 128}, {128, 0, 1}, 3},
                        {{60, 9, 136}, {136, 0, 1}, 3},
                        {{2, 3, 4, 5, 6}, {0, 20, 0, 6, 1}, 2},
                        {{2, 3, 4, 5, 6}, {500, 90, 7, 13, 1}, 2},
                        {{4, 300, 50}, {7, 60, 1}, 0},
                        {{4, 300, 5}, {7, 60, 3}, 0},
                        {{}, {}, 4},
                        {{3, 0, 2}, {1, 1, 1}, 0}};
  Tensor x(DType::kUint16, {100000});
  for (int64_t i = 0; i < x.size(); ++i) x.data<uint16_t>()[i] = uint16_t(i * 40503);
  for (const Case& c : cases) {
    const std::vector<int64_t> y_strides = row_major_strides(c.extents);
    Tensor got(DType::kUint16, {120010}), want(DType::kUint16, {120010});
    std::fill_n(got.data<uint16_t>(), got.size(), uint16_t{1});
    std::fill_n(want.data<uint16_t>(), want.size(), uint16_t{1});
    StridedCopy(DType::kUint16, c.extents, c.x_strides, y_strides, c.x_offset, 2).run(x, got, *make_openmp_executor(2));
    copy_slowly(c.extents, c.x_strides, y_strides, x.data<uint16_t>() + c.x_offset, want.data<uint16_t>() + 2);
    EXPECT_TRUE(identical(got, want)) << "case " << &c - cases;
  }
}

}  // namespace
}  // namespace linnet::testing
