#include "compile/shared_constants.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "environment/run_environment.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kConstantFloats = 2048;

/// A node with one constant input. It counts how often it is computed.
struct Computing {
  explicit Computing(const std::string& op_type = "Neg", const Attributes& attributes = {})
      : y(b.op(op_type, {b.constant(random_tensor({kConstantFloats}))}, attributes)),
        node(b.graph().node(b.graph().value(y).producer)) {}
  Tensor computed(SharedConstants& constants, const Tensor& x) {
    const Fact in(x), out(DType::kFloat32, x.shape());
    return constants.computed(node, {&in, 1}, {&out, 1}, [&] {
      ++times;
      return std::vector<Tensor>{random_tensor(x.shape(), unsigned(times))};
    })[0];
  }

  GraphBuilder b;
  ValueId y;
  Node node;
  std::atomic<int> times = 0;
};

TEST(SharedConstants, AreComputedOnceWhileSomebodyHasThem) {
  SharedConstants constants;
  Computing neg;
  const Tensor x = random_tensor({kConstantFloats});
  Tensor first = neg.computed(constants, x);
  const void* const address = first.address();
  EXPECT_EQ(neg.computed(constants, x).address(), address);
  EXPECT_EQ(neg.times, 1);
  first = {};
  neg.computed(constants, x);
  EXPECT_EQ(neg.times, 2);
}

TEST(SharedConstants, OfOtherInputsShapesOrNodesAreOthers) {
  SharedConstants constants;
  Computing neg, abs("Abs"), leaky("LeakyRelu", {{"alpha", 0.5f}}), leakier("LeakyRelu", {{"alpha", 0.25f}});
  const Tensor x = random_tensor({kConstantFloats}), same = x.clone(), wide = x.reshaped({2, kConstantFloats / 2});
  std::set<const void*> addresses;
  std::vector<Tensor> held;
  for (Computing* each : {&neg, &abs, &leaky, &leakier}) {
    for (const Tensor& input : {x, same, wide}) held.push_back(each->computed(constants, input));
  }
  for (const Tensor& tensor : held) addresses.insert(tensor.address());
  EXPECT_EQ(addresses.size(), held.size());
}

/// Another constant may occupy the memory of one that was freed.
TEST(SharedConstants, AreNotTakenForThoseOfAnInputThatIsGone) {
  SharedConstants constants;
  Computing neg;
  alignas(64) static float memory[kConstantFloats];
  auto owner = std::make_shared<int>(0);
  const Tensor first = neg.computed(constants, Tensor::share(DType::kFloat32, {kConstantFloats}, memory, owner));
  owner = std::make_shared<int>(0);
  const Tensor other = neg.computed(constants, Tensor::share(DType::kFloat32, {kConstantFloats}, memory, owner));
  EXPECT_NE(first.address(), other.address());
  EXPECT_EQ(neg.times, 2);
}

TEST(SharedConstants, AreSharedByContentsWhereRewritesMakeThem) {
  SharedConstants constants;
  const Tensor x = random_tensor({kConstantFloats}, 1), same = x.clone(), other = random_tensor({kConstantFloats}, 2);
  EXPECT_EQ(constants.share(x).address(), x.address());
  EXPECT_EQ(constants.share(same).address(), x.address());
  EXPECT_EQ(constants.share(other).address(), other.address());
}

/// The memory of a forgotten constant may be reused for something else while a tensor keeps it alive.
TEST(SharedConstants, AreGivenToNobodyOnceForgotten) {
  SharedConstants constants;
  Computing neg;
  const Tensor x = random_tensor({kConstantFloats}), y = neg.computed(constants, x), shared = constants.share(x);
  constants.forget(y);
  constants.forget(x);
  EXPECT_NE(neg.computed(constants, x).address(), y.address());
  const Tensor same = x.clone();
  EXPECT_EQ(constants.share(same).address(), same.address());
}

TEST(SharedConstants, OfSeveralThreadsOneComputes) {
  SharedConstants constants;
  Computing neg;
  const Tensor x = random_tensor({kConstantFloats});
  std::vector<Tensor> got(8);
  std::vector<std::thread> threads;
  for (Tensor& tensor : got) threads.emplace_back([&] { tensor = neg.computed(constants, x); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(neg.times, 1);
  for (const Tensor& tensor : got) EXPECT_EQ(tensor.address(), got[0].address());
}

TEST(SharedConstants, WhoComputesOneWaitsForNobodyWhoComputesAnother) {
  SharedConstants constants;
  Computing neg, abs("Abs");
  const Fact in(random_tensor({kConstantFloats})), out(DType::kFloat32, Shape{kConstantFloats});
  std::promise<void> entered, other;
  auto done = other.get_future();
  const auto slow = std::async(std::launch::async, [&] {
    constants.computed(neg.node, {&in, 1}, {&out, 1}, [&] {
      entered.set_value();
      EXPECT_EQ(done.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      return std::vector<Tensor>{random_tensor({kConstantFloats})};
    });
  });
  entered.get_future().wait();
  abs.computed(constants, in.constant);
  ContextOptions options;
  options.limits.deadline_ms = 1;
  RunEnvironment run(options, make_serial_executor());
  run.begin_run({});
  const RunEnvironment::Scope scope(run);
  expect_error(ErrorKind::kLimit, "", [&] { neg.computed(constants, in.constant); });
  EXPECT_EQ(neg.times, 0);
  other.set_value();
}

TEST(SharedConstants, AFailureIsNotKept) {
  SharedConstants constants;
  Computing neg;
  const Fact in(random_tensor({kConstantFloats})), out(DType::kFloat32, Shape{kConstantFloats});
  const auto fail = [&] {
    constants.computed(neg.node, {&in, 1}, {&out, 1},
                       []() -> std::vector<Tensor> { throw Error(ErrorKind::kLimit, "too much"); });
  };
  expect_error(ErrorKind::kLimit, "too much", fail);
  neg.computed(constants, in.constant);
  EXPECT_EQ(neg.times, 1);
}

}  // namespace
}  // namespace linnet::testing
