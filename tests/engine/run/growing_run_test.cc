#include "run/growing_run.h"

#include <gtest/gtest.h>

#include <cstring>

#include "plan/growing_program.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Attention over growing keys and values. Inputs: x, k, v. Outputs: y, and both with the new rows.
Graph decoder() {
  GraphBuilder b(24);
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, 1, Dim("S"), 4}));
  std::vector<ValueId> rows;
  for (const char* name : {"k", "v"}) {
    const ValueId past = b.input(name, Fact(DType::kFloat32, Dims{1, 1, Dim("P"), 4}));
    rows.push_back(b.op("Concat", {past, x}, {{"axis", int64_t{2}}}));
  }
  b.output(b.op("Attention", {x, rows[0], rows[1]}));
  b.output(rows[0]);
  b.output(rows[1]);
  return model_graph(b.model());
}

std::vector<Tensor> inputs_of(int64_t past, int64_t steps) {
  const Tensor rows(DType::kFloat32, {1, 1, past, 4});
  return {random_tensor({1, 1, steps, 4}, 1), rows, rows};
}

class GrowingRunOf : public ::testing::Test {
 protected:
  GrowingRunOf() { resources_->executor = resources_->options.executor = make_serial_executor(); }

  std::shared_ptr<GrowingProgram> program(int64_t past, int64_t steps) {
    return program_.growing(states_, inputs_of(past, steps), nullptr);
  }

  std::shared_ptr<ModelResources> resources_ = std::make_shared<ModelResources>();
  Program program_{decoder(), resources_};
  std::vector<GrowingState> states_{{program_.graph().inputs()[1], 1, 2}, {program_.graph().inputs()[2], 2, 2}};
};

TEST_F(GrowingRunOf, WritesNewRowsBehindThoseInUse) {
  const auto three = program(9, 3);
  ASSERT_TRUE(three && three->takes(inputs_of(20, 3)));
  EXPECT_EQ(three->added(), std::vector<int64_t>{3});
  ContextOptions options;
  RunEnvironment environment(options, resources_->executor);
  const Tensor k(DType::kFloat32, {1, 1, 64, 4}), v(DType::kFloat32, {1, 1, 64, 4});
  GrowingRun run(three);
  ASSERT_TRUE(run.prepare({64}));
  const auto inputs = inputs_of(20, 3);
  const auto outputs = run.run(inputs, {{Tensor(), k, v}, {20}, {64}}, environment, {});
  EXPECT_EQ(outputs[0].shape(), Shape({1, 1, 3, 4}));
  EXPECT_EQ(outputs[1].raw(), k.raw());
  EXPECT_EQ(std::memcmp(k.data<float>() + 20 * 4, inputs[0].raw(), inputs[0].bytes()), 0);
}

TEST_F(GrowingRunOf, IsFoundByItsStates) {
  const auto both = program(6, 1);
  ASSERT_TRUE(both);
  EXPECT_EQ(program(6, 1), both);
  states_.pop_back();
  const auto one = program(6, 1);
  EXPECT_NE(one, both);
  EXPECT_FALSE(both->is_for(states_, inputs_of(6, 1)));
}

TEST_F(GrowingRunOf, EachNumberOfNewRowsHasItsOwn) {
  const auto two = program(5, 2);
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->takes(inputs_of(5, 2)));
  EXPECT_FALSE(two->takes(inputs_of(5, 4)));
  EXPECT_EQ(program(7, 4)->added(), std::vector<int64_t>{4});
  EXPECT_EQ(program(100, 2), two);
}

TEST_F(GrowingRunOf, NeedsNoRunBefore) {
  for (const int64_t past : {0, 1, 2}) EXPECT_TRUE(program(past, 1)->takes(inputs_of(past, 1))) << past;
}

TEST_F(GrowingRunOf, HasOneProgramForEachCapacity) {
  const auto one = program(6, 1);
  EXPECT_EQ(one->steps({64}), one->steps({64}));
  EXPECT_NE(one->steps({64}), one->steps({128}));
}

}  // namespace
}  // namespace linnet::testing
