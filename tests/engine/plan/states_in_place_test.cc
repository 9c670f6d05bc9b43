#include <gtest/gtest.h>

#include "plan/program.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"

namespace linnet::testing {
namespace {

/// A cache with rows written into it, and the sum of all rows. If `reads_past_later`, also the original cache, doubled.
std::shared_ptr<const Plan> plan_of(bool reads_past_later) {
  GraphBuilder b(24);
  const ValueId cache = b.input("cache", Shape{1, 2, 16, 4}), rows = b.input("rows", Shape{1, 2, 1, 4});
  const ValueId written = b.op("TensorScatter", {cache, rows});
  b.output(written);
  const ValueId sum = b.op("ReduceSum", {written});
  b.output(reads_past_later ? b.op("Mul", {cache, sum}) : sum);
  const auto resources = std::make_shared<ModelResources>();
  resources->executor = resources->options.executor = make_serial_executor();
  Program program(model_graph(b.model(resources->options)), resources, {{0, 0}});
  return program.plan_for(std::vector{Tensor(DType::kFloat32, {1, 2, 16, 4}), Tensor(DType::kFloat32, {1, 2, 1, 4})});
}

const Slot& written_slot(const Plan& plan) { return plan.slots[size_t(plan.outputs[0].slot)]; }

TEST(StatesInPlace, AreComputedInTheMemoryOfTheirInput) {
  const auto plan = plan_of(false);
  EXPECT_EQ(written_slot(*plan).kind, Slot::Kind::kInput);
  EXPECT_EQ(written_slot(*plan).index, 0);
  EXPECT_LT(plan->owned_bytes, 64u);
}

TEST(StatesInPlace, AreComputedApartWhereTheInputIsReadLater) {
  EXPECT_EQ(written_slot(*plan_of(true)).kind, Slot::Kind::kOwned);
}

}  // namespace
}  // namespace linnet::testing
