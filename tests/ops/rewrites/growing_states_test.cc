#include "rewrites/growing_states.h"

#include <gtest/gtest.h>

#include <fstream>

#include "passes/passes.h"
#include "support/counted_new.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet {
namespace {

using testing::expect_close;
using testing::expect_error;
using testing::GraphBuilder;
using testing::random_tensor;

constexpr int64_t kHeads = 4, kKeyHeads = 2, kSize = 8, kWidth = kHeads * kSize, kKeyWidth = kKeyHeads * kSize;

/// How the attention of a layer is written.
enum class Form { kWritten, kAttention, kAttentionWithPast, kGroupQuery };
/// What else reads lengths.
struct Extras {
  bool mask = false;       ///< of ones and zeros for all rows, made additive
  bool positions = false;  ///< embeddings from the number of past rows on
  bool sum = false;        ///< the sum of all keys is an output
  bool traced = false;     ///< caches joined with nothing, sizes read one by one, a mask that is gathered
};

/// A decoder of two layers that share their weights. Inputs x [B, S, W], for each layer past.k, past.v [B, H, P, D],
/// and the mask [B, P + S]; outputs y, for each layer k and v with the new rows, and the sum.
class Decoder {
 public:
  Decoder(Form form, const Extras& extras, int64_t batch = 1) : batch_(batch), form_(form), extras_(extras) {
    const ValueId x = b_.input("x", Fact(DType::kFloat32, Dims{batch, Dim("S"), kWidth}));
    for (int layer = 0; layer < 2; ++layer) {
      for (const char* name : {"k", "v"}) {
        pasts_.push_back(
            b_.input(str("past", layer, ".", name), Fact(DType::kFloat32, Dims{batch, kKeyHeads, Dim("P"), kSize})));
      }
    }
    if (extras.mask || form == Form::kGroupQuery) {
      const DType dtype = form == Form::kGroupQuery ? DType::kInt32 : DType::kInt64;
      mask_ = b_.input("mask", Fact(dtype, Dims{batch, Dim("T")}));
    }
    ValueId y = extras.positions ? b_.op("Add", {x, embeddings(x)}) : x;
    for (int layer = 0; layer < 2; ++layer) y = b_.op("Add", {y, attention(y, layer)});
    b_.output(y);
    for (const ValueId present : presents_) b_.output(present);
    if (extras.sum) b_.output(b_.op("ReduceSum", {presents_[0], ints({2})}));
  }

  Model model(const ModelOptions& options = {}) const { return b_.model(options); }
  /// Named inputs of a run that has no states.
  std::vector<std::pair<std::string, Tensor>> inputs(int64_t past, int64_t steps, unsigned seed) const {
    std::vector<std::pair<std::string, Tensor>> given{{"x", random_tensor({batch_, steps, kWidth}, seed)}};
    if (mask_ == kNoValue) return given;
    if (form_ == Form::kGroupQuery) {
      given.emplace_back("mask",
                         Tensor::of({batch_, past + steps}, std::vector<int32_t>(size_t(batch_ * (past + steps)), 1)));
      return given;
    }
    std::vector<int64_t> mask(size_t(batch_ * (past + steps)), 1);
    if (past > 2) mask[1] = 0;
    given.emplace_back("mask", Tensor::of({batch_, past + steps}, mask));
    return given;
  }
  int64_t batch() const { return batch_; }

 private:
  ValueId ints(const std::vector<int64_t>& values) { return b_.constant(Tensor::of(values)); }
  ValueId scalar(float value) { return b_.constant(Tensor::scalar(value)); }

  ValueId dim(ValueId x, int64_t axis) {
    return b_.op("Gather", {b_.op("Shape", {x}), b_.constant(Tensor::scalar(axis))});
  }

  ValueId embeddings(ValueId x) {
    const ValueId past = dim(pasts_[0], 2), end = b_.op("Add", {past, dim(x, 1)});
    const ValueId places = b_.op("Range", {past, end, b_.constant(Tensor::scalar<int64_t>(1))});
    return b_.op("Gather", {b_.constant(random_tensor({4096, kWidth}, 77)), places});
  }

  ValueId product(ValueId x, int64_t columns, unsigned seed) {
    return b_.op("MatMul", {x, b_.op("Mul", {b_.constant(random_tensor({kWidth, columns}, seed)), scalar(0.3f)})});
  }

  ValueId heads(ValueId x, int64_t count) {
    const ValueId split = b_.op("Reshape", {x, ints({0, 0, count, kSize})});
    return b_.op("Transpose", {split}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  }

  ValueId first_of(ValueId x) { return b_.op("Unsqueeze", {x, ints({0})}); }

  ValueId repeated(ValueId x) {
    const ValueId all = b_.op("Unsqueeze", {x, ints({2})});
    const ValueId more = b_.op("Expand", {all, ints({1, 1, kHeads / kKeyHeads, 1, 1})});
    const ValueId size = extras_.traced ? first_of(dim(x, 3)) : ints({kSize});
    const ValueId shape = b_.op("Concat", {ints({batch_, kHeads, -1}), size}, {{"axis", int64_t{0}}});
    return b_.op("Reshape", {more, shape});
  }

  /// The mask of one sample, column by column.
  ValueId gathered_mask() {
    const auto number = [&](int64_t value) { return b_.constant(Tensor::scalar(value)); };
    const ValueId places = b_.op("Range", {number(0), dim(mask_, 1), number(1)});
    const ValueId begin = b_.op("Mul", {b_.constant(Tensor::of({1, 1, 1, 1}, std::vector<int64_t>{0})), dim(mask_, 1)});
    const ValueId all = b_.op("Add", {b_.op("Unsqueeze", {places, ints({0, 1, 2})}), begin});
    const ValueId kept = b_.op("Gather", {b_.op("Flatten", {mask_}, {{"axis", int64_t{2}}}), all});
    const ValueId rows = b_.op("Reshape", {b_.op("Reshape", {kept, ints({-1})}), b_.op("Shape", {all})});
    const ValueId one = first_of(number(1)),
                  shape = b_.op("Concat", {one, one, one, first_of(dim(mask_, 1))}, {{"axis", int64_t{0}}});
    const ValueId open = b_.op("Equal", {shape, ints({-1, -1, -1, -1})});
    return b_.op("Expand", {rows, b_.op("Where", {open, ints({1, 1, 1, 1}), shape})});
  }

  ValueId additive_mask() {
    const ValueId mask = extras_.traced ? gathered_mask() : b_.op("Unsqueeze", {mask_, ints({1, 2})});
    const ValueId kept = b_.op("Cast", {mask}, {{"to", int64_t{1}}});
    return b_.op("Mul", {b_.op("Sub", {scalar(1), kept}), scalar(-1e9f)});
  }

  ValueId joined(ValueId y) {
    const ValueId rows = b_.op("Transpose", {y}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    return b_.op("Reshape", {rows, ints({0, 0, kWidth})});
  }

  ValueId attention(ValueId x, int layer) {
    const ValueId q = product(x, kWidth, 1), k = product(x, kKeyWidth, 2), v = product(x, kKeyWidth, 3);
    ValueId past_k = pasts_[size_t(2 * layer)], past_v = pasts_[size_t(2 * layer + 1)];
    if (extras_.traced) {
      past_k = b_.op("Concat", {past_k}, {{"axis", int64_t{-2}}});
      past_v = b_.op("Concat", {past_v}, {{"axis", int64_t{-2}}});
    }
    const ValueId mask = extras_.mask ? additive_mask() : kNoValue;
    if (form_ == Form::kGroupQuery) return group_query({q, k, v, past_k, past_v});
    if (form_ == Form::kAttentionWithPast) {
      const auto y = b_.ops("Attention", {q, k, v, mask, past_k, past_v}, 3,
                            {{"q_num_heads", kHeads}, {"kv_num_heads", kKeyHeads}});
      presents_.insert(presents_.end(), y.begin() + 1, y.end());
      return y[0];
    }
    const ValueId all_k = b_.op("Concat", {past_k, heads(k, kKeyHeads)}, {{"axis", int64_t{2}}});
    const ValueId all_v = b_.op("Concat", {past_v, heads(v, kKeyHeads)}, {{"axis", int64_t{-2}}});
    presents_.insert(presents_.end(), {all_k, all_v});
    if (form_ == Form::kAttention) return joined(b_.op("Attention", {heads(q, kHeads), all_k, all_v, mask}));
    const ValueId keys = b_.op("Transpose", {repeated(all_k)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    ValueId scores = b_.op("Div", {b_.op("MatMul", {heads(q, kHeads), keys}), scalar(std::sqrt(float(kSize)))});
    if (mask != kNoValue) scores = b_.op("Add", {scores, mask});
    return joined(b_.op("MatMul", {b_.op("Softmax", {scores}), repeated(all_v)}));
  }

  ValueId group_query(std::vector<ValueId> inputs) {
    const ValueId count = b_.op("ReduceSum", {mask_, ints({1})}, {{"keepdims", int64_t{0}}});
    inputs.push_back(b_.op("Sub", {count, b_.constant(Tensor::scalar<int32_t>(1))}));
    inputs.push_back(b_.op("Cast", {dim(mask_, 1)}, {{"to", int64_t{6}}}));
    const auto y =
        b_.ops("GroupQueryAttention", inputs, 3, {{"num_heads", kHeads}, {"kv_num_heads", kKeyHeads}}, "com.microsoft");
    presents_.insert(presents_.end(), y.begin() + 1, y.end());
    return y[0];
  }

  int64_t batch_;
  Form form_;
  Extras extras_;
  GraphBuilder b_{24};
  std::vector<ValueId> pasts_, presents_;
  ValueId mask_ = kNoValue;
};

Context stateful(const Decoder& decoder, const Model& model, int64_t capacity = 0, const ContextOptions& options = {}) {
  Context context(model, options);
  for (size_t i = 0; i < 4; ++i) {
    context.bind_state(model.outputs()[1 + i].name, model.inputs()[1 + i].name,
                       Tensor(DType::kFloat32, {decoder.batch(), kKeyHeads, 0, kSize}), capacity);
  }
  return context;
}

/// Steps as a state makes them beside those that are fed back by hand.
class Pair {
 public:
  explicit Pair(const Decoder& decoder)
      : decoder_(decoder), model_(decoder.model()), by_hand_(model_), context(stateful(decoder, model_)) {
    for (size_t i = 0; i < 4; ++i) past_.emplace_back(DType::kFloat32, Shape{decoder.batch(), kKeyHeads, 0, kSize});
  }

  void step(int64_t steps, unsigned seed) {
    auto inputs = decoder_.inputs(past_[0].dim(2), steps, seed);
    const auto got = context.run(inputs);
    for (size_t i = 0; i < 4; ++i) inputs.emplace_back(model_.inputs()[1 + i].name, past_[i]);
    const auto expected = by_hand_.run(inputs);
    EXPECT_TRUE(identical(got[0], expected[0])) << "past " << past_[0].shape();
    for (size_t i = 5; i < got.size(); ++i) EXPECT_TRUE(identical(got[i], expected[i]));
    past_.assign(expected.begin() + 1, expected.begin() + 5);
  }

  void expect_states() {
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(identical(context.state(model_.inputs()[1 + i].name), past_[i])) << i;
  }

  void truncate(int64_t rows) {
    context.truncate_states(rows);
    for (size_t i = 0; i < 4; ++i) past_[i] = context.state(model_.inputs()[1 + i].name).clone();
  }

 private:
  const Decoder& decoder_;
  Model model_;
  Context by_hand_;
  std::vector<Tensor> past_;

 public:
  Context context;
};

class GrowingStatesOf : public ::testing::TestWithParam<std::tuple<Form, bool, bool, int64_t>> {};

TEST_P(GrowingStatesOf, GiveTheBitsOfStatesFedBackByHand) {
  const auto [form, mask, positions, batch] = GetParam();
  const Decoder decoder(form, {.mask = mask, .positions = positions}, batch);
  Pair pair(decoder);
  pair.step(3, 1);
  for (unsigned i = 0; i < 70; ++i) pair.step(1, 10 + i);
  pair.expect_states();
  pair.step(5, 2);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 100 + i);
  pair.truncate(9);
  for (unsigned i = 0; i < 4; ++i) pair.step(1, 200 + i);
  pair.expect_states();
}

INSTANTIATE_TEST_SUITE_P(, GrowingStatesOf,
                         ::testing::Combine(::testing::Values(Form::kWritten, Form::kAttention,
                                                              Form::kAttentionWithPast, Form::kGroupQuery),
                                            ::testing::Bool(), ::testing::Bool(), ::testing::Values(1, 2)));

/// The inputs of steps of one token each, from `past` rows on, as a run takes them by position.
std::vector<std::vector<Tensor>> steps_of(const Decoder& decoder, int64_t past, int count) {
  std::vector<std::vector<Tensor>> steps;
  for (int i = 0; i < count; ++i) {
    std::vector<Tensor>& inputs = steps.emplace_back(5);
    const auto named = decoder.inputs(past + i, 1, 2);
    inputs[0] = named[0].second;
    if (named.size() > 1) inputs.push_back(named[1].second);
  }
  return steps;
}

int64_t resident_pages() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

void expect_no_plan_in_a_thousand_steps(const Decoder& decoder) {
  int plans = 0;
  ModelOptions options;
  options.log = [&](LogLevel, std::string_view text) { plans += text.starts_with("planned"); };
  const Model model = decoder.model(options);
  Context context = stateful(decoder, model, 1100, {.executor = make_serial_executor()});
  context.run(decoder.inputs(0, 3, 1));
  const auto steps = steps_of(decoder, 3, 1005);
  for (size_t i = 0; i < 5; ++i) context.run(steps[i]);
  const int64_t pages = resident_pages();
  const int64_t before = testing::allocation_count();
  plans = 0;
  for (size_t i = 5; i < steps.size(); ++i) context.run(steps[i]);
  EXPECT_EQ(testing::allocation_count() - before, 0);
  EXPECT_EQ(plans, 0);
  EXPECT_LT(resident_pages() - pages, 64);
  EXPECT_EQ(context.state("past0.k").dim(2), 1008);
}

TEST_P(GrowingStatesOf, AllocateNothingAndPlanNothingForAThousandSteps) {
  const auto [form, mask, positions, batch] = GetParam();
  expect_no_plan_in_a_thousand_steps(Decoder(form, {.mask = mask, .positions = positions}, batch));
}

/// As torch traces a model that wraps its caches.
TEST(GrowingStates, AreWrittenInPlaceWhereSizesAreReadOneByOne) {
  const Decoder decoder(Form::kWritten, {.mask = true, .positions = true, .traced = true});
  expect_no_plan_in_a_thousand_steps(decoder);
  Pair pair(decoder);
  pair.step(3, 1);
  for (unsigned i = 0; i < 20; ++i) pair.step(1, 10 + i);
  pair.expect_states();
}

TEST(GrowingStates, ForksGoTheirOwnWays) {
  const Decoder decoder(Form::kAttention, {});
  const Model model = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, model);
  for (unsigned i = 0; i < 6; ++i) {
    context.run(decoder.inputs(i, 1, i));
    expected.run(decoder.inputs(i, 1, i));
  }
  Context fork = context.fork();
  for (unsigned i = 6; i < 9; ++i) {
    fork.run(decoder.inputs(i, 1, 50 + i));
    EXPECT_TRUE(identical(context.run(decoder.inputs(i, 1, i))[0], expected.run(decoder.inputs(i, 1, i))[0]));
  }
  EXPECT_TRUE(identical(context.state("past1.v"), expected.state("past1.v")));
  EXPECT_FALSE(identical(fork.state("past1.v"), expected.state("past1.v")));
}

TEST(GrowingStates, StayAsTheyAreWhereARunFails) {
  const Decoder decoder(Form::kAttention, {.mask = true});
  const Model model = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, model);
  for (int64_t i = 0; i < 6; ++i) {
    context.run(decoder.inputs(i, 1, unsigned(i)));
    expected.run(decoder.inputs(i, 1, unsigned(i)));
  }
  const auto cancelled = std::make_shared<CancellationToken>();
  cancelled->cancel();
  expect_error(ErrorKind::kCancelled, "", [&] { context.run(decoder.inputs(6, 1, 9), {.cancellation = cancelled}); });
  expect_error(ErrorKind::kShape, "", [&] { context.run(decoder.inputs(8, 1, 9)); });
  EXPECT_TRUE(identical(context.state("past0.k"), expected.state("past0.k")));
  EXPECT_TRUE(identical(context.run(decoder.inputs(6, 1, 6))[0], expected.run(decoder.inputs(6, 1, 6))[0]));
}

TEST(GrowingStates, ThatOtherNodesReadAreFedBack) {
  const Decoder decoder(Form::kAttention, {.sum = true});
  Pair pair(decoder);
  for (unsigned i = 0; i < 6; ++i) pair.step(1, i);
  pair.expect_states();
}

TEST(GrowingStates, OfOneShapeHaveItReadOnce) {
  GraphBuilder b{24};
  std::vector<ValueId> pasts, presents;
  for (const char* name : {"k", "v", "long"}) {
    const int64_t size = std::string_view(name) == "long" ? 2 * kSize : kSize;
    const Fact rows(DType::kFloat32, Dims{1, 1, 1, size});
    pasts.push_back(b.input(str("past.", name), Fact(DType::kFloat32, Dims{1, 1, Dim("P"), size})));
    presents.push_back(b.op("Concat", {pasts.back(), b.input(name, rows)}, {{"axis", int64_t{2}}}));
  }
  const ValueId q = b.input("q", Fact(DType::kFloat32, Dims{1, 1, 1, kSize}));
  b.output(b.op("Attention", {q, presents[0], presents[1]}));
  b.output(b.op("Attention", {q, presents[0], presents[2]}));
  for (const ValueId present : presents) b.output(present);
  for (const ValueId past : pasts) b.output(b.op("Shape", {past}));
  std::vector<GrowingState> states;
  for (size_t i = 0; i < pasts.size(); ++i) states.push_back({.input = pasts[i], .output = 2 + i, .axis = 2});

  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  const auto graphs = growing_states(graph, states);
  ASSERT_TRUE(graphs);
  EXPECT_EQ(testing::count_ops(graphs->sizes, "Shape"), 2) << "one for k and v, one for the long one";
}

TEST(GrowingStates, WorkInGuardedMemory) {
  const Decoder decoder(Form::kWritten, {.mask = true, .positions = true});
  const Model model = decoder.model({.guard_memory = true}), plain = decoder.model();
  Context context = stateful(decoder, model), expected = stateful(decoder, plain);
  for (int64_t i = 0; i < 8; ++i) {
    const auto inputs = decoder.inputs(i, 1, unsigned(i));
    EXPECT_TRUE(identical(context.run(inputs)[0], expected.run(inputs)[0])) << i;
  }
}

TEST(GrowingStates, CountAgainstTheMemoryOfARun) {
  const Decoder decoder(Form::kAttention, {});
  const Model model = decoder.model();
  Context context = stateful(decoder, model, 1 << 20, {.limits = {.memory_bytes = 32 << 20}});
  for (int64_t i = 0; i < 2; ++i) context.run(decoder.inputs(i, 1, unsigned(i)));
  expect_error(ErrorKind::kLimit, "more than the limit", [&] {
    for (int64_t i = 2; i < 6; ++i) context.run(decoder.inputs(i, 1, unsigned(i)));
  });
}

}  // namespace
}  // namespace linnet
