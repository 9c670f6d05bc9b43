#include "gemm/nbits_packing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <limits>

#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/stored_contents.h"

namespace linnet::testing {
namespace {

constexpr int64_t kDepth = 256, kColumns = 512, kBlock = 16, kScales = kColumns * kDepth / kBlock;

/// The contents of a tensor, as if they were in a file.
class Counted final : public ContentsSource {
 public:
  explicit Counted(Tensor x) : x_(std::move(x)) {}

  void read(std::span<std::byte> to, size_t from) const override {
    ++reads;
    std::memcpy(to.data(), static_cast<const std::byte*>(x_.raw()) + from, to.size());
  }

  mutable std::atomic<int> reads{0};

 private:
  Tensor x_;
};

GraphBuilder nbits_product_graph(const Tensor& scales) {
  GraphBuilder b;
  const ValueId codes = b.constant(Tensor(DType::kUint8, {kColumns, kDepth / kBlock, kBlock / 2}));
  const ValueId x = b.input("x", Fact(scales.dtype(), Dims{Dim("N"), kDepth}));
  b.output(b.op("MatMulNBits", {x, codes, b.constant(scales)}, {{"K", kDepth}, {"N", kColumns}, {"block_size", kBlock}},
                "com.microsoft"));
  return b;
}

TEST(NBitsPacking, ReadsScalesOnceForAllShapes) {
  const auto scales = std::make_shared<Counted>(random_tensor({kScales}));
  const Model model = nbits_product_graph(StoredContents::tensor(DType::kFloat32, {kScales}, scales)).model();
  Context context(model);
  context.run(std::vector<Tensor>{random_tensor({1, kDepth})});
  const int once = scales->reads;
  EXPECT_GE(once, 1);
  for (const int64_t rows : {2, 9, 10, 40}) context.run(std::vector<Tensor>{random_tensor({rows, kDepth})});
  EXPECT_EQ(scales->reads, once);
}

void expect_refused_at_load(const GraphBuilder& b) {
  for (const int optimization : {0, 1, 2}) {
    expect_error(ErrorKind::kModel, "input scales must be finite, got inf at element 9",
                 [&] { b.model({.optimization = optimization}); });
    expect_error(ErrorKind::kModel, "MatMulNBits", [&] { b.model({.optimization = optimization}); });
  }
}

TEST(NBitsPacking, RefusesScalesWhereTheModelIsLoaded) {
  Tensor scales = random_tensor({kScales});
  scales.data<float>()[9] = std::numeric_limits<float>::infinity();
  expect_refused_at_load(nbits_product_graph(scales));
  expect_refused_at_load(nbits_product_graph(cast_to(scales, DType::kFloat16)));
  GraphBuilder outer;
  const auto body = nbits_product_graph(scales).shared();
  outer.output(outer.ops(
      "If",
      {outer.input("c", Fact(DType::kBool, Dims{})), outer.input("x", Fact(DType::kFloat32, Dims{Dim("N"), kDepth}))},
      1, {{"then_branch", body}, {"else_branch", body}}, {}, 1)[0]);
  expect_refused_at_load(outer);
}

}  // namespace
}  // namespace linnet::testing
