#include <gtest/gtest.h>

#include <map>
#include <memory_resource>

#include "linnet/model.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// exp(-x) and its non-zero positions.
Model model(const ModelOptions& options = {}) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}));
  const ValueId y = b.op("Exp", {b.op("Neg", {x})});
  b.output(y);
  b.output(b.op("NonZero", {b.op("Abs", {y})}));
  b.input("unread", Fact(DType::kFloat32, Shape{1}));
  return b.model(options);
}

const std::vector kInputs{Tensor::of<float>({0, 0, 0}), Tensor::of<float>({0})};

/// Tracks its allocated blocks, and refuses those beyond a limit.
class CountedMemory final : public std::pmr::memory_resource {
 public:
  size_t limit = 1 << 20;
  int64_t allocations = 0;
  std::map<const std::byte*, size_t> blocks;

  bool holds(const Tensor& tensor) const {
    const auto* data = static_cast<const std::byte*>(tensor.raw());
    const auto after = blocks.upper_bound(data);
    if (after == blocks.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return data + tensor.bytes() <= begin + bytes;
  }

 private:
  void* do_allocate(size_t bytes, size_t alignment) override {
    if (bytes > limit) throw std::bad_alloc();
    ++allocations;
    void* data = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    blocks[static_cast<const std::byte*>(data)] = bytes;
    return data;
  }
  void do_deallocate(void* data, size_t bytes, size_t alignment) override {
    EXPECT_EQ(blocks.at(static_cast<const std::byte*>(data)), bytes);
    blocks.erase(static_cast<const std::byte*>(data));
    std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(ContextMemory, IsWhatOutputsLieInAndIsGivenBack) {
  CountedMemory memory;
  Tensor kept;
  {
    Context context(model(), {.memory = &memory});
    for (int run = 0; run < 3; ++run) {
      const auto outputs = context.run(kInputs);
      for (const Tensor& output : outputs) EXPECT_TRUE(memory.holds(output)) << output.shape();
      expect_close(outputs[0], Tensor::of<float>({1, 1, 1}));
      if (run == 1) kept = outputs[0];
    }
  }
  EXPECT_EQ(memory.blocks.size(), 1u);
  expect_close(kept, Tensor::of<float>({1, 1, 1}));
  kept = {};
  EXPECT_TRUE(memory.blocks.empty());
}

/// Products, a data-dependent output and a state of the network's kernels, for any number of rows.
Model of_any_rows() {
  GraphBuilder b;
  ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 64}));
  for (int i = 0; i < 3; ++i) x = b.op("Softmax", {b.op("MatMul", {x, b.constant(random_tensor({64, 64}))})});
  b.output(x);
  b.output(b.op("NonZero", {x}));
  return b.model();
}

std::vector<Tensor> rows(int64_t n) { return {random_tensor({n, 64}, unsigned(n))}; }

TEST(ContextMemory, IsTakenFromRunsOfOtherShapesBefore) {
  CountedMemory memory;
  memory.limit = 1 << 26;
  const Model model = of_any_rows();
  Context context(model, {.memory = &memory});
  for (const int64_t n : {500, 400, 500}) context.run(rows(n));
  const int64_t before = memory.allocations;
  for (const int64_t n : {300, 500, 200, 457, 300}) {
    const auto outputs = context.run(rows(n));
    Context fresh(model);
    const auto want = fresh.run(rows(n));
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(identical(outputs[i], want[i])) << n;
  }
  EXPECT_EQ(memory.allocations, before);
}

TEST(ContextMemory, GrowsSeldomWhereShapesRise) {
  CountedMemory memory;
  memory.limit = 1 << 26;
  Context context(of_any_rows(), {.memory = &memory});
  for (int64_t n = 1; n <= 1000; ++n) context.run(rows(n));
  EXPECT_LE(memory.allocations, 200);
}

/// Later runs do not write to an output that the caller keeps.
TEST(ContextMemory, OfOutputsThatSomebodyHoldsStaysTheirs) {
  Context context(of_any_rows());
  std::vector<std::pair<Tensor, Tensor>> held;  // each with a copy
  for (const int64_t n : {50, 40, 50, 7, 300, 50}) {
    const Tensor y = context.run(rows(n))[0];
    for (const auto& [output, copy] : held) EXPECT_TRUE(identical(output, copy));
    held.emplace_back(y, y.clone());
  }
}

/// The limit applies as in a new context, whatever ran before.
TEST(ContextMemory, OfAnotherShapeCountsForNoLimit) {
  Context context(of_any_rows(), {.limits = {.memory_bytes = 8 << 20}});
  for (const int64_t n : {2000, 4000, 3000, 4000, 10}) EXPECT_EQ(context.run(rows(n)).size(), 2u) << n;
}

TEST(ContextMemory, MayHaveNoMore) {
  CountedMemory memory;
  Context context(model(), {.memory = &memory});
  memory.limit = 0;
  expect_error(ErrorKind::kLimit, "the memory resource has no", [&] { context.run(kInputs); });
  memory.limit = 1 << 20;
  EXPECT_EQ(context.run(kInputs).size(), 2u);
}

TEST(RunDeadline, IsOfOneRun) {
  Context context(model());
  const auto past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  expect_error(ErrorKind::kLimit, "deadline", [&] { context.run(kInputs, {.deadline = past}); });
  EXPECT_EQ(context.run(kInputs, {.deadline = past + std::chrono::hours(1)}).size(), 2u);
  EXPECT_EQ(context.run(kInputs).size(), 2u);
}

// Limits that cannot be added to the current time of the clock, which counts in nanoseconds.
TEST(RunDeadline, MayBeCenturiesAway) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t since_boot =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  for (const int64_t ms :
       {kMost, kMost / 2, kMost / 1'000'000 + 1, kMost / 1'000'000, kMost / 1'000'000 - since_boot}) {
    Context context(model(), {.limits = {.deadline_ms = ms}});
    EXPECT_EQ(context.run(kInputs).size(), 2u) << ms;
  }
  const auto begin_of_time = std::chrono::steady_clock::time_point::min();
  expect_error(ErrorKind::kLimit, "deadline", [&] { Context(model()).run(kInputs, {.deadline = begin_of_time}); });
}

TEST(RunDeadline, DoesNotLiftThatOfTheContext) {
  GraphBuilder b;
  ValueId x = b.input("x", Fact(DType::kFloat32, Shape{1000000}));
  for (int i = 0; i < 50; ++i) x = b.op("Sin", {x});
  b.output(x);
  Context context(b.model(), {.limits = {.deadline_ms = 1}});
  const auto late = std::chrono::steady_clock::now() + std::chrono::hours(1);
  const std::vector inputs{Tensor::of(std::vector<float>(1000000))};
  expect_error(ErrorKind::kLimit, "deadline", [&] { context.run(inputs, {.deadline = late}); });
}

class NodeCounter final : public Observer {
 public:
  int nodes = 0;
  void on_node(const NodeEvent&) override { ++nodes; }
};

TEST(RunObserver, StandsInForThatOfTheContext) {
  const auto always = std::make_shared<NodeCounter>(), once = std::make_shared<NodeCounter>();
  Context context(model(), {.observer = always});
  context.run(kInputs);
  const int nodes = always->nodes;
  EXPECT_GT(nodes, 0);
  context.run(kInputs, {.observer = once});
  EXPECT_EQ(once->nodes, nodes);
  EXPECT_EQ(always->nodes, nodes);
  context.run(kInputs);
  EXPECT_EQ(always->nodes, 2 * nodes);
}

TEST(Log, TellsOfLoadsPlansAndInputsThatNothingReads) {
  std::vector<std::pair<LogLevel, std::string>> told;
  ModelOptions options;
  options.log = [&](LogLevel level, std::string_view message) { told.emplace_back(level, message); };
  Context context(model(options));
  const auto count = [&](LogLevel level, const std::string& text) {
    return std::count_if(told.begin(), told.end(), [&](const auto& entry) {
      return entry.first == level && entry.second.find(text) != std::string::npos;
    });
  };
  EXPECT_EQ(count(LogLevel::kInfo, "loaded 4 nodes"), 1);
  EXPECT_EQ(count(LogLevel::kWarning, "nothing reads input 'unread'"), 1);
  EXPECT_EQ(count(LogLevel::kInfo, "planned"), 0);
  context.run(kInputs);
  context.run(kInputs);
  EXPECT_EQ(count(LogLevel::kInfo, "planned float32[3] float32[1]"), 1);
  EXPECT_EQ(told.size(), 3u);
}

}  // namespace
}  // namespace linnet::testing
