#include <gtest/gtest.h>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Returns a model for the running sums of each sequence: states [2, 2], values [2, 3, 2].
Model running_sums(bool lengths, int64_t reverse, const Shape& state = {2, 2}) {
  GraphBuilder body(8);
  const ValueId sum = body.input("sum", Shape{2}), element = body.input("element", Shape{2});
  const ValueId next = body.op("Add", {sum, element});
  body.output(next);
  body.output(body.op("Identity", {next}));
  GraphBuilder b(8);
  const ValueId n = lengths ? b.input("lengths", Fact(DType::kInt64, Shape{2})) : kNoValue;
  const ValueId start = b.input("start", state), x = b.input("x", Shape{2, 3, 2});
  const auto outputs =
      b.ops("Scan", {n, start, x}, 2,
            {{"body", body.shared()}, {"num_scan_inputs", int64_t{1}}, {"directions", std::vector<int64_t>{reverse}}});
  b.output(outputs[0]);
  b.output(outputs[1]);
  return b.model();
}

const Tensor kStart = Tensor::of<float>({2, 2}, {0, 0, 100, 200});
const Tensor kValues = Tensor::of<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

TEST(BatchedScan, ScansEachSequenceOfItsLength) {
  const auto y = run_model(running_sums(true, 0), {Tensor::of<int64_t>({3, 1}), kStart, kValues});
  expect_close(y[0], Tensor::of<float>({2, 2}, {9, 12, 107, 208}));
  expect_close(y[1], Tensor::of<float>({2, 3, 2}, {1, 2, 4, 6, 9, 12, 107, 208, 0, 0, 0, 0}));
}

TEST(BatchedScan, MayRunBackwardsAndTwice) {
  const Model model = running_sums(false, 1);
  Context context(model);
  for (int run = 0; run < 2; ++run) {
    const std::vector<Tensor> inputs{kStart, kValues};
    const auto y = context.run(inputs);
    expect_close(y[0], Tensor::of<float>({2, 2}, {9, 12, 127, 230}));
    expect_close(y[1], Tensor::of<float>({2, 3, 2}, {5, 6, 8, 10, 9, 12, 111, 212, 120, 222, 127, 230}));
  }
}

TEST(BatchedScan, BeginsAtTheEndOfAShortSequence) {
  const auto y = run_model(running_sums(true, 1), {Tensor::of<int64_t>({0, 2}), kStart, kValues});
  expect_close(y[0], Tensor::of<float>({2, 2}, {0, 0, 116, 218}));
  expect_close(y[1], Tensor::of<float>({2, 3, 2}, {0, 0, 0, 0, 0, 0, 109, 210, 116, 218, 0, 0}));
}

TEST(BatchedScan, ChecksLengthsAndBatches) {
  const Model model = running_sums(true, 0);
  expect_error(ErrorKind::kShape, "sequence_lens", [&] {
    run_model(model, {Tensor::of<int64_t>({4, 1}), kStart, kValues});
  });
  expect_error(ErrorKind::kShape, "batches", [] { running_sums(false, 0, {3, 2}); });
}

}  // namespace
}  // namespace linnet::testing
