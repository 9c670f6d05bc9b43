#include "passes/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

// What is known of the elements of small integer tensors before a run. The rules of operators are held against their
// kernels: expressions, in which numbers take the place of symbols, are what the kernel makes of the numbers.
namespace linnet::testing {
namespace {

const Dim kN("N"), kM("M");

Fact with_contents(DType dtype, const Shape& shape, const Dims& elements) {
  Fact fact(dtype, shape);
  fact.contents = std::make_shared<const Dims>(elements);
  return fact;
}

Fact vector_of(const Dims& elements, DType dtype = DType::kInt64) {
  return with_contents(dtype, Shape{std::ssize(elements)}, elements);
}

Graph propagated(const GraphBuilder& b) {
  Graph graph = b.graph();
  propagate_facts(graph, *std::make_shared<ModelResources>());
  return graph;
}

std::vector<Fact> facts_of(const OpCase& op, const std::vector<Fact>& inputs, int outputs = 1,
                           Registry registry = standard_registry()) {
  GraphBuilder b(op.opset, std::move(registry));
  std::vector<ValueId> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values.push_back(!inputs[i].present() ? kNoValue
                     : inputs[i].constant ? b.constant(inputs[i].constant)
                                          : b.input(str("x", i), inputs[i]));
  }
  const std::vector<ValueId> results = b.ops(op.op_type, values, outputs, op.attributes, op.domain);
  const Graph graph = propagated(b);
  std::vector<Fact> facts;
  for (const ValueId v : results) facts.push_back(graph.fact(v));
  return facts;
}

/// "N+1 3 ?", "" where nothing is known.
std::string known(const Fact& fact) {
  std::string text;
  for (const Dim& dim : elements_of(fact).value_or(Dims())) text += (text.empty() ? "" : " ") + str(dim);
  return text;
}

std::string known(const OpCase& op, const std::vector<Fact>& inputs) { return known(facts_of(op, inputs)[0]); }

Fact ints(const std::vector<int64_t>& numbers) { return Fact(Tensor::of(numbers)); }

// --- Rules against kernels ------------------------------------------------------------------------------------------

class Numbers {
 public:
  Numbers(int64_t n, int64_t m) {
    numbers_.add(kN, n);
    numbers_.add(kM, m);
  }

  /// Unknown elements may be anything.
  Tensor tensor(const Fact& fact) {
    if (!fact.present() || fact.constant) return fact.constant;
    Shape shape;
    for (const Dim& dim : *fact.dims) shape.push_back(numbers_(dim).value());
    Tensor numbers = random_uniform(shape, 0, 2, 5);
    for (int64_t i = 0; fact.contents && i < numbers.size(); ++i) {
      const Dim element = numbers_((*fact.contents)[size_t(i)]);
      if (element.known()) numbers.data<float>()[i] = float(element.value());
    }
    return cast_to(numbers, fact.dtype);
  }

  void expect_fit(const Fact& fact, const Tensor& y) {
    const auto elements = elements_of(fact);
    if (!elements) return;
    const Tensor integers = cast_to(y, DType::kInt64);
    ASSERT_EQ(std::ssize(*elements), integers.size());
    for (int64_t i = 0; i < integers.size(); ++i) {
      const Dim element = numbers_((*elements)[size_t(i)]);
      if (!element.determined()) continue;
      EXPECT_EQ(element.value(), integers.data<int64_t>()[i]) << (*elements)[size_t(i)];
    }
  }

 private:
  DimSubstitution numbers_;
};

/// How many elements of the outputs are known; expects that the kernel gives them.
int known_elements(const OpCase& op, const std::vector<Fact>& inputs, int outputs = 1) {
  SCOPED_TRACE(op.op_type);
  const std::vector<Fact> facts = facts_of(op, inputs, outputs);
  for (const auto& [n, m] : {std::pair(0, 3), {1, 1}, {4, 2}, {7, 30}}) {
    SCOPED_TRACE(str("N = ", n, ", M = ", m));
    Numbers numbers(n, m);
    std::vector<Tensor> tensors;
    for (const Fact& fact : inputs) tensors.push_back(numbers.tensor(fact));
    std::vector<int> constants;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].constant) constants.push_back(int(i));
    }
    const std::vector<Tensor> results = run_op(op, tensors, outputs, constants);
    for (size_t i = 0; i < facts.size(); ++i) numbers.expect_fit(facts[i], results[i]);
  }
  int count = 0;
  for (const Fact& fact : facts) {
    const Dims elements = elements_of(fact).value_or(Dims());
    count += int(std::ranges::count_if(elements, &Dim::determined));
  }
  return count;
}

class Drawn {
 public:
  /// Elements of which most are expressions; of booleans, 0, 1 and unknown ones.
  Fact operator()(DType dtype, const Shape& shape) {
    const Dims integers{kN,         kM, kN + kM, 2 * kN + 1, kN * kM, kN - kM, 0 - kN, floor_div(kN, 2),
                        min(kM, 4), -3, 0,       1,          2,       Dim()};
    const Dims booleans{0, 1, Dim()};
    const Dims& all = dtype == DType::kBool ? booleans : integers;
    Dims elements;
    for (int64_t i = 0; i < shape.elements(); ++i) elements.push_back(all[random_() % all.size()]);
    return with_contents(dtype, shape, elements);
  }

 private:
  std::mt19937 random_{3};
};

TEST(Contents, ElementsAreWhatKernelsGive) {
  struct Case {
    OpCase op;
    std::vector<DType> inputs;
  };
  constexpr DType i64 = DType::kInt64, i32 = DType::kInt32, boolean = DType::kBool;
  const Case cases[] = {
      {{"Add"}, {i64, i64}},
      {{"Sub"}, {i32, i32}},
      {{"Mul"}, {i64, i64}},
      {{"Div"}, {i64, i64}},
      {{"Mod"}, {i64, i64}},
      {{"Mod", 17, {{"fmod", int64_t{1}}}}, {i32, i32}},
      {{"Neg"}, {i64}},
      {{"Abs"}, {i64}},
      {{"Sign"}, {i64}},
      {{"Relu"}, {i32}},
      {{"Identity"}, {i64}},
      {{"Min"}, {i64, i64, i64}},
      {{"Max"}, {i32, i32}},
      {{"Max"}, {i64}},
      {{"Equal"}, {i64, i64}},
      {{"Less"}, {i64, i64}},
      {{"LessOrEqual"}, {i64, i64}},
      {{"Greater"}, {i32, i32}},
      {{"GreaterOrEqual"}, {i64, i64}},
      {{"And"}, {boolean, boolean}},
      {{"Or"}, {boolean, boolean}},
      {{"Xor"}, {boolean, boolean}},
      {{"Equal"}, {boolean, boolean}},
      {{"Not"}, {boolean}},
      {{"Where"}, {boolean, i64, i64}},
      {{"Cast", 17, {{"to", int64_t(i32)}}}, {i64}},
      {{"Cast", 17, {{"to", int64_t(i64)}}}, {i32}},
      {{"Cast", 17, {{"to", int64_t(boolean)}}}, {i64}},
      {{"Cast", 17, {{"to", int64_t(i64)}}}, {boolean}},
      {{"CumSum"}, {i64}},
      {{"CumSum", 17, {{"exclusive", int64_t{1}}}}, {i64}},
      {{"CumSum", 17, {{"exclusive", int64_t{1}}, {"reverse", int64_t{1}}}}, {i64}},
      {{"CumProd", 26}, {i64}},
      {{"ReduceSum", 17}, {i64}},
      {{"ReduceProd", 17, {{"keepdims", int64_t{0}}}}, {i64}},
      {{"ReduceMax", 17}, {i32}},
      {{"ReduceMin", 17}, {i64}},
      {{"ReduceMin", 20}, {boolean}},
      {{"Clip"}, {i64}},
  };
  Drawn drawn;
  for (const Case& c : cases) {
    int count = 0;
    for (const Shape& first : {Shape{6}, Shape{2, 3}, Shape{}}) {
      std::vector<Fact> inputs;
      for (const DType dtype : c.inputs) inputs.push_back(drawn(dtype, inputs.empty() ? first : Shape{3}));
      if (c.op.op_type.starts_with("Cum")) {
        inputs = {drawn(c.inputs[0], Shape{4}), Fact(Tensor::scalar(int64_t{0}))};
      } else if (c.op.op_type.starts_with("Reduce")) {
        inputs = {drawn(c.inputs[0], Shape{2})};
      } else if (c.op.op_type == "Clip") {
        inputs.push_back(Fact());
        inputs.push_back(with_contents(c.inputs[0], Shape{}, {kM}));
      } else if (first == Shape{6} && inputs.size() > 1) {
        inputs[0] = drawn(c.inputs[0], Shape{2, 1});
      }
      count += known_elements(c.op, inputs);
    }
    EXPECT_GT(count, 0) << c.op.op_type;
  }
}

TEST(Contents, ShapesAreElements) {
  const Fact x(DType::kFloat32, Dims{kN, 3, kM + 1});
  EXPECT_EQ(known_elements({"Shape"}, {x}), 3);
  EXPECT_EQ(known_elements({"Shape", 17, {{"start", int64_t{-2}}}}, {x}), 2);
  EXPECT_EQ(known_elements({"Shape", 17, {{"start", int64_t{1}}, {"end", int64_t{2}}}}, {x}), 1);
  EXPECT_EQ(known_elements({"Size"}, {x}), 1);
  EXPECT_EQ(known({"Shape", 17, {{"start", int64_t{-2}}}}, {x}), "3 M+1");
  EXPECT_EQ(known({"Size"}, {x}), "3*M*N+3*N");
}

TEST(Contents, CastLikeIsCast) {
  const Fact x = vector_of({kN, kN + 1, 0, Dim()});
  EXPECT_EQ(known_elements({"CastLike"}, {x, Fact(Tensor::scalar(int32_t{1}))}), 3);
  EXPECT_EQ(known({"CastLike"}, {x, Fact(Tensor::scalar(true))}), "? 1 0 ?");
}

TEST(Contents, RangesOfAKnownLength) {
  const auto scalar = [](const Dim& dim) { return with_contents(DType::kInt64, Shape{}, {dim}); };
  EXPECT_EQ(known({"Range"}, {scalar(kN), scalar(kN + 4), scalar(1)}), "N N+1 N+2 N+3");
  EXPECT_EQ(known_elements({"Range"}, {scalar(kN), scalar(kN + 5), scalar(2)}), 3);
  EXPECT_EQ(known({"Range"}, {scalar(0), scalar(kN), scalar(1)}), "");
}

TEST(Contents, MoversMoveWhatIsKnown) {
  Drawn drawn;
  const auto axis = [](int64_t a) { return Attributes{{"axis", a}}; };
  for (const DType dtype : {DType::kInt64, DType::kInt32, DType::kBool}) {
    const Fact v = drawn(dtype, Shape{6}), m = drawn(dtype, Shape{2, 3}), one = drawn(dtype, Shape{1}),
               scalar = drawn(dtype, Shape{});
    EXPECT_GT(known_elements({"Concat", 17, axis(0)}, {v, one, v}), 0);
    EXPECT_GT(known_elements({"Concat", 17, axis(1)}, {m, m}), 0);
    EXPECT_GT(known_elements({"Gather"}, {v, ints({-1, 0, 0, 3})}), 0);
    EXPECT_GT(known_elements({"Gather"}, {m, Fact(Tensor::scalar(int64_t{1}))}), 0);
    EXPECT_GT(known_elements({"GatherElements"}, {v, ints({5, 0, 1})}), 0);
    EXPECT_GT(known_elements({"Reshape"}, {v, ints({3, -1})}), 0);
    EXPECT_GT(known_elements({"Slice"}, {v, ints({4}), ints({INT64_MIN + 1}), ints({0}), ints({-1})}), 0);
    EXPECT_GT(known_elements({"Unsqueeze"}, {v, ints({0})}), 0);
    EXPECT_GT(known_elements({"Squeeze"}, {with_contents(dtype, Shape{1}, {1})}), 0);
    EXPECT_GT(known_elements({"Transpose"}, {m}), 0);
    EXPECT_GT(known_elements({"Split", 17, axis(0)}, {v, ints({2, 4})}, 2), 0);
    EXPECT_GT(known_elements({"Expand"}, {m, ints({2, 2, 3})}), 0);
    EXPECT_GT(known_elements({"Tile"}, {v, ints({3})}), 0);
    EXPECT_GT(known_elements({"Flatten", 17, axis(0)}, {m}), 0);
    EXPECT_GT(known_elements({"Identity"}, {with_contents(dtype, Shape{2}, {1, Dim()})}), 0);
    EXPECT_GE(known_elements({"Unsqueeze"}, {scalar, ints({0})}), 0);
  }
}

// --- The engine -----------------------------------------------------------------------------------------------------

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
  EXPECT_EQ(known({"Gather"}, {vector_of({kN, kM}), ints({7})}), "");  // the run says what is wrong
}

TEST(Contents, IntegersOf32BitsAreThoseThatFit) {
  const OpCase cast{"Cast", 17, {{"to", int64_t(DType::kInt32)}}};
  EXPECT_EQ(known(cast, {vector_of({int64_t{1} << 31, kN - kN, kN})}), "? 0 N");
  EXPECT_EQ(known({"Mul"}, {vector_of({1 << 30, kN}, DType::kInt32), Fact(Tensor::of<int32_t>({2}))}), "? 2*N");
  DimScope scope;
  EXPECT_EQ(known(cast, {vector_of({kN, Dim()})}), "N ?");
  EXPECT_EQ(known(cast, {vector_of({int64_t{1} << 62, kN})}), "? N");
  scope.take_lessons();
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{kN})), shape = b.op("Shape", {x});
  const ValueId narrow = b.op("Cast", {shape}, cast.attributes);
  const Graph graph = propagated(b);
  EXPECT_EQ(graph.fact(narrow).contents->front().upper_bound(), INT32_MAX);
  EXPECT_EQ(graph.fact(x).dim(0).upper_bound(), INT32_MAX);
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

/// Adds 1 and says so; a kernel is not asked for.
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

/// Moves elements at random: no run is known to do what another does.
class Shuffled final : public Op {
 public:
  explicit Shuffled(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<CopyKernel>(); }
  bool moves(int) const override { return true; }
  bool deterministic() const override { return false; }
};

/// What moves elements by a kernel that fails, or has a rule that says more elements than there are.
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
