#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

// Col2Im is the adjoint of extracting blocks: each pixel becomes the sum of the elements at its position.
TEST(Col2Im, AddsEveryElementToItsPixel) {
  const int64_t rows = 5, columns = 6, taps = 6;
  const Ints strides{2, 1}, dilations{1, 2}, pads{1, 0, 0, 1};
  const int64_t down = (rows + 1 - 2) / 2 + 1, across = (columns + 1 - 5) / 1 + 1;
  const Tensor x = random_tensor({2, 3 * taps, down * across});
  Tensor want = Tensor::of({2, 3, rows, columns}, std::vector<float>(size_t(6 * rows * columns)));
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t block = i % (down * across), tap = i / (down * across) % taps, plane = i / (down * across) / taps;
    const int64_t row = block / across * 2 + tap / 3 - 1, column = block % across + tap % 3 * 2;
    if (row < 0 || row >= rows || column >= columns) continue;
    want.data<float>()[(plane * rows + row) * columns + column] += x.data<float>()[i];
  }
  const OpCase op{"Col2Im", 18, {{"strides", strides}, {"dilations", dilations}, {"pads", pads}}};
  expect_close(run_op(op, {x, Tensor::of<int64_t>({rows, columns}), Tensor::of<int64_t>({2, 3})})[0], want, 1e-5);
}

struct Geometry {
  Ints image, block, strides, dilations, pads;
};

/// Adds the elements one by one, for any number of axes.
Tensor added(const Tensor& x, const Geometry& g, int64_t channels) {
  const size_t axes = g.image.size();
  Shape shape{x.dim(0), channels};
  Ints counts;
  for (size_t a = 0; a < axes; ++a) {
    shape.push_back(g.image[a]);
    const int64_t extent = (g.block[a] - 1) * g.dilations[a] + 1;
    counts.push_back((g.image[a] + g.pads[a] + g.pads[axes + a] - extent) / g.strides[a] + 1);
  }
  Tensor y = Tensor::of(shape, std::vector<float>(size_t(shape.elements())));
  const int64_t blocks = x.dim(2), taps = x.dim(1) / channels;
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t block = i % blocks, tap = i / blocks % taps, pixel = 0, pitch = 1;
    bool inside = true;
    for (size_t a = axes; a-- > 0; block /= counts[a], tap /= g.block[a]) {
      const int64_t at = block % counts[a] * g.strides[a] + tap % g.block[a] * g.dilations[a] - g.pads[a];
      inside = inside && at >= 0 && at < g.image[a];
      pixel += at * pitch;
      pitch *= g.image[a];
    }
    if (inside) y.data<float>()[i / blocks / taps * pitch + pixel] += x.data<float>()[i];
  }
  return y;
}

TEST(Col2Im, TakesStridesDilationsAndPadsOfEveryAxis) {
  const Geometry geometries[] = {{{9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
                                 {{9, 11}, {3, 2}, {2, 3}, {2, 1}, {3, 4, 2, 1}},
                                 {{17}, {4}, {3}, {2}, {7, 5}},
                                 {{5, 6, 7}, {2, 3, 2}, {1, 2, 1}, {2, 1, 3}, {1, 2, 3, 0, 1, 2}}};
  const int64_t counts[] = {99, 5 * 5, 8, 4 * 4 * 9}, taps[] = {9, 6, 4, 12};
  for (size_t i = 0; i < std::size(geometries); ++i) {
    const Geometry& g = geometries[i];
    const Tensor x = random_tensor({2, 3 * taps[i], counts[i]});
    const OpCase op{"Col2Im", 18, {{"strides", g.strides}, {"dilations", g.dilations}, {"pads", g.pads}}};
    const Tensor y = run_op(op, {x, Tensor::of(g.image), Tensor::of(g.block)})[0];
    expect_close(y, added(x, g, 3), 1e-5);
  }
}

TEST(Col2Im, TakesIntegersBoolAndOneAxis) {
  const Tensor image = Tensor::of<int64_t>({3}), block = Tensor::of<int64_t>({2});
  const Tensor x = Tensor::of<int8_t>({1, 2, 2}, {100, 2, 100, 4});
  expect_close(run_op({"Col2Im", 18}, {x, image, block})[0], Tensor::of<int8_t>({1, 1, 3}, {100, 102, 4}));
  const Tensor flags = Tensor::of<bool>({1, 2, 2}, {false, true, true, false});
  expect_close(run_op({"Col2Im", 18}, {flags, image, block})[0], Tensor::of<bool>({1, 1, 3}, {false, true, false}));
}

TEST(Col2Im, ChecksBlocks) {
  const Tensor x = random_tensor({1, 4, 4}), image = Tensor::of<int64_t>({3, 3}), block = Tensor::of<int64_t>({2, 2});
  const OpCase op{"Col2Im", 18};
  expect_error(ErrorKind::kShape, "number of blocks", [&] { run_op(op, {x, Tensor::of<int64_t>({4, 3}), block}); });
  expect_error(ErrorKind::kShape, "multiple", [&] { run_op(op, {random_tensor({1, 5, 4}), image, block}); });
  expect_error(ErrorKind::kShape, "fit", [&] { run_op(op, {x, image, Tensor::of<int64_t>({4, 1})}); });
  expect_error(ErrorKind::kShape, "strides", [&] {
    run_op({"Col2Im", 18, {{"strides", Ints{1}}}}, {x, image, block});
  });
}

}  // namespace
}  // namespace linnet::testing
