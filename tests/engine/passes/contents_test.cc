#include "passes/contents.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/known_contents.h"
#include "tensor/dim_scope.h"

// The elements of small integer tensors that the engine knows before a run.
namespace linnet::testing {
namespace {

TEST(Contents, AllNumbersAreAConstant) {
  const Fact y = facts_of({"Sub"}, {vector_of({kN + 2, kM}), vector_of({kN, kM})})[0];
  ASSERT_TRUE(y.constant);
  EXPECT_EQ(known(y), "2 0");
  EXPECT_TRUE(facts_of({"Concat", 17, {{"axis", int64_t{0}}}},
                       {vector_of({3}, DType::kInt32), vector_of({4}, DType::kInt32)})[0]
                  .constant);
}

TEST(Contents, UnknownElementsLeaveTheOthersKnown) {
  const Fact runtime(DType::kInt64, Shape{2});
  EXPECT_EQ(known({"Concat", 17, {{"axis", int64_t{0}}}}, {runtime, vector_of({kN})}), "? ? N");
  EXPECT_EQ(known({"Mul"}, {vector_of({kN, 0, Dim()}), ints({2})}), "2*N 0 ?");
  EXPECT_EQ(known({"Where"}, {Fact(DType::kBool, Shape{2}), vector_of({kN, kM}), vector_of({kN, 3})}), "N ?");
  EXPECT_EQ(known({"Add"}, {runtime, runtime}), "");
  EXPECT_EQ(known({"Add"}, {Fact(DType::kInt64, Dims{Dim("K")}), ints({1, 2})}), "");
}

TEST(Contents, OutputsDoNotKeepThoseOfTheirInputs) {
  EXPECT_EQ(known({"Neg"}, {vector_of({Dim(), kN})}), "? -N");
  EXPECT_EQ(known({"Sign"}, {vector_of({kN, kM})}), "");  // either may be 0
  EXPECT_EQ(known({"CumSum"}, {with_contents(DType::kInt64, Shape{2, 1}, {kN, kM}), ints({0})}), "");
}

TEST(Contents, LargeTensorsAreNotFollowed) {
  const Fact most = vector_of(Dims(size_t(kMostContents), kN));
  EXPECT_NE(known({"Neg"}, {most}), "");
  EXPECT_EQ(known({"Concat", 17, {{"axis", int64_t{0}}}}, {most, vector_of({1})}), "");
  EXPECT_EQ(known({"Add"}, {Fact(DType::kInt64, Shape{int64_t{1} << 40, 1}), vector_of({kN})}), "");
}

TEST(Contents, MoversWhoseOtherInputsAreOpenAreLeft) {
  EXPECT_EQ(known({"Gather"}, {vector_of({kN, kM}), vector_of({kN})}), "");
  EXPECT_EQ(known({"Gather"}, {vector_of({kN, kM}), ints({7})}), "");  // the run reports the error
}

const OpCase kNarrow{"Cast", 17, {{"to", int64_t(DType::kInt32)}}};

TEST(Contents, IntegersOf32BitsAreThoseThatFit) {
  EXPECT_EQ(known(kNarrow, {vector_of({int64_t{1} << 31, kN - kN, kN})}), "? 0 N");
  EXPECT_EQ(known({"Mul"}, {vector_of({1 << 30, kN, 3}, DType::kInt32), Fact(Tensor::of<int32_t>({2}))}), "? ? 6");
}

TEST(Contents, WhatMayLeave32BitsIsCheckedAtEachBinding) {
  const Fact two(Tensor::of<int32_t>({2}));
  {
    const DimScope scope(Dims{kN});
    EXPECT_EQ(known({"Mul"}, {vector_of({kN, Dim(), 1 << 30}, DType::kInt32), two}), "2*N ? ?");
    EXPECT_EQ(known({"Mul"}, {vector_of({kM, 1}, DType::kInt32), two}), "? 2");  // no check is possible
  }
  DimScope scope(Dims{kN});
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{kN})), shape = b.op("Shape", {x});
  const ValueId twice = b.op("Mul", {b.op("Cast", {shape}, kNarrow.attributes), b.constant(two.constant)});
  const Graph graph = propagated(b);
  EXPECT_EQ(graph.fact(twice).contents->front().upper_bound(), INT32_MAX - 1);
  EXPECT_EQ(graph.fact(x).dim(0).upper_bound(), INT32_MAX / 2);
}

TEST(Contents, WhatMayLeave64BitsIsCheckedAtEachBinding) {
  const std::vector<Fact> squares = {vector_of({kN * kN, kN}), vector_of({kN * kN, int64_t{1} << 30})};
  EXPECT_EQ(known({"Mul"}, squares), "? 1073741824*N");
  DimScope scope(Dims{kN});
  EXPECT_EQ(known({"Mul"}, squares), "N^4 1073741824*N");
  EXPECT_EQ(known({"Mul"}, squares), "N^4 1073741824*N");
  scope.take_lessons();
  EXPECT_EQ(scope.conditions().size(), 1u);
  const DimScope::NoLessons in_a_body;
  EXPECT_EQ(known({"Mul"}, {vector_of({kN * kN}), vector_of({kN * kN + 1})}), "N^4+N^2");
}

TEST(Contents, NumbersBeyond64BitsAreUnknown) {
  EXPECT_EQ(known({"Add"}, {vector_of({INT64_MAX, kN}), ints({1})}), "? N+1");
}

TEST(Contents, WhatALoopCarriesChanges) {
  GraphBuilder body;
  const ValueId i = body.input("i", Fact(DType::kInt64, Shape{})),
                cond = body.input("cond", Fact(DType::kBool, Shape{}));
  const ValueId carried = body.input("carried", Fact(DType::kInt64, Shape{1}));
  body.output(cond);
  body.output(body.op("Add", {carried, i}));
  body.output(body.op("ConstantOfShape", {carried}));
  GraphBuilder b;
  const ValueId sizes = b.op("Shape", {b.input("x", Fact(DType::kFloat32, Dims{kN}))});
  const auto y =
      b.ops("Loop", {b.input("trips", Fact(DType::kInt64, Shape{})), kNoValue, sizes}, 2, {{"body", body.shared()}});
  const Graph graph = propagated(b);
  EXPECT_EQ(known(graph.fact(sizes)), "N");
  EXPECT_EQ(known(graph.fact(y[0])), "");
  EXPECT_FALSE(certainly_equal(graph.fact(y[1]).dim(1), kN)) << graph.fact(y[1]);
}

TEST(Contents, AScanSeesElementsThatDiffer) {
  GraphBuilder body;
  const ValueId state = body.input("state", Fact(DType::kInt64, Shape{1})),
                element = body.input("element", Fact(DType::kInt64, Shape{}));
  body.output(body.op("Add", {state, element}));
  body.output(body.op("ConstantOfShape", {body.op("Unsqueeze", {element, body.constant(Tensor::of<int64_t>({0}))})}));
  GraphBuilder b;
  const ValueId sizes = b.op("Shape", {b.input("x", Fact(DType::kFloat32, Dims{kN, 3}))});
  const ValueId first =
      b.op("Slice", {sizes, b.constant(Tensor::of<int64_t>({0})), b.constant(Tensor::of<int64_t>({1}))});
  const auto y = b.ops("Scan", {first, sizes}, 2, {{"body", body.shared()}, {"num_scan_inputs", int64_t{1}}});
  const Graph graph = propagated(b);
  EXPECT_EQ(known(graph.fact(first)), "N");
  EXPECT_EQ(known(graph.fact(y[0])), "");
  EXPECT_FALSE(certainly_equal(graph.fact(y[1]).dim(1), kN)) << graph.fact(y[1]);
}

class CopyKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    std::ranges::copy(context.input(0).values<int64_t>(), context.output(0).data<int64_t>());
  }
};

/// Adds 1 and infers it. Its kernel is not used.
class Next final : public Op {
 public:
  explicit Next(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { throw Error(ErrorKind::kInternal, "not needed"); }
  bool is_elementwise() const override { return true; }
  Dim element(std::span<const Dim> inputs) const override { return inputs[0] + 1; }
};

class FailingRule final : public Op {
 public:
  explicit FailingRule(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CopyKernel>(); }
  bool is_elementwise() const override { return true; }
  Dim element(std::span<const Dim>) const override { throw Error(ErrorKind::kShape, "no such integer"); }
};

/// Moves elements randomly: two runs may have different results.
class Shuffled final : public Op {
 public:
  explicit Shuffled(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CopyKernel>(); }
  bool moves(int) const override { return true; }
  bool deterministic() const override { return false; }
};

/// Moves elements, but either its kernel fails, or it has a rule that returns more elements than there are.
class Wrong final : public Op {
 public:
  explicit Wrong(const NodeSpec& node) : has_rule_(node.attr_or("rule", false)) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { throw Error(ErrorKind::kUnsupported, "no kernel"); }
  bool moves(int) const override { return !has_rule_; }
  std::optional<Dims> contents(std::span<const Fact>, const Fact&) const override {
    return has_rule_ ? std::optional(Dims{1, 2, 3}) : std::nullopt;
  }

 private:
  bool has_rule_;
};

TEST(Contents, CustomOperatorsSayTheirs) {
  Registry registry = standard_registry();
  registry.add<Next>("Next", {.since = 1, .domain = "own"});
  registry.add<Shuffled>("Shuffled", {.since = 1, .domain = "own"});
  registry.add<FailingRule>("FailingRule", {.since = 1, .domain = "own"});
  registry.add<Wrong>("Wrong", {.since = 1, .domain = "own"});
  const auto own = [&](const char* name, const Attributes& attributes, const Fact& x) {
    return known(facts_of({name, 17, attributes, "own"}, {x}, 1, registry)[0]);
  };
  EXPECT_EQ(own("Next", {}, vector_of({kN, 3, Dim()})), "N+1 4 ?");
  EXPECT_EQ(own("Next", {}, vector_of({1, kN}, DType::kBool)), "");  // a boolean is 0 or 1
  expect_error(ErrorKind::kShape, "FailingRule 'FailingRule1'", [&] { own("FailingRule", {}, vector_of({kN})); });
  EXPECT_EQ(own("Shuffled", {}, vector_of({kN, 3})), "");
  EXPECT_EQ(own("Wrong", {}, vector_of({kN, 3})), "");
  EXPECT_EQ(own("Wrong", {{"rule", int64_t{1}}}, vector_of({kN, 3})), "");
}

}  // namespace
}  // namespace linnet::testing
