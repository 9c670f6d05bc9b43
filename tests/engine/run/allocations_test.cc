#include <gtest/gtest.h>

#include "support/counted_new.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

// A small network of common layers.
Model network() {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 3, 16, 16});
  const Attributes same{{"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  ValueId y = b.op("Relu", {b.op("Conv", {x, b.constant(random_tensor({8, 3, 3, 3}))}, same)});
  const ValueId z = b.op("Conv", {y, b.constant(random_tensor({8, 8, 3, 3}))}, same);
  y = b.op("Relu", {b.op("Add", {z, y})});
  y = b.op("MaxPool", {y}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  y = b.op("Flatten", {b.op("GlobalAveragePool", {y})});
  y = b.op("Gemm", {y, b.constant(random_tensor({8, 10}))});
  b.output(b.op("Softmax", {y}));
  return b.model();
}

TEST(Context, AllocatesNothingAfterTheFirstRun) {
  const std::vector<Tensor> inputs{random_tensor({1, 3, 16, 16})};
  for (const int threads : {1, 2}) {
    Context context(network(), {.executor = make_openmp_executor(threads), .observer = nullptr, .limits = {}});
    context.run(inputs);
    const int64_t before = allocation_count();
    for (int i = 0; i < 5; ++i) context.run(inputs);
    EXPECT_EQ(allocation_count() - before, 0);
  }
}

TEST(Context, AllocationsAreCounted) {
  const int64_t before = allocation_count();
  const Tensor tensor(DType::kFloat32, {4});
  EXPECT_GT(allocation_count() - before, 0);
}

}  // namespace
}  // namespace linnet::testing
