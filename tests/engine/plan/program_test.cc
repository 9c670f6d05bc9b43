#include "plan/program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kSide = 100;  // a constant of 40 kB per shape

/// x plus the size of x, in a matrix that is folded for every shape, times constant weights that all shapes share.
std::shared_ptr<Program> program(int64_t cache_bytes) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), kSide}));
  const ValueId size = b.op("Cast", {b.op("Size", {x})}, {{"to", int64_t{1}}});
  const ValueId ones = b.op("ConstantOfShape", {b.constant(Tensor::of<int64_t>({kSide, kSide}))},
                            {{"value", Tensor::of(std::vector<float>{1})}});
  const ValueId matrix = b.op("Mul", {ones, size});
  const ValueId weights = b.constant(random_tensor({kSide, kSide}));
  b.output(b.op("MatMul", {b.op("MatMul", {x, weights}), matrix}));
  ModelOptions options;
  options.plan_cache_bytes = cache_bytes;
  options.executor = make_serial_executor();
  const auto resources = std::make_shared<ModelResources>();
  resources->options = options;
  return std::make_shared<Program>(model_graph(b.model(options)), resources);
}

std::vector<Tensor> input(int64_t n) { return {random_tensor({n, kSide})}; }

TEST(PlanCache, GivesTheSamePlanForTheSameShapes) {
  const auto p = program(int64_t{1} << 30);
  const auto plan = p->plan_for(input(2));
  EXPECT_NE(p->plan_for(input(3)), plan);
  EXPECT_EQ(p->plan_for(input(2)), plan);
}

TEST(PlanCache, CountsConstantsAndPackedWeightsOfItsPlans) {
  const auto p = program(int64_t{1} << 30);
  p->plan_for(input(2));
  const size_t one = p->bytes();
  EXPECT_GE(one, size_t{kSide * kSide * 4});
  p->plan_for(input(3));
  const size_t grown = p->bytes() - one;
  EXPECT_GE(grown, size_t{kSide * kSide * 4});  // its own matrix
  EXPECT_LT(grown, one);                        // not the shared weights
}

TEST(PlanCache, GivesUpThePlansUsedLongestAgoBeyondItsLimit) {
  const auto p = program(int64_t{500} << 10);
  std::vector<std::weak_ptr<const Plan>> plans;
  for (int64_t n = 1; n <= 40; ++n) {
    plans.push_back(p->plan_for(input(n)));
    p->plan_for(input(1));
    EXPECT_LT(p->bytes(), size_t{700} << 10) << n;
  }
  EXPECT_FALSE(plans.front().expired());  // used in every iteration
  EXPECT_FALSE(plans.back().expired());
  EXPECT_TRUE(plans[1].expired());
}

TEST(PlanCache, KeepsNoEndlessNumberOfSmallPlans) {
  GraphBuilder b;
  b.output(b.op("Relu", {b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}))}));
  const auto resources = std::make_shared<ModelResources>();
  resources->options.executor = make_serial_executor();
  resources->options.plan_cache_bytes = int64_t{1} << 30;
  Program p(model_graph(b.model()), resources);
  std::vector<std::weak_ptr<const Plan>> plans;
  for (int64_t n = 1; n <= 1000; ++n) plans.push_back(p.plan_for(std::vector<Tensor>{random_tensor({n})}));
  EXPECT_LE(std::ranges::count_if(plans, [](const auto& plan) { return !plan.expired(); }), 512);
  EXPECT_TRUE(std::none_of(plans.end() - 300, plans.end(), [](const auto& plan) { return plan.expired(); }));
}

TEST(PlanCache, KeepsTheLastPlanWhateverItsSize) {
  const auto p = program(0);
  const std::weak_ptr<const Plan> first = p->plan_for(input(2));
  EXPECT_FALSE(first.expired());
  p->plan_for(input(3));
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace linnet::testing
