#include "gemm/nbits_packing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/stored_tensor.h"

namespace linnet::testing {
namespace {

constexpr int64_t kDepth = 256, kColumns = 512, kBlock = 16;

/// The contents of a tensor, as if they lay in a file.
class Counted final : public StoredBytes {
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

TEST(NBitsPacking, ReadsScalesOnceForAllShapes) {
  const auto scales = std::make_shared<Counted>(random_tensor({kColumns * kDepth / kBlock}));
  GraphBuilder b;
  const ValueId codes = b.constant(Tensor(DType::kUint8, {kColumns, kDepth / kBlock, kBlock / 2}));
  const ValueId stored = b.constant(StoredContents::tensor(DType::kFloat32, {kColumns * kDepth / kBlock}, scales));
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), kDepth}));
  b.output(b.op("MatMulNBits", {x, codes, stored}, {{"K", kDepth}, {"N", kColumns}, {"block_size", kBlock}},
                "com.microsoft"));
  const Model model = b.model();
  Context context(model);
  context.run(std::vector<Tensor>{random_tensor({1, kDepth})});
  const int once = scales->reads;
  EXPECT_GE(once, 1);
  for (const int64_t rows : {2, 9, 10, 40}) context.run(std::vector<Tensor>{random_tensor({rows, kDepth})});
  EXPECT_EQ(scales->reads, once);
}

}  // namespace
}  // namespace linnet::testing
