#include <gtest/gtest.h>

#include "run/context_states.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class StateSamples : public ::testing::Test {
 protected:
  StateSamples() {
    b_.output(b_.op("Relu", {b_.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 2}))}));
    outputs_[0].name = b_.graph().outputs()[0].name;
    states_.bind(b_.graph(), outputs_[0].name, "x", Tensor::of<float>(Shape{3, 2}, {0, 1, 2, 3, 4, 5}), 0);
  }

  void take(int axis, const std::vector<int64_t>& samples) { states_.take_samples(axis, samples, environment_); }

  GraphBuilder b_;
  const Fact fact_{DType::kFloat32, Dims{Dim("N"), 2}};
  std::vector<ValueInfo> inputs_{{"x", fact_}}, outputs_{{"", fact_}};
  ContextStates states_{inputs_, outputs_};
  ContextOptions options_;
  RunEnvironment environment_{options_, make_serial_executor()};
};

TEST_F(StateSamples, AreThoseThatAreNamed) {
  take(0, {2, 0, 0});
  EXPECT_TRUE(identical(states_.value("x"), Tensor::of<float>(Shape{3, 2}, {4, 5, 0, 1, 0, 1})));
  take(0, {0, 1, 2});
  EXPECT_TRUE(identical(states_.value("x"), Tensor::of<float>(Shape{3, 2}, {4, 5, 0, 1, 0, 1})));
}

TEST_F(StateSamples, MustBeThere) {
  for (const std::vector<int64_t>& samples : {std::vector<int64_t>{0, 1}, {0, 1, 2, 3}, {0, 1, 3}, {1, 0, -1}}) {
    expect_error(ErrorKind::kShape, "state 'x' must have the", [&] { take(0, samples); });
  }
  expect_error(ErrorKind::kShape, "in dim 2", [&] { take(2, {0, 1, 2}); });
}

}  // namespace
}  // namespace linnet::testing
