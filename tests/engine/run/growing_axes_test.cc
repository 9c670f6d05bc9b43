#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Records the types of the operators that ran.
class Kinds final : public Observer {
 public:
  void on_node(const NodeEvent& event) override { kinds.insert(event.node.op_type); }
  std::set<std::string> kinds;
};

/// Compares a model with states to the same model whose outputs are passed back as inputs. Inputs: x, then the states.
/// Outputs: y, then the states.
class Game {
 public:
  Game(const GraphBuilder& b, std::vector<Tensor> initial, std::vector<int> axes)
      : model_(b.model({.executor = make_serial_executor(),
                        .log = [this](LogLevel, std::string_view text) { plans += text.starts_with("planned"); }})),
        context_(model_, {.observer = kinds_}),
        by_hand_(model_),
        past_(std::move(initial)),
        axes_(std::move(axes)) {
    for (size_t i = 0; i < past_.size(); ++i) {
      context_.bind_state(model_.outputs()[1 + i].name, model_.inputs()[1 + i].name, past_[i]);
    }
  }

  void step(const Tensor& x) {
    std::vector<Tensor> inputs{x};
    inputs.resize(1 + past_.size());
    const std::vector<Tensor> got = copies(context_.run(inputs));
    std::copy(past_.begin(), past_.end(), inputs.begin() + 1);
    const std::vector<Tensor> want = copies(by_hand_.run(inputs));
    EXPECT_TRUE(identical(got[0], want[0])) << "past " << past_[0].shape();
    past_.assign(want.begin() + 1, want.end());
  }

  void expect_states() {
    for (size_t i = 0; i < past_.size(); ++i) {
      EXPECT_TRUE(identical(context_.state(model_.inputs()[1 + i].name), past_[i])) << i;
    }
  }

  void truncate(int64_t rows) {
    context_.truncate_states(rows);
    for (size_t i = 0; i < past_.size(); ++i) past_[i] = context_.state(model_.inputs()[1 + i].name).clone();
    for (size_t i = 0; i < past_.size(); ++i) EXPECT_EQ(past_[i].dim(axes_[i]), rows);
  }

  bool ran(const std::string& op) const { return kinds_->kinds.contains(op); }
  int plans = 0;

 private:
  static std::vector<Tensor> copies(std::span<const Tensor> tensors) {
    std::vector<Tensor> result;
    for (const Tensor& tensor : tensors) result.push_back(tensor ? tensor.clone() : Tensor());
    return result;
  }

  std::shared_ptr<Kinds> kinds_ = std::make_shared<Kinds>();
  Model model_;
  Context context_, by_hand_;
  std::vector<Tensor> past_;
  std::vector<int> axes_;
};

/// Copies its input. It is a custom operator, which may declare that it can run on a part of the rows.
template <bool kSaysSo>
class Copy final : public Op {
 public:
  explicit Copy(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  bool prefix(Prefix& prefix) const override { return kSaysSo && prefix.carry(); }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CopyKernel>(); }

 private:
  class CopyKernel final : public Kernel {
    void run(KernelContext& context) const override { copy_elements(context.input(0), context.output(0)); }
  };
};

ValueId ints(GraphBuilder& b, const std::vector<int64_t>& values) { return b.constant(Tensor::of(values)); }

class GrowingAxis : public ::testing::TestWithParam<std::tuple<int, int>> {};

/// For each axis of each rank: rows that are read element by element, and by nodes that need all of them.
TEST_P(GrowingAxis, GivesTheBitsOfStatesFedBackByHand) {
  const auto [rank, axis] = GetParam();
  if (axis >= rank) GTEST_SKIP() << "the rank has no such axis";
  GraphBuilder b{21};
  Dims row, rows;
  Shape step;
  for (int d = 0; d < rank; ++d) {
    row.push_back(d == axis ? Dim("S") : Dim(d + 2));
    rows.push_back(d == axis ? Dim("P") : Dim(d + 2));
    step.push_back(d + 2);
  }
  const ValueId x = b.input("x", Fact(DType::kFloat32, row)), past = b.input("past", Fact(DType::kFloat32, rows));
  const ValueId present = b.op("Concat", {past, x}, {{"axis", int64_t{axis}}});
  const ValueId squares = b.op("Mul", {present, b.op("Sigmoid", {present})});
  const ValueId shares = b.op("Softmax", {squares}, {{"axis", int64_t{axis}}});
  b.output(b.op("ReduceSum", {b.op("Mul", {shares, present}), ints(b, {axis})}));
  b.output(present);
  Shape none = step;
  none[axis] = 0;
  Game game(b, {Tensor(DType::kFloat32, none)}, {axis});
  std::mt19937 draw(unsigned(rank * 8 + axis));
  for (unsigned i = 0; i < 90; ++i) {
    step[axis] = std::vector<int64_t>{1, 1, 2, 3}[draw() % 4];
    game.step(random_tensor(step, i));
    if (i == 40) game.truncate(7);
    if (i % 9 == 0) game.expect_states();
  }
  game.expect_states();
  EXPECT_TRUE(game.ran("WriteRows"));
}

INSTANTIATE_TEST_SUITE_P(, GrowingAxis, ::testing::Combine(::testing::Range(1, 6), ::testing::Range(0, 5)));

/// A cache of tokens, and one of frames, to which each run adds two for each token.
TEST(GrowingStates, GrowByStepsOfTheirOwn) {
  GraphBuilder b{21};
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, Dim("S"), 8}));
  const ValueId tokens = b.input("tokens", Fact(DType::kFloat32, Dims{1, Dim("P"), 8}));
  const ValueId frames = b.input("frames", Fact(DType::kFloat32, Dims{1, 8, Dim("F")}));
  const ValueId all = b.op("Concat", {tokens, x}, {{"axis", int64_t{1}}});
  const ValueId columns = b.op("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  const ValueId both = b.op("Concat", {frames, columns, columns}, {{"axis", int64_t{2}}});
  const ValueId scores = b.op("MatMul", {x, both});
  const ValueId mean = b.op("ReduceMean", {b.op("Relu", {all}), ints(b, {1})});
  b.output(b.op("Add", {b.op("ReduceMax", {scores, ints(b, {2})}), mean}));
  b.output(all);
  b.output(both);
  Game game(b, {Tensor(DType::kFloat32, {1, 0, 8}), Tensor(DType::kFloat32, {1, 8, 0})}, {1, 2});
  for (unsigned i = 0; i < 60; ++i) game.step(random_tensor({1, i % 7 == 3 ? 3 : 1, 8}, i));
  game.truncate(5);
  for (unsigned i = 0; i < 20; ++i) game.step(random_tensor({1, 1, 8}, 100 + i));
  game.expect_states();
}

/// A convolution over time, of all frames, and one of a sliding window, whose state has a fixed size.
TEST(GrowingStates, AreReadByConvolutions) {
  GraphBuilder b{21};
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, 4, Dim("S")}));
  const ValueId frames = b.input("frames", Fact(DType::kFloat32, Dims{1, 4, Dim("P")}));
  const ValueId window = b.input("window", Fact(DType::kFloat32, Dims{1, 4, 2}));
  const ValueId kernel = b.constant(random_tensor({4, 4, 3}, 9));
  const ValueId all = b.op("Concat", {frames, x}, {{"axis", int64_t{2}}});
  const ValueId seen = b.op("Concat", {window, x}, {{"axis", int64_t{2}}});
  const ValueId late = b.op("Slice", {seen, ints(b, {-2}), ints(b, {INT64_MAX}), ints(b, {2})});
  const ValueId whole = b.op("Conv", {all, kernel}, {{"pads", std::vector<int64_t>{1, 1}}});
  b.output(b.op("Add", {b.op("Conv", {seen, kernel}), b.op("ReduceMax", {whole, ints(b, {2})})}));
  b.output(all);
  b.output(late);
  Game game(b, {Tensor(DType::kFloat32, {1, 4, 0}), random_tensor({1, 4, 2}, 5)}, {2, 2});
  for (unsigned i = 0; i < 40; ++i) game.step(random_tensor({1, 4, i % 5 == 2 ? 4 : 1}, i));
  game.expect_states();
  EXPECT_TRUE(game.ran("WriteRows"));
}

/// If every node supports a prefix, only the first length of a capacity is planned.
TEST(GrowingStates, OfAnyAxisNeedNoPlans) {
  GraphBuilder b{21};
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, Dim("S"), 2, 4}));
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{1, Dim("P"), 2, 4}));
  const ValueId present = b.op("Concat", {past, x}, {{"axis", int64_t{1}}});
  const std::vector<int64_t> heads_first{0, 2, 1, 3};
  const auto swapped = [&](ValueId v) { return b.op("Transpose", {v}, {{"perm", heads_first}}); };
  const ValueId keys = b.op("Transpose", {present}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  const ValueId scores = b.op("MatMul", {swapped(x), keys});
  b.output(b.op("MatMul", {b.op("Softmax", {scores}), swapped(present)}));
  b.output(present);
  Game game(b, {Tensor(DType::kFloat32, {1, 3, 2, 4})}, {1});
  game.step(random_tensor({1, 1, 2, 4}, 1));
  Context context(b.model());
  EXPECT_TRUE(game.ran("Attention"));
  EXPECT_TRUE(game.ran("WriteRows"));
  EXPECT_FALSE(game.ran("RowsInUse"));
}

/// Rows that a run adds as zeros are zeros, even in place of rows that truncate_states() removed.
TEST(GrowingStates, HaveZerosBehindTheirRows) {
  GraphBuilder b{21};
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, 1, 2}));
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{1, Dim("P"), 2}));
  const ValueId padded = b.op("Pad", {past, ints(b, {0, 0, 0, 0, 1, 0})});
  const ValueId present = b.op("Add", {padded, b.op("Mul", {x, b.constant(Tensor::scalar(0.0f))})});
  b.output(b.op("ReduceSum", {b.op("Add", {padded, x}), ints(b, {1})}));
  b.output(present);
  Game game(b, {random_tensor({1, 6, 2}, 3)}, {1});
  for (unsigned i = 0; i < 3; ++i) game.step(random_tensor({1, 1, 2}, i));
  game.truncate(2);
  for (unsigned i = 0; i < 3; ++i) game.step(random_tensor({1, 1, 2}, 10 + i));
  game.expect_states();
}

/// Custom operators that declare prefixes run on all rows, others on copies of the rows in use.
TEST(GrowingStates, AreReadByOperatorsOfUsers) {
  for (const bool says_so : {false, true}) {
    Registry registry = standard_registry();
    registry.add<Copy<false>>("CopyRows", {.domain = "custom"});
    registry.add<Copy<true>>("CopyPrefix", {.domain = "custom"});
    GraphBuilder b{21, std::move(registry)};
    const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{2, Dim("S")}));
    const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{2, Dim("P")}));
    const ValueId present = b.op("Concat", {past, x}, {{"axis", int64_t{1}}});
    const ValueId copy = b.op(says_so ? "CopyPrefix" : "CopyRows", {present}, {}, "custom");
    b.output(b.op("Relu", {copy}));
    b.output(present);
    Game game(b, {Tensor(DType::kFloat32, {2, 0})}, {1});
    for (unsigned i = 0; i < 20; ++i) game.step(random_tensor({2, 1 + i % 3}, i));
    game.expect_states();
    EXPECT_TRUE(game.ran("WriteRows"));
    EXPECT_TRUE(game.ran(says_so ? "CopyPrefix" : "RowsInUse"));
  }
}

}  // namespace
}  // namespace linnet::testing
