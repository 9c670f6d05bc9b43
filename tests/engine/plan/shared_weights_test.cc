#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "plan/program.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/stored_contents.h"

namespace linnet::testing {
namespace {

constexpr int64_t kColumns = 8192;

class CountedKernel final : public Kernel {
 public:
  explicit CountedKernel(std::atomic<int>& runs) : runs_(runs) {}
  void run(KernelContext& context) const override {
    ++runs_;
    copy_elements(context.input(0), context.output(0));
  }

 private:
  std::atomic<int>& runs_;
};

/// y = x. Counts how often it is computed.
class Counted final : public Op {
 public:
  explicit Counted(std::atomic<int>& runs) : runs_(runs) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CountedKernel>(runs_); }

 private:
  std::atomic<int>& runs_;
};

/// Replaces a file: every number is 3.
class Threes final : public ContentsSource {
 public:
  void read(std::span<std::byte> to, size_t) const override {
    ++reads;
    std::fill_n(reinterpret_cast<float*>(to.data()), to.size() / sizeof(float), 3.f);
  }

  mutable std::atomic<int> reads = 0;
};

class SharedWeights : public ::testing::Test {
 protected:
  GraphBuilder builder() {
    Registry registry = standard_registry();
    registry.add("Counted", {}, [this](const NodeSpec&) { return std::make_unique<Counted>(runs_); });
    return GraphBuilder(17, std::move(registry));
  }

  void program_of(const GraphBuilder& b, int64_t plan_cache_bytes = int64_t{1} << 30) {
    resources_ = std::make_shared<ModelResources>();
    resources_->options.executor = make_serial_executor();
    resources_->options.plan_cache_bytes = plan_cache_bytes;
    program_ = std::make_shared<Program>(model_graph(b.model(resources_->options)), resources_);
  }

  /// (x + y) * the first rows of a weight: three more than y has, but at most four. Sizes of 1 form other classes
  /// because they are broadcast.
  GraphBuilder product(const Tensor& weight) {
    GraphBuilder b = builder();
    const auto ints = [&](int64_t value) { return b.constant(Tensor::of<int64_t>({value})); };
    const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
    const ValueId y = b.input("y", Fact(DType::kFloat32, Dims{Dim("M"), 4}));
    const ValueId more = b.op("Add", {b.op("Shape", {y}, {{"end", int64_t{1}}}), ints(3)});
    const ValueId rows = b.op("Slice", {b.constant(weight), ints(0), b.op("Min", {more, ints(4)})});
    b.output(b.op("Tanh", {b.op("MatMul", {b.op("Add", {x, y}), b.op("Counted", {rows})})}));
    return b;
  }

  void plan(int64_t n, int64_t m) {
    plans_.push_back(program_->plan_for(std::vector<Tensor>{random_tensor({n, 4}), random_tensor({m, 4})}));
    for (const PlannedNode& planned : plans_.back()->nodes) {
      for (const auto& [address, bytes] : planned.packed) packed_.insert(address);
    }
  }
  void plan_all(const std::vector<std::pair<int64_t, int64_t>>& sizes) {
    for (const auto& [n, m] : sizes) plan(n, m);
  }

  std::atomic<int> runs_ = 0;
  std::shared_ptr<ModelResources> resources_;
  std::shared_ptr<Program> program_;
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::set<const void*> packed_;
};

const std::vector<std::pair<int64_t, int64_t>> kSizes{{5, 5}, {6, 6}, {7, 1}, {1, 6}, {8, 1}, {1, 7}, {1, 1}, {9, 9}};

TEST_F(SharedWeights, AreComputedAndPackedOnceForAllClassesAndBindings) {
  program_of(product(random_tensor({8, kColumns})));
  plan_all(kSizes);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(packed_.size(), 1u);
  EXPECT_EQ(resources_->packs.bytes(), int64_t(4 * kColumns * sizeof(float)));
}

TEST_F(SharedWeights, ThatStayInFilesArePackedOnceForAllClassesAndBindings) {
  const auto file = std::make_shared<Threes>();
  program_of(product(StoredContents::tensor(DType::kFloat32, {8, kColumns}, file)));
  plan_all({kSizes.rbegin(), kSizes.rend()});
  EXPECT_EQ(packed_.size(), 1u);
}

/// For inputs without rows, nothing is packed.
TEST_F(SharedWeights, AreFreedWithTheLastPlanThatHasThem) {
  program_of(product(random_tensor({8, kColumns})), 0);
  plan(5, 5);
  EXPECT_GT(resources_->packs.bytes(), 0);
  plans_.clear();
  plan(0, 1);
  EXPECT_EQ(resources_->packs.bytes(), 0);
}

TEST_F(SharedWeights, OfWhichBindingsTakePartsAreReadOnce) {
  GraphBuilder b = builder();
  const auto file = std::make_shared<Threes>();
  const auto ints = [&](int64_t value) { return b.constant(Tensor::of<int64_t>({value})); };
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 256}));
  std::vector<int64_t> all(512);
  for (size_t i = 0; i < all.size(); ++i) all[i] = int64_t(i);
  const ValueId places =
      b.op("Slice", {b.constant(Tensor::of(all)), ints(0), b.op("Shape", {x}, {{"end", int64_t{1}}})});
  const Tensor table = StoredContents::tensor(DType::kFloat32, {512, 256}, file);
  b.output(b.op("Add", {x, b.op("Gather", {b.constant(table), places})}));
  program_of(b);
  for (const int64_t n : {5, 6, 100, 101, 300, 7}) {
    program_->plan_for(std::vector<Tensor>{random_tensor({n, 256})});
  }
  EXPECT_EQ(file->reads, 1);
}

}  // namespace
}  // namespace linnet::testing
