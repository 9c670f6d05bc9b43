#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing::fused_gemm {
namespace {

const Tensor kA = random_tensor({4, 3}, 1), kB = random_tensor({5, 4}, 2), kC = random_tensor({5}, 3);
const Attributes kGemm{{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 0.5f}, {"beta", 2.f}};

TEST(FusedGemm, IsAFunctionOfGemm) {
  const Tensor sums = run_op({"Gemm", 13, kGemm}, {kA, kB, kC})[0];
  const std::pair<OpCase, Attributes> functions[] = {
      {{"Relu", 14}, {}},
      {{"Elu", 6, {{"alpha", 0.5f}}}, {{"activation_alpha", 0.5f}}},
      {{"HardSigmoid", 6, {{"alpha", 0.3f}, {"beta", 0.4f}}}, {{"activation_alpha", 0.3f}, {"activation_beta", 0.4f}}},
      {{"Selu", 6, {{"alpha", 2.f}, {"gamma", 1.5f}}}, {{"activation_alpha", 2.f}, {"activation_gamma", 1.5f}}},
  };
  for (const auto& [op, parameters] : functions) {
    Attributes attributes = kGemm;
    attributes["activation"] = op.op_type;
    for (const auto& [name, value] : parameters) attributes[name] = value;
    expect_close(run_expanded("FusedGemm", attributes, {kA, kB, kC})[0], run_op(op, {sums})[0], 1e-5, 1e-5);
  }
  expect_close(run_expanded("FusedGemm", kGemm, {kA, kB, kC})[0], sums, 1e-6, 1e-6);
}

TEST(FusedGemm, IsOneProduct) {
  GraphBuilder b;
  b.output(b.op("FusedGemm", {b.input("x", Shape{3, 4}), b.constant(random_tensor({4, 5})), b.constant(kC)},
                {{"activation", std::string("Relu")}}, "com.microsoft"));
  EXPECT_EQ(optimized_ops(b), "+Gemm");
}

TEST(FusedGemm, RefusesUnknownFunctions) {
  const OpCase op{"FusedGemm", 1, {{"activation", std::string("Concat")}}, "com.microsoft"};
  expect_error(ErrorKind::kModel, "activation must be an operator of one input, got 'Concat'", [&] {
    run_op(op, {kA, kA});
  });
}

}  // namespace
}  // namespace linnet::testing::fused_gemm
