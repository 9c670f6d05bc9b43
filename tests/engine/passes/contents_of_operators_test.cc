#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/known_contents.h"
#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

// Compares what operators infer about the elements of their outputs with their kernels. With numbers in place of the
// symbols, the inferred expressions must be equal to the results of the kernel.
namespace linnet::testing {
namespace {

class Numbers {
 public:
  Numbers(int64_t n, int64_t m) {
    numbers_.add(kN, n);
    numbers_.add(kM, m);
  }

  /// Unknown elements may have any value.
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

/// Returns the number of known elements in the outputs, and expects the kernel to compute the same ones.
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
  /// Returns elements, most of which are expressions. Booleans are 0, 1 and unknown.
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

TEST(ContentsOfOperators, ElementsAreWhatKernelsGive) {
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

TEST(ContentsOfOperators, ShapesAreElements) {
  const DimScope scope({kN, kM});  // 3 M N may exceed 64 bits
  const Fact x(DType::kFloat32, Dims{kN, 3, kM + 1});
  EXPECT_EQ(known_elements({"Shape"}, {x}), 3);
  EXPECT_EQ(known_elements({"Shape", 17, {{"start", int64_t{-2}}}}, {x}), 2);
  EXPECT_EQ(known_elements({"Shape", 17, {{"start", int64_t{1}}, {"end", int64_t{2}}}}, {x}), 1);
  EXPECT_EQ(known_elements({"Size"}, {x}), 1);
  EXPECT_EQ(known({"Shape", 17, {{"start", int64_t{-2}}}}, {x}), "3 M+1");
  EXPECT_EQ(known({"Size"}, {x}), "3*M*N+3*N");
}

TEST(ContentsOfOperators, CastLikeIsCast) {
  const DimScope scope({kN});  // N + 1 may exceed 32 bits
  const Fact x = vector_of({kN, kN + 1, 0, Dim()});
  EXPECT_EQ(known_elements({"CastLike"}, {x, Fact(Tensor::scalar(int32_t{1}))}), 3);
  EXPECT_EQ(known({"CastLike"}, {x, Fact(Tensor::scalar(true))}), "? 1 0 ?");
}

TEST(ContentsOfOperators, RangesOfAKnownLength) {
  const auto scalar = [](const Dim& dim) { return with_contents(DType::kInt64, Shape{}, {dim}); };
  EXPECT_EQ(known({"Range"}, {scalar(kN), scalar(kN + 4), scalar(1)}), "N N+1 N+2 N+3");
  EXPECT_EQ(known_elements({"Range"}, {scalar(kN), scalar(kN + 5), scalar(2)}), 3);
  EXPECT_EQ(known({"Range"}, {scalar(0), scalar(kN), scalar(1)}), "");
}

TEST(ContentsOfOperators, MoversMoveWhatIsKnown) {
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

}  // namespace
}  // namespace linnet::testing
