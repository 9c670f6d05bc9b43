#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::GraphBuilder;

/// Adds 1 to x for as long as `go` holds: forever.
Model endless_model() {
  GraphBuilder body;
  body.input("i", Fact(DType::kInt64, Shape{}));
  const ValueId go = body.input("go", Fact(DType::kBool, Shape{}));
  const ValueId x = body.input("x", Shape{4});
  body.output(body.op("Identity", {go}));
  body.output(body.op("Add", {x, body.constant(Tensor::of<float>({1, 1, 1, 1}))}));
  GraphBuilder b;
  const ValueId condition = b.input("go", Fact(DType::kBool, Shape{}));
  b.output(b.ops("Loop", {kNoValue, condition, b.input("x", Shape{4})}, 1, {{"body", body.shared()}})[0]);
  return b.model();
}

std::vector<Tensor> inputs(bool go) { return {Tensor::scalar(go), Tensor::of<float>({1, 2, 3, 4})}; }

void expect_cancelled(Context& context, const std::shared_ptr<const CancellationToken>& token) {
  expect_error(ErrorKind::kCancelled, "the run was cancelled",
               [&] { context.run(inputs(true), {.cancellation = token}); });
}

TEST(Cancellation, EndsARunThatHasBegun) {
  Context context(endless_model());
  const auto token = std::make_shared<CancellationToken>();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    token->cancel();
  });
  expect_cancelled(context, token);
  other.join();
}

TEST(Cancellation, IsNotLostWhereItComesBeforeTheRun) {
  Context context(endless_model());
  const auto token = std::make_shared<CancellationToken>();
  token->cancel();
  for (int i = 0; i < 2; ++i) expect_cancelled(context, token);
}

TEST(Cancellation, EndsTheRunsOfItsTokenOnly) {
  const Model model = endless_model();
  Context context(model), other(model);
  const auto token = std::make_shared<CancellationToken>();
  token->cancel();
  expect_cancelled(context, token);
  const Tensor x = inputs(false)[1];
  expect_close(context.run(inputs(false))[0], x);
  expect_close(other.run(inputs(false), {.cancellation = std::make_shared<CancellationToken>()})[0], x);
}

}  // namespace
}  // namespace linnet
