#include "rewrites/linear_dims.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "compile/model_resources.h"
#include "graph/rewrite.h"
#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Sizes = std::map<std::string, int64_t>;

/// A graph on x [N, 3], looked at for two N.
class Lengths {
 public:
  explicit Lengths(int64_t opset = 18) : b(opset) {}

  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 3}));

  ValueId ints(const std::vector<int64_t>& values) { return b.constant(Tensor::of(values)); }
  ValueId one(int64_t value) { return b.constant(Tensor::scalar(value)); }
  ValueId n() { return b.op("Gather", {b.op("Shape", {x}), ints({0})}); }
  ValueId plus(ValueId v, int64_t more) { return b.op("Add", {v, ints({more})}); }
  ValueId scalar(ValueId v) { return b.op("Squeeze", {v}); }
  /// Something whose dims are the contents of a value.
  ValueId of_shape(ValueId v) { return b.op("Expand", {b.constant(Tensor::scalar(1.0f)), v}); }

  Graph with(const Sizes& sizes) const {
    Graph graph = b.graph();
    for (const ValueId v : graph.inputs()) {
      Fact fact = graph.fact(v);
      for (Dim& dim : *fact.dims) {
        if (!dim.known()) dim = sizes.at(dim.symbol());
      }
      graph.set_fact(v, std::move(fact));
    }
    propagate_facts(graph, *std::make_shared<ModelResources>());
    return graph;
  }
  bool are_linear(const Sizes& first = {{"N", 4}}, const Sizes& second = {{"N", 6}}) const {
    return sizes(first, second) == kAllSizes;
  }
  int64_t sizes(const Sizes& first = {{"N", 4}}, const Sizes& second = {{"N", 6}}) const {
    return linear_dims(b.graph(), with(first), with(second));
  }
};

TEST(LinearDims, HoldForSumsAndProductsWithConstants) {
  Lengths g;
  const ValueId twice = g.b.op("Mul", {g.plus(g.n(), 1), g.ints({2})});
  g.of_shape(g.b.op("Concat", {twice, g.ints({5})}, {{"axis", int64_t{0}}}));
  g.b.op("Reshape", {g.x, g.ints({-1})});
  g.b.op("Range", {g.scalar(g.n()), g.scalar(twice), g.one(1)});
  g.b.op("MatMul", {g.x, g.b.op("Transpose", {g.x})});
  g.b.op("Pad", {g.x, g.b.op("Concat", {g.n(), g.ints({0, 1, 1})}, {{"axis", int64_t{0}}})});
  EXPECT_TRUE(g.are_linear());
}

TEST(LinearDims, HoldForProductsByCodes) {
  Lengths g;
  const ValueId codes = g.b.constant(Tensor(DType::kUint8, {2, 1, 8})), scales = g.b.constant(random_tensor({2}));
  g.b.op("MatMulNBits", {g.x, codes, scales}, {{"K", int64_t{3}}, {"N", int64_t{2}}, {"block_size", int64_t{16}}},
         "com.microsoft");
  EXPECT_TRUE(g.are_linear());
}

TEST(LinearDims, HoldForPartsWhoseBoundsStayInside) {
  for (const auto& [start, end] : std::vector<std::pair<int64_t, int64_t>>{{1, INT64_MAX}, {0, 4}, {-4, -1}, {2, -1}}) {
    Lengths g;
    g.b.op("Slice", {g.x, g.ints({start}), g.ints({end})});
    EXPECT_TRUE(g.are_linear()) << start << " " << end;
  }
}

TEST(LinearDims, HoldForWhatDoesNotChange) {
  Lengths g;
  g.b.op("DepthToSpace", {g.b.constant(random_tensor({1, 4, 1, 1}))}, {{"blocksize", int64_t{2}}});
  g.of_shape(g.b.op("Div", {g.ints({6}), g.ints({2})}));
  EXPECT_TRUE(g.are_linear());
}

TEST(LinearDims, DoNotHoldWhereDimsDependOnContents) {
  Lengths g;
  g.b.op("NonZero", {g.b.input("other", Shape{2, 3})});
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, DoNotHoldForQuotients) {
  Lengths g;
  g.of_shape(g.b.op("Div", {g.n(), g.ints({2})}));
  EXPECT_FALSE(g.are_linear()) << "4, 6, 7 give 2, 3, 3";
}

TEST(LinearDims, DoNotHoldForSumsWithQuotients) {
  Lengths g;
  g.of_shape(g.plus(g.b.op("Div", {g.n(), g.ints({2})}), 1));
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, DoNotHoldWhereContentsAreKnownForOneSizeOnly) {
  Lengths g;
  const ValueId size = g.plus(g.n(), 1);
  g.of_shape(size);
  const Graph a = g.with({{"N", 4}});
  Graph b = g.with({{"N", 6}});
  b.set_fact(size, Fact(DType::kInt64, Shape{1}));
  EXPECT_EQ(linear_dims(g.b.graph(), a, b), 0);
  EXPECT_EQ(linear_dims(g.b.graph(), b, a), 0);
}

TEST(LinearDims, HoldUntilASliceReachesTheEnd) {
  Lengths g;
  g.b.op("Slice", {g.b.constant(random_tensor({2, 10})), g.ints({0}), g.n(), g.ints({1})});
  EXPECT_EQ(g.sizes(), 3) << "4, 6, 8 and 10 of 10 columns";
  EXPECT_EQ(g.sizes({{"N", 9}}, {{"N", 10}}), 1);
  EXPECT_EQ(g.sizes({{"N", 10}}, {{"N", 11}}), 0);
}

TEST(LinearDims, HoldForASplitOfWhatDoesNotChange) {
  Lengths parts;
  parts.b.ops("Split", {parts.x}, 3, {{"axis", int64_t{1}}, {"num_outputs", int64_t{3}}});
  EXPECT_TRUE(parts.are_linear());
  Lengths lengths;
  lengths.b.ops("Split", {lengths.x}, 2, {{"axis", int64_t{0}}, {"num_outputs", int64_t{2}}});
  EXPECT_FALSE(lengths.are_linear()) << "4, 6, 7 give 2, 3, 4";
}

TEST(LinearDims, DoNotHoldForSquares) {
  Lengths contents;
  contents.of_shape(contents.b.op("Mul", {contents.n(), contents.n()}));
  EXPECT_FALSE(contents.are_linear());
  Lengths tiles;
  tiles.b.op("Tile", {tiles.x, tiles.b.op("Concat", {tiles.n(), tiles.ints({1})}, {{"axis", int64_t{0}}})});
  EXPECT_FALSE(tiles.are_linear());
  Lengths joined;
  joined.b.op("Reshape", {joined.b.op("MatMul", {joined.x, joined.b.op("Transpose", {joined.x})}), joined.ints({-1})});
  EXPECT_FALSE(joined.are_linear());
}

TEST(LinearDims, DoNotHoldForFactorsThatBothGrow) {
  Lengths g;
  const ValueId all = g.b.input("all", Fact(DType::kFloat32, Dims{Dim("A")}));
  g.b.op("Reshape", {all, g.b.op("Concat", {g.plus(g.n(), -2), g.plus(g.n(), -1)}, {{"axis", int64_t{0}}})});
  EXPECT_FALSE(g.are_linear({{"N", 4}, {"A", 6}}, {{"N", 5}, {"A", 12}}));
}

TEST(LinearDims, DoNotHoldWhereDimsShrink) {
  Lengths g;
  g.b.op("Range", {g.scalar(g.n()), g.one(10), g.one(1)});
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, DoNotHoldFromNothingOn) {
  Lengths g;
  g.b.op("Slice", {g.x, g.ints({4}), g.ints({INT64_MAX})});
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, DoNotHoldForOperatorsOfWhichNothingIsKnown) {
  for (const char* domain : {"", "com.microsoft", "linnet"}) {
    Lengths g;
    if (std::string_view(domain).empty()) {
      g.b.op("DepthToSpace", {g.b.op("Unsqueeze", {g.b.op("Expand", {g.x, g.ints({4, 1, 1})}), g.ints({0})})},
             {{"blocksize", int64_t{2}}});
    } else if (std::string_view(domain) == "linnet") {
      g.b.op("Gemm", {g.x, g.b.constant(random_tensor({3, 2}))}, {}, domain);
    } else {
      g.b.op("Trilu", {g.x}, {}, domain);
    }
    EXPECT_FALSE(g.are_linear()) << domain;
  }
}

TEST(LinearDims, DoNotHoldForOtherStepsOfRanges) {
  Lengths wide;
  wide.b.op("Range", {wide.one(0), wide.scalar(wide.n()), wide.one(2)});
  EXPECT_FALSE(wide.are_linear()) << "4, 6, 7 give 2, 3, 4";
  Lengths growing;
  growing.b.op("Range", {growing.one(0), growing.one(2), growing.scalar(growing.plus(growing.n(), -3))});
  EXPECT_FALSE(growing.are_linear({{"N", 4}}, {{"N", 5}}));
  Lengths floats;
  const ValueId limit = floats.b.op("Cast", {floats.scalar(floats.n())}, {{"to", int64_t{1}}});
  floats.b.op("Range", {floats.b.constant(Tensor::scalar(0.0f)), limit, floats.b.constant(Tensor::scalar(1.0f))});
  EXPECT_FALSE(floats.are_linear());
}

TEST(LinearDims, DoNotHoldWhereAxesChange) {
  Lengths unsqueezed;
  unsqueezed.b.op("Unsqueeze", {unsqueezed.x, unsqueezed.plus(unsqueezed.n(), -4)});
  EXPECT_FALSE(unsqueezed.are_linear({{"N", 4}}, {{"N", 5}}));
  Lengths padded;
  const ValueId axis = padded.plus(padded.n(), -4);
  padded.b.op("Pad", {padded.x, padded.ints({1, 1}), padded.b.constant(Tensor::scalar(0.0f)), axis});
  EXPECT_FALSE(padded.are_linear({{"N", 4}}, {{"N", 5}}));
}

TEST(LinearDims, DoNotHoldForOtherStepsOfParts) {
  Lengths wide;
  wide.b.op("Slice", {wide.x, wide.ints({0}), wide.ints({INT64_MAX}), wide.ints({0}), wide.ints({2})});
  EXPECT_FALSE(wide.are_linear());
  Lengths growing;
  growing.b.op("Slice", {growing.x, growing.ints({0}), growing.ints({INT64_MAX}), growing.ints({0}),
                         growing.plus(growing.n(), -3)});
  EXPECT_FALSE(growing.are_linear({{"N", 4}}, {{"N", 5}}));
}

TEST(LinearDims, DoNotHoldWhereBoundsOfPartsMeetTheEnd) {
  for (const auto& [start, end] : std::vector<std::pair<int64_t, int64_t>>{{0, 5}, {-5, INT64_MAX}, {0, -5}, {5, 9}}) {
    Lengths g;
    g.b.op("Slice", {g.x, g.ints({start}), g.ints({end})});
    EXPECT_FALSE(g.are_linear()) << start << " " << end;
  }
}

TEST(LinearDims, DoNotHoldWhereBoundsGrowFasterThanTheData) {
  Lengths g;
  const ValueId end = g.b.op("Mul", {g.plus(g.n(), -3), g.ints({2})});
  g.b.op("Slice", {g.x, g.ints({0}), end});
  EXPECT_FALSE(g.are_linear({{"N", 4}}, {{"N", 5}})) << "2 of 4, 4 of 5, 5 of 6";
}

TEST(LinearDims, DoNotHoldWhereBoundsCrossZero) {
  Lengths from_end;
  from_end.b.op("Slice", {from_end.x, from_end.plus(from_end.n(), -10), from_end.ints({INT64_MAX})});
  EXPECT_FALSE(from_end.are_linear({{"N", 7}}, {{"N", 8}})) << "-3, -2, -1, 0";
  Lengths shrinking;
  const ValueId start = shrinking.b.op("Sub", {shrinking.ints({6}), shrinking.n()});
  shrinking.b.op("Slice", {shrinking.x, start, shrinking.ints({INT64_MAX})});
  EXPECT_FALSE(shrinking.are_linear({{"N", 4}}, {{"N", 5}})) << "2, 1, 0, -1";
}

TEST(LinearDims, DoNotHoldWhereAnOpenEndComesDown) {
  Lengths g;
  const ValueId many = g.ints({int64_t{std::numeric_limits<int32_t>::max()} + 4});
  g.b.op("Slice", {g.x, g.ints({0}), g.b.op("Sub", {many, g.n()})});
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, DoNotHoldForPartsOfBeforeOpset10) {
  Lengths g(9);
  g.b.op("Slice", {g.x}, {{"starts", std::vector<int64_t>{1}}, {"ends", std::vector<int64_t>{5}}});
  EXPECT_FALSE(g.are_linear());
}

TEST(LinearDims, HoldForAMaximumThatStays) {
  Lengths g;
  g.of_shape(g.b.op("Max", {g.n(), g.ints({3})}));
  g.of_shape(g.b.op("Max", {g.ints({2}), g.n()}));
  EXPECT_TRUE(g.are_linear());
}

TEST(LinearDims, DoNotHoldForAMaximumThatMayChange) {
  Lengths g;
  g.of_shape(g.b.op("Max", {g.n(), g.ints({5})}));
  EXPECT_FALSE(g.are_linear());
  Lengths slow;
  slow.of_shape(slow.b.op("Max", {slow.b.op("Mul", {slow.n(), slow.ints({2})}), slow.plus(slow.n(), 100)}));
  EXPECT_FALSE(slow.are_linear());
}

/// As torch writes a shape to expand to, in which -1 stands for a dim that stays.
ValueId expanded_to(Lengths& g, ValueId shape, const std::vector<int64_t>& unless) {
  const ValueId ones =
      g.b.op("ConstantOfShape", {g.ints({int64_t(unless.size())})}, {{"value", Tensor::of(std::vector<int64_t>{1})}});
  return g.of_shape(g.b.op("Where", {g.b.op("Equal", {shape, g.ints(unless)}), ones, shape}));
}

TEST(LinearDims, HoldForChoicesThatStay) {
  Lengths g;
  const ValueId shape = g.b.op("Concat", {g.ints({1}), g.n()}, {{"axis", int64_t{0}}});
  expanded_to(g, shape, {-1, -1});
  expanded_to(g, shape, {1, 3});
  EXPECT_TRUE(g.are_linear());
}

TEST(LinearDims, DoNotHoldForChoicesThatMayChange) {
  for (const int64_t unless : {4, 5, 6, 7, 100}) {
    Lengths g;
    expanded_to(g, g.n(), {unless});
    EXPECT_FALSE(g.are_linear()) << unless;
  }
  Lengths slower;
  const ValueId twice = slower.b.op("Mul", {slower.n(), slower.ints({2})});
  slower.of_shape(
      slower.b.op("Where", {slower.b.op("Equal", {slower.plus(slower.n(), 20), twice}), twice, slower.n()}));
  EXPECT_FALSE(slower.are_linear());
  Lengths curved;
  const ValueId square = curved.b.op("Mul", {curved.n(), curved.n()}),
                never = curved.b.op("Equal", {curved.ints({3}), curved.ints({4})});
  curved.of_shape(curved.b.op("Where", {never, curved.n(), square}));
  EXPECT_FALSE(curved.are_linear());
}

TEST(LinearDims, DoNotHoldForOtherChoices) {
  Lengths least;
  least.of_shape(least.b.op("Min", {least.n(), least.ints({5})}));
  EXPECT_FALSE(least.are_linear());
  Lengths of_three;
  of_three.of_shape(of_three.b.op("Max", {of_three.n(), of_three.ints({3}), of_three.ints({5})}));
  EXPECT_FALSE(of_three.are_linear());
  Lengths of_one;
  of_one.of_shape(of_one.b.op("Max", {of_one.n()}));
  EXPECT_FALSE(of_one.are_linear());
  Lengths pairs;
  const ValueId both = pairs.b.op("Concat", {pairs.n(), pairs.ints({5})}, {{"axis", int64_t{0}}});
  pairs.of_shape(pairs.b.op("Max", {both, pairs.ints({3})}));
  EXPECT_FALSE(pairs.are_linear());
  Lengths floats;
  const ValueId size = floats.b.op("Cast", {floats.n()}, {{"to", int64_t{1}}});
  const ValueId largest = floats.b.op("Max", {size, floats.b.constant(Tensor::of({1}, std::vector<float>{5}))});
  floats.of_shape(floats.b.op("Cast", {largest}, {{"to", int64_t{7}}}));
  EXPECT_FALSE(floats.are_linear());
}

TEST(LinearDims, DoNotHoldForElementsAtPlacesThatChange) {
  for (const char* op : {"Gather", "Slice"}) {
    Lengths g;
    const ValueId at = g.plus(g.n(), -4), table = g.ints({2, 3, 9, 27});
    g.of_shape(std::string_view(op) == "Gather" ? g.b.op(op, {table, at}) : g.b.op(op, {table, at, g.plus(at, 1)}));
    EXPECT_FALSE(g.are_linear({{"N", 4}}, {{"N", 5}})) << op;
  }
}

TEST(LinearDims, DoNotHoldForRanksThatChange) {
  Lengths g;
  g.of_shape(g.b.op("Expand", {g.ints({2}), g.n()}));
  EXPECT_FALSE(g.are_linear({{"N", 2}}, {{"N", 3}}));
}

TEST(LinearDims, DoNotHoldForIntegersThatAreMadeOtherNumbers) {
  Lengths g;
  const ValueId left = g.b.op("Cast", {g.b.op("Sub", {g.ints({8}), g.n()})}, {{"to", int64_t{9}}});
  g.of_shape(g.b.op("Where", {left, g.ints({3}), g.ints({5})}));
  EXPECT_FALSE(g.are_linear()) << "true, true, false";
  Lengths back;
  const ValueId half = back.b.op("Mul", {back.b.op("Cast", {back.n()}, {{"to", int64_t{1}}}),
                                         back.b.constant(Tensor::of({1}, std::vector<float>{0.5f}))});
  back.of_shape(back.b.op("Cast", {half}, {{"to", int64_t{7}}}));
  EXPECT_FALSE(back.are_linear());
}

/// Add of another meaning: the square.
class Square final : public Op {
 public:
  explicit Square(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    Fact y(in[0].dtype, in[0].dims);
    if (in[0].constant) {
      y.constant = in[0].constant.clone();
      int64_t* value = y.constant.data<int64_t>();
      *value *= *value;
    }
    return {y};
  }
  KernelPtr compile(const CompileInput&) const override { return nullptr; }
};

TEST(LinearDims, DoNotHoldForOperatorsOfOtherDomains) {
  auto registry = std::make_shared<Registry>(standard_registry());
  registry->add<Square>("Add", {.since = 1, .domain = "example"});
  Graph graph(registry);
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Dims{Dim("N")}));
  const auto add = [&](NodeSpec spec, const std::vector<ValueId>& inputs) {
    spec.name = spec.op_type;
    return graph.node(graph.add_node(spec, inputs, {spec.op_type + "_y"})).outputs[0];
  };
  const ValueId size = add({.op_type = "Shape", .opset = 18}, {x});
  const ValueId square = add({.op_type = "Add", .domain = "example", .opset = 1}, {size});
  add({.op_type = "ConstantOfShape", .opset = 18}, {square});
  const auto with = [&](int64_t n) {
    Graph result = graph;
    result.set_fact(x, Fact(DType::kFloat32, Shape{n}));
    propagate_facts(result, *std::make_shared<ModelResources>());
    return result;
  };
  EXPECT_EQ(linear_dims(graph, with(2), with(3)), 0);
}

}  // namespace
}  // namespace linnet::testing
