#include "plan/growing_graph.h"

#include <gtest/gtest.h>

#include "compile/model_resources.h"
#include "environment/rows.h"
#include "passes/passes.h"
#include "run/growing_run.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"
#include "tensor/polynomial.h"

namespace linnet::testing {
namespace {

constexpr int64_t kRows = 4, kRoom = 8;

/// Values that depend on the rows of a state [1, 2, P, 4], to which a run adds one, and on a mask [1, P+1] of all of
/// them.
class Lengths {
 public:
  GraphBuilder b{24};
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{1, 2, Dim("P"), 4}));
  const ValueId mask = b.input("mask", Fact(DType::kInt64, Dims{1, Dim("P") + 1}));
  const ValueId row = b.constant(random_tensor({1, 2, 1, 4}, 7));
  const ValueId present = b.op("Concat", {past, row}, {{"axis", int64_t{2}}});

  Lengths() { b.output(present); }

  ValueId ints(const std::vector<int64_t>& values) { return b.constant(Tensor::of(values)); }
  ValueId one(int64_t value) { return b.constant(Tensor::scalar(value)); }
  ValueId table(const Shape& shape) {
    Tensor values(DType::kInt64, shape);
    for (int64_t i = 0; i < values.size(); ++i) values.data<int64_t>()[i] = i * i + 1;
    return b.constant(values);
  }
  ValueId dim(ValueId x, int64_t axis) { return b.op("Gather", {b.op("Shape", {x}), one(axis)}); }
  ValueId vector(ValueId number) { return b.op("Unsqueeze", {number, ints({0})}); }
  ValueId joined(const std::vector<ValueId>& parts, int64_t axis = 0) {
    return b.op("Concat", parts, {{"axis", axis}});
  }
  /// The positions 0, 1, ... of all rows, and those of the new ones.
  ValueId places() { return b.op("Range", {one(0), dim(mask, 1), one(1)}); }
  ValueId new_places(int64_t count = 1) {
    const ValueId begin = dim(past, 2);
    return b.op("Range", {begin, b.op("Add", {begin, one(count)}), one(1)});
  }
  ValueId floats(ValueId v) { return b.op("Cast", {v}, {{"to", int64_t{1}}}); }

  Growth growth() const { return {{{past, 0, 2}}, {0}, {Dim("P")}, {1}}; }

  /// Returns the graph at full capacity, and expects its outputs to be equal to those of the original graph.
  std::optional<GrowingGraph> growing() const {
    const auto resources = std::make_shared<ModelResources>();
    Graph open = b.graph();
    Bounds bounds;
    bounds.certain = bounds.assumed = {0, 15};  // tables have 16 rows
    DimSubstitution bounded;
    bounded.add(Dim("P"), bounded_symbol(**Polynomial::atom_of(Dim("P")), bounds));
    substitute_dims(open, bounded);
    propagate_facts(open, *resources);
    fold_constants(open);
    auto result = growing_graph(open, growth(), {kRoom});
    if (result) expect_outputs(*result);
    return result;
  }

 private:
  static Tensor with_room(const Tensor& x, int axis) {
    Tensor y(x.dtype(), with_rows(x.shape(), axis, kRoom));
    copy_rows(x, axis, x.dim(axis), y);
    clear_rows(y, axis, x.dim(axis), kRoom);
    return y;
  }

  void expect_outputs(const GrowingGraph& growing) const {
    Tensor ones(DType::kInt64, {1, kRows + 1});
    for (int64_t i = 0; i <= kRows; ++i) ones.data<int64_t>()[i] = i != 1;
    const std::vector<Tensor> inputs{random_tensor({1, 2, kRows, 4}, 3), ones};
    std::vector<Tensor> wide{Tensor::of(std::vector<int64_t>{kRows})};
    for (const auto& [index, axis] : growing.sources) {
      wide.push_back(axis < 0 ? inputs[index] : with_room(inputs[index], axis));
    }
    const auto want = run_model(make_model(b.graph(), {.optimization = 0}), inputs);
    const auto got = run_model(make_model(growing.graph, {.optimization = 0}), wide);
    ASSERT_EQ(got.size(), want.size());
    EXPECT_TRUE(identical(got[0], with_room(want[0], 2)));
    for (size_t i = 1; i < got.size(); ++i) EXPECT_TRUE(identical(got[i], want[i])) << i << ": " << describe(got[i]);
  }
};

/// Expects that no node is compiled for each number of rows.
void expect_carried(const Lengths& g) {
  const auto growing = g.growing();
  ASSERT_TRUE(growing);
  for (const RowRegion& region : growing->regions) EXPECT_TRUE(region.body->nodes().empty());
}

/// Expects that `output` is computed from copies of the rows in use.
void expect_copied(Lengths& g, ValueId output) {
  g.b.output(output);
  const auto growing = g.growing();
  ASSERT_TRUE(growing);
  size_t nodes = 0;
  for (const RowRegion& region : growing->regions) nodes += region.body->nodes().size();
  EXPECT_GT(nodes, 0u);
}

TEST(GrowingGraph, CarriesElementWiseNodes) {
  Lengths g;
  const ValueId kept = g.b.op("Unsqueeze", {g.floats(g.mask), g.ints({1, 2})});
  const ValueId less = g.b.op("Sub", {g.b.constant(Tensor::scalar(1.0f)), kept});
  g.b.output(g.b.op("Mul", {less, g.b.constant(Tensor::scalar(-1e9f))}));
  const ValueId causal = g.b.op("LessOrEqual", {g.places(), g.b.op("Unsqueeze", {g.new_places(), g.ints({1})})});
  g.b.output(g.b.op("And", {g.b.op("Unsqueeze", {causal, g.ints({0, 1})}), g.b.op("Greater", {kept, less})}));
  g.b.output(g.b.op("Neg", {g.past}));
  g.b.output(g.b.op("Neg", {g.present}));
  for (const char* op : {"Div", "Mod"}) g.b.output(g.b.op(op, {g.ints({12}), g.mask}));
  expect_carried(g);
}

TEST(GrowingGraph, CarriesNodesThatMoveElements) {
  Lengths g;
  const ValueId shape = g.joined({g.ints({1, 1, 3}), g.vector(g.dim(g.mask, 1))});
  g.b.output(g.b.op("Expand", {g.floats(g.places()), shape}));
  g.b.output(g.b.op("ConstantOfShape", {shape}));
  g.b.output(g.b.op("Reshape", {g.joined({g.mask, g.mask}), g.ints({1, 1, 2, -1})}));
  g.b.output(g.b.op("Unsqueeze", {g.mask, g.ints({2})}));
  g.b.output(g.joined({g.b.op("Unsqueeze", {g.mask, g.ints({2})}), g.b.op("Unsqueeze", {g.mask, g.ints({-1})})}, 2));
  g.b.output(g.b.op("Transpose", {g.present}, {{"perm", std::vector<int64_t>{2, 0, 3, 1}}}));
  for (const ValueId half : g.b.ops("Split", {g.present, g.ints({3, 1})}, 2, {{"axis", int64_t{3}}})) g.b.output(half);
  g.b.output(g.b.op("Slice", {g.present, g.ints({1, 0}), g.ints({2, INT64_MAX}), g.ints({1, 2})}));
  g.b.output(g.b.op("CumSum", {g.mask, g.one(1)}));
  expect_carried(g);
}

TEST(GrowingGraph, KnowsNumbersThatDependOnRows) {
  Lengths g;
  g.b.output(g.b.op("Gather", {g.table({64}), g.new_places()}));
  g.b.output(g.new_places(100));
  g.b.output(g.b.op("Shape", {g.mask}));
  g.b.output(g.b.op("Shape", {g.past}, {{"start", int64_t{-3}}, {"end", int64_t{-1}}}));
  g.b.output(g.b.op("Cast", {g.dim(g.past, 2)}, {{"to", int64_t{6}}}));
  g.b.output(g.b.op("Equal", {g.dim(g.past, 2), g.one(kRows)}));
  g.b.output(g.b.op("ReduceSum", {g.mask, g.ints({1})}));
  g.b.output(g.b.op("ReduceSum", {g.b.op("Cast", {g.mask}, {{"to", int64_t{6}}}), g.ints({1})}));
  expect_carried(g);
}

TEST(GrowingGraph, TakesRowsOfTables) {
  Lengths g;
  const ValueId begin = g.vector(g.dim(g.past, 2)), end = g.vector(g.dim(g.mask, 1));
  g.b.output(g.b.op("Slice", {g.table({16, 3}), begin, end}));
  g.b.output(g.b.op("Slice", {g.table({16, 16}), g.joined({begin, g.ints({0})}), g.joined({end, end})}));
  g.b.output(g.b.op("Slice", {g.mask, g.ints({-1}), g.ints({INT64_MAX}), g.ints({1})}));
  g.b.output(g.b.op("Gather", {g.present, g.one(-1)}, {{"axis", int64_t{2}}}));
  g.b.output(g.b.op("Gather", {g.present, g.ints({0, 1})}, {{"axis", int64_t{1}}}));
  expect_carried(g);
}

/// Gathers columns of a mask with GatherND, as exporters write indexing by several tensors.
ValueId gathered(Lengths& g, ValueId data, ValueId row, ValueId column, const Attributes& attributes = {},
                 int64_t axis = -1) {
  const auto spread = [&](ValueId v) {
    return g.b.op("Unsqueeze", {g.b.op("Expand", {v, g.b.op("Shape", {g.mask})}), g.ints({2})});
  };
  return g.b.op("GatherND", {data, g.joined({spread(row), spread(column)}, axis)}, attributes);
}

TEST(GrowingGraph, GathersRowsInTheirOrder) {
  Lengths g;
  g.b.output(gathered(g, g.mask, g.ints({0}), g.places()));
  g.b.output(gathered(g, g.table({2, 3}), g.ints({1}), g.ints({2})));
  g.b.output(gathered(g, g.table({1, 6}), g.ints({0}), g.new_places()));
  g.b.output(g.b.op("Gather", {g.mask, g.places()}, {{"axis", int64_t{-1}}}));
  const ValueId column = g.b.op("Flatten", {g.mask}, {{"axis", int64_t{2}}});
  g.b.output(
      g.b.op("Gather", {g.b.op("Squeeze", {column, g.ints({1})}), g.b.op("Unsqueeze", {g.places(), g.ints({0})})}));
  expect_carried(g);
}

TEST(GrowingGraph, CopiesWhatIsReadAlong) {
  const std::vector<std::pair<const char*, Attributes>> ops{{"CumSum", {{"reverse", int64_t{1}}}},
                                                            {"Softmax", {{"axis", int64_t{1}}}},
                                                            {"ReduceMax", {}},
                                                            {"ArgMax", {{"axis", int64_t{1}}}}};
  for (const auto& [op, attributes] : ops) {
    Lengths g;
    std::vector<ValueId> inputs{std::string_view(op) == "Softmax" ? g.floats(g.mask) : g.mask};
    if (std::string_view(op) == "CumSum") inputs.push_back(g.one(1));
    if (std::string_view(op) == "ReduceMax") inputs.push_back(g.ints({1}));
    expect_copied(g, g.b.op(op, inputs, attributes));
  }
}

TEST(GrowingGraph, CopiesProductsWithRows) {
  Lengths g;
  const ValueId q = g.b.constant(random_tensor({1, 2, 3, 4}, 5));
  const ValueId scores =
      g.b.op("MatMul", {q, g.b.op("Transpose", {g.present}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}})});
  expect_copied(g, g.b.op("MatMul", {g.b.op("Softmax", {scores}), g.present}));
}

TEST(GrowingGraph, CopiesWhatHasRowsTwice) {
  Lengths g;
  expect_copied(g, g.b.op("ReduceSum", {g.b.op("Mul", {g.b.op("Unsqueeze", {g.mask, g.ints({1})}),
                                                       g.b.op("Unsqueeze", {g.mask, g.ints({2})})}),
                                        g.ints({1})}));
}

TEST(GrowingGraph, CopiesSumsBehindWhichThereAreNoZeros) {
  Lengths floats;
  expect_copied(floats, floats.b.op("ReduceSum", {floats.floats(floats.mask), floats.ints({1})}));
  Lengths computed;
  const ValueId more = computed.b.op("Add", {computed.mask, computed.ints({1})});
  expect_copied(computed, computed.b.op("ReduceSum", {more, computed.ints({1})}));
  Lengths product;
  expect_copied(product, product.b.op("ReduceProd", {product.mask, product.ints({1})}));
}

TEST(GrowingGraph, CopiesWhatIsMovedToOtherRows) {
  Lengths reversed;
  expect_copied(reversed, reversed.b.op("Slice", {reversed.mask, reversed.ints({-1}), reversed.ints({INT64_MIN}),
                                                  reversed.ints({1}), reversed.ints({-1})}));
  Lengths shape;
  expect_copied(shape, shape.b.op("Reshape", {shape.joined({shape.mask, shape.mask}), shape.ints({-1, 2})}));
  Lengths front;
  expect_copied(front, front.joined({front.row, front.present}, 2));
  Lengths twice;
  expect_copied(twice, twice.b.op("Gather", {twice.table({6}), twice.places()}));
  Lengths by_place;
  expect_copied(by_place,
                by_place.b.op("Gather", {by_place.mask, by_place.b.op("Sub", {by_place.places(), by_place.one(1)})},
                              {{"axis", int64_t{1}}}));
}

TEST(GrowingGraph, CopiesWhatIsGatheredOtherwise) {
  Lengths order;
  expect_copied(order, gathered(order, order.mask, order.ints({0}), order.b.op("Sub", {order.places(), order.one(1)})));
  Lengths all_one;
  all_one.b.output(gathered(all_one, all_one.mask, all_one.ints({0}), all_one.ints({2})));
  ASSERT_TRUE(all_one.growing());
  Lengths batches;
  const ValueId rows = batches.b.op("Unsqueeze", {batches.mask, batches.ints({0})});
  expect_copied(batches, gathered(batches, rows, batches.ints({0}), batches.places(), {{"batch_dims", int64_t{1}}}));
}

TEST(GrowingGraph, HasOneRegionForWhatNoOtherNodeDivides) {
  Lengths g;
  const ValueId sum = g.b.op("ReduceSum", {g.b.op("Softmax", {g.floats(g.mask)}), g.ints({1})});
  g.b.output(g.b.op("ReduceMax", {g.b.op("Mul", {g.floats(g.mask), sum}), g.ints({1})}));
  g.b.output(g.b.op("ReduceProd", {g.mask, g.ints({1})}));
  const auto growing = g.growing();
  ASSERT_TRUE(growing);
  EXPECT_EQ(growing->regions.size(), 2u);
}

TEST(GrowingGraph, IsNotMadeWhereOtherDimsAreOpen) {
  Lengths g;
  g.b.output(g.b.op("Neg", {g.b.input("other", Fact(DType::kInt64, Dims{1, Dim("U")}))}));
  const auto resources = std::make_shared<ModelResources>();
  Graph open = g.b.graph();
  propagate_facts(open, *resources);
  EXPECT_FALSE(growing_graph(open, g.growth(), {kRoom}));
}

}  // namespace
}  // namespace linnet::testing
