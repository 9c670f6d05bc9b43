#include "rewrites/growing_columns.h"

#include <gtest/gtest.h>

#include <map>

#include "compile/model_resources.h"
#include "graph/rewrite.h"
#include "passes/passes.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kTotal = 5, kRoom = 8;

/// What depends on the rows of a state [1, 2, rows, 4], to which a run adds one, and on a mask [1, T] of all of them.
class Lengths {
 public:
  GraphBuilder b{24};
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{1, 2, Dim(kCapacity), 4}));
  const ValueId rows = b.input("rows", Fact(DType::kInt64, Dims{1}));
  const ValueId mask = b.input("mask", Fact(DType::kInt64, Dims{1, Dim("T")}));

  ValueId ints(const std::vector<int64_t>& values) { return b.constant(Tensor::of(values)); }
  ValueId one(int64_t value) { return b.constant(Tensor::scalar(value)); }
  ValueId table(const Shape& shape) {
    Tensor values(DType::kInt64, shape);
    for (int64_t i = 0; i < values.size(); ++i) values.data<int64_t>()[i] = i * i + 1;
    return b.constant(values);
  }
  ValueId dim(ValueId x, int64_t axis) { return b.op("Gather", {b.op("Shape", {x}), one(axis)}); }
  ValueId joined(const std::vector<ValueId>& parts, int64_t axis = 0) {
    return b.op("Concat", parts, {{"axis", axis}});
  }
  /// A value whose dims no rule tells.
  ValueId assume(ValueId v, const Dims& dims) {
    assumed_[v] = dims;
    return v;
  }
  /// 0, 1, ... of each row, and those of the new ones.
  ValueId places() { return assume(b.op("Range", {one(0), dim(mask, 1), one(1)}), {Dim("T")}); }
  ValueId new_places() {
    const ValueId begin = dim(past, 2);
    return assume(b.op("Range", {begin, b.op("Add", {begin, one(1)}), one(1)}), {1});
  }
  ValueId floats(ValueId v) { return b.op("Cast", {v}, {{"to", int64_t{1}}}); }

  std::optional<Graph> columns() const {
    Graph graph = b.graph();
    for (const NodeId id : graph.nodes()) {
      infer_facts(graph, graph.node(id), *std::make_shared<ModelResources>());
      for (const ValueId v : graph.node(id).outputs) {
        if (assumed_.contains(v)) graph.set_fact(v, Fact(graph.fact(v).dtype, assumed_.at(v)));
      }
    }
    fold_constants(graph);
    const std::vector<NodeId> nodes(graph.nodes().begin(), graph.nodes().end());
    return compute_columns(graph, nodes, {{past}, rows, 1, Dim("T")});
  }

  /// Expects that outputs for as many columns as there is room for begin with those for the rows in use. `axis` of them
  /// has the columns, if any.
  void expect_columns(std::optional<int> axis) const {
    const auto wide = columns();
    ASSERT_TRUE(wide);
    const std::vector<Tensor> want = outputs(b.graph(), kTotal - 1, kTotal), got = outputs(*wide, kRoom, kRoom);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      Shape shape = want[i].shape();
      if (axis) shape[*axis] = kRoom;
      ASSERT_EQ(got[i].shape(), shape);
      expect_begins_with(cast_to(got[i], DType::kInt64), cast_to(want[i], DType::kInt64), axis);
    }
  }

 private:
  static std::vector<Tensor> outputs(const Graph& graph, int64_t past_rows, int64_t columns) {
    Tensor ones(DType::kInt64, {1, columns});
    for (int64_t i = 0; i < columns; ++i) ones.data<int64_t>()[i] = i < kTotal && i != 1;
    const Model model = make_model(graph, {.optimization = 0});
    return run_model(
        model, {Tensor(DType::kFloat32, {1, 2, past_rows, 4}), Tensor::of(std::vector<int64_t>{kTotal - 1}), ones});
  }

  static void expect_begins_with(const Tensor& got, const Tensor& want, std::optional<int> axis) {
    int64_t before = 1;
    for (int d = 0; axis && d < *axis; ++d) before *= want.dim(d);
    const int64_t length = want.size() / before, stride = got.size() / before;
    const int64_t behind = axis ? length / want.dim(*axis) : 1;
    for (int64_t i = 0; i < before; ++i) {
      for (int64_t j = 0; j < (axis ? kTotal * behind : length); ++j) {
        ASSERT_EQ(got.data<int64_t>()[i * stride + j], want.data<int64_t>()[i * length + j]) << i << " " << j;
      }
    }
  }

  std::map<ValueId, Dims> assumed_;
};

TEST(GrowingColumns, AreThoseOfTheRowsInUse) {
  Lengths g;
  const ValueId kept = g.b.op("Unsqueeze", {g.floats(g.mask), g.ints({1, 2})});
  const ValueId less = g.b.op("Sub", {g.b.constant(Tensor::scalar(1.0f)), kept});
  g.b.output(g.b.op("Mul", {less, g.b.constant(Tensor::scalar(-1e9f))}));
  const ValueId causal = g.b.op("LessOrEqual", {g.places(), g.b.op("Unsqueeze", {g.new_places(), g.ints({1})})});
  g.b.output(g.b.op("And", {g.b.op("Unsqueeze", {causal, g.ints({0, 1})}), g.b.op("Greater", {kept, less})}));
  const ValueId shape = g.joined({g.ints({1, 1, 3}), g.b.op("Unsqueeze", {g.dim(g.mask, 1), g.ints({0})})});
  g.b.output(g.assume(g.b.op("Expand", {g.floats(g.places()), shape}), {1, 1, 3, Dim("T")}));
  g.b.output(g.assume(g.b.op("ConstantOfShape", {shape}), {1, 1, 3, Dim("T")}));
  g.b.output(g.b.op("Reshape", {g.joined({g.mask, g.mask}), g.ints({1, 1, 2, -1})}));
  g.expect_columns(3);
}

TEST(GrowingColumns, StandAtOtherAxes) {
  Lengths g;
  g.b.output(g.b.op("Unsqueeze", {g.mask, g.ints({2})}));
  g.b.output(g.joined({g.b.op("Unsqueeze", {g.mask, g.ints({2})}), g.b.op("Unsqueeze", {g.mask, g.ints({-1})})}, 2));
  g.expect_columns(1);
}

TEST(GrowingColumns, GiveNumbers) {
  Lengths g;
  g.b.output(g.b.op("Gather", {g.table({64}), g.new_places()}));
  g.b.output(g.b.op("Shape", {g.mask}));
  g.b.output(g.b.op("Shape", {g.past}, {{"start", int64_t{-3}}, {"end", int64_t{-1}}}));
  g.b.output(g.b.op("ReduceSum", {g.mask, g.ints({1})}));
  g.b.output(g.b.op("ReduceSum", {g.b.op("Cast", {g.mask}, {{"to", int64_t{6}}}), g.ints({1})}));
  g.expect_columns(std::nullopt);
}

/// Columns of a mask that are gathered by GatherND, as exporters write indexing by several tensors.
ValueId gathered(Lengths& g, ValueId data, ValueId row, ValueId column, const Attributes& attributes = {},
                 int64_t axis = -1) {
  const auto spread = [&](ValueId v) {
    return g.b.op("Unsqueeze",
                  {g.assume(g.b.op("Expand", {v, g.b.op("Shape", {g.mask})}), {1, Dim("T")}), g.ints({2})});
  };
  return g.b.op("GatherND", {data, g.joined({spread(row), spread(column)}, axis)}, attributes);
}

TEST(GrowingColumns, AreGatheredInTheirOrder) {
  Lengths g;
  g.b.output(g.assume(gathered(g, g.mask, g.ints({0}), g.places()), {1, Dim("T")}));
  g.b.output(g.assume(gathered(g, g.table({2, 3}), g.ints({1}), g.ints({2})), {1, Dim("T")}));
  g.b.output(g.b.op("Gather", {g.mask, g.places()}, {{"axis", int64_t{-1}}}));
  const ValueId column = g.assume(g.b.op("Flatten", {g.mask}, {{"axis", int64_t{2}}}), {Dim("T"), 1});
  g.b.output(
      g.b.op("Gather", {g.b.op("Squeeze", {column, g.ints({1})}), g.b.op("Unsqueeze", {g.places(), g.ints({0})})}));
  g.expect_columns(1);
}

void expect_none(Lengths& g, ValueId output) {
  g.b.output(output);
  EXPECT_FALSE(g.columns());
}

TEST(GrowingColumns, AreNotThoseOfAState) {
  Lengths g;
  expect_none(g, g.b.op("Neg", {g.past}));
}

TEST(GrowingColumns, AreNotOfOtherLengths) {
  Lengths g;
  expect_none(g, g.b.op("Neg", {g.b.input("other", Fact(DType::kInt64, Dims{1, Dim("U")}))}));
  Lengths shape;
  expect_none(shape, shape.b.op("Shape", {shape.b.input("other", Fact(DType::kInt64, Dims{1, Dim("U")}))}));
}

TEST(GrowingColumns, DoNotMeetEachOther) {
  Lengths g;
  expect_none(g,
              g.b.op("Mul", {g.b.op("Unsqueeze", {g.mask, g.ints({1})}), g.b.op("Unsqueeze", {g.mask, g.ints({2})})}));
}

TEST(GrowingColumns, AreNotReadAlong) {
  const std::vector<std::pair<const char*, Attributes>> ops{
      {"CumSum", {}}, {"Softmax", {{"axis", int64_t{1}}}}, {"ReduceMax", {}}, {"ArgMax", {{"axis", int64_t{1}}}}};
  for (const auto& [op, attributes] : ops) {
    Lengths g;
    std::vector<ValueId> inputs{std::string_view(op) == "Softmax" ? g.floats(g.mask) : g.mask};
    if (std::string_view(op) == "CumSum") inputs.push_back(g.one(1));
    if (std::string_view(op) == "ReduceMax") inputs.push_back(g.ints({1}));
    expect_none(g, g.b.op(op, inputs, attributes));
  }
}

TEST(GrowingColumns, DoNotComeInPairs) {
  Lengths g;
  const ValueId two = g.joined({g.mask, g.mask});
  const auto halves = g.b.ops("Split", {two, g.ints({1, 1})}, 2);
  g.b.output(halves[0]);
  expect_none(g, halves[1]);
}

TEST(GrowingColumns, AreNotDivided) {
  for (const char* op : {"Div", "Mod"}) {
    Lengths g;
    expect_none(g, g.b.op(op, {g.ints({12}), g.mask}));
    Lengths floats;
    if (std::string_view(op) == "Mod") continue;
    floats.b.output(floats.b.op(op, {floats.floats(floats.mask), floats.b.constant(Tensor::scalar(0.5f))}));
    floats.expect_columns(1);
  }
}

TEST(GrowingColumns, AreNotMovedToOtherColumns) {
  Lengths reshaped;
  expect_none(reshaped, reshaped.assume(reshaped.b.op("Reshape", {reshaped.joined({reshaped.mask, reshaped.mask}),
                                                                  reshaped.ints({-1, 2})}),
                                        {Dim("T"), 2}));
  Lengths reversed;
  expect_none(reversed,
              reversed.assume(reversed.b.op("Slice", {reversed.mask, reversed.ints({-1}), reversed.ints({INT64_MIN}),
                                                      reversed.ints({1}), reversed.ints({-1})}),
                              {1, Dim("T")}));
  Lengths by_input;
  const ValueId steps = by_input.b.input("steps", Shape{1});
  const ValueId ints = by_input.b.op("Cast", {steps}, {{"to", int64_t{7}}});
  expect_none(by_input, by_input.assume(by_input.b.op("Slice", {by_input.mask, by_input.ints({0}),
                                                                by_input.ints({INT64_MAX}), by_input.ints({1}), ints}),
                                        {1, Dim("T")}));
}

TEST(GrowingColumns, AreNotMadeOfNothing) {
  Lengths g;
  const ValueId shape = g.joined({g.ints({0}), g.b.op("Unsqueeze", {g.dim(g.mask, 1), g.ints({0})})});
  const ValueId none = g.b.input("none", Fact(DType::kInt64, Dims{0, 3}));
  expect_none(g, g.assume(g.b.op("Reshape", {none, shape}, {{"allowzero", int64_t{1}}}), {0, Dim("T")}));
}

TEST(GrowingColumns, AreNotABeginningOfATable) {
  Lengths g;
  const ValueId end = g.b.op("Unsqueeze", {g.dim(g.mask, 1), g.ints({0})});
  expect_none(g, g.assume(g.b.op("Slice", {g.table({1, 6}), g.ints({0}), end, g.ints({1})}), {1, Dim("T")}));
}

TEST(GrowingColumns, DoNotBeginElsewhere) {
  Lengths start;
  const ValueId begin = start.dim(start.past, 2);
  expect_none(
      start,
      start.assume(start.b.op("Range", {begin, start.b.op("Add", {begin, start.dim(start.mask, 1)}), start.one(1)}),
                   {Dim("T")}));
  Lengths step;
  const ValueId delta = step.b.op("Sub", {step.dim(step.mask, 1), step.dim(step.past, 2)});
  expect_none(step, step.assume(step.b.op("Range", {step.one(0), step.dim(step.mask, 1), delta}), {Dim("T")}));
}

TEST(GrowingColumns, HaveNoShapesThatContentsTell) {
  Lengths columns;
  const ValueId sum = columns.b.op("ReduceSum", {columns.mask, columns.ints({1})}, {{"keepdims", int64_t{0}}});
  expect_none(columns, columns.assume(columns.b.op("ConstantOfShape", {columns.joined({columns.ints({1}), sum})}),
                                      {1, Dim("T")}));
  Lengths fixed;
  const ValueId count = fixed.b.op("ReduceSum", {fixed.mask, fixed.ints({1})}, {{"keepdims", int64_t{0}}});
  expect_none(fixed, fixed.assume(fixed.b.op("ConstantOfShape", {count}), {4}));
}

TEST(GrowingColumns, HaveNoNumbersInStepsThatChange) {
  Lengths step;
  const ValueId begin = step.dim(step.past, 2), delta = step.b.op("Sub", {step.dim(step.mask, 1), begin});
  expect_none(step, step.assume(step.b.op("Range", {begin, step.b.op("Add", {begin, delta}), delta}), {1}));
  Lengths narrow;
  const ValueId first = narrow.b.op("Cast", {narrow.dim(narrow.past, 2)}, {{"to", int64_t{6}}});
  const ValueId step32 = narrow.b.constant(Tensor::scalar<int32_t>(1));
  expect_none(narrow, narrow.assume(narrow.b.op("Range", {first, narrow.b.op("Add", {first, step32}), step32}), {1}));
  Lengths real;
  const ValueId at = real.floats(real.dim(real.past, 2)), step1 = real.b.constant(Tensor::scalar(1.0f));
  expect_none(real, real.assume(real.b.op("Range", {at, real.b.op("Add", {at, step1}), step1}), {1}));
}

TEST(GrowingColumns, AreNotGatheredOtherwise) {
  Lengths order;
  expect_none(order, order.assume(gathered(order, order.mask, order.ints({0}),
                                           order.b.op("Add", {order.places(), order.one(1)})),
                                  {1, Dim("T")}));
  Lengths all_one;
  expect_none(all_one,
              all_one.assume(gathered(all_one, all_one.mask, all_one.ints({0}), all_one.ints({2})), {1, Dim("T")}));
  Lengths by_column;
  expect_none(by_column,
              by_column.assume(gathered(by_column, by_column.table({1, 6}), by_column.ints({0}), by_column.places()),
                               {1, Dim("T")}));
  Lengths by_length;
  expect_none(by_length, by_length.assume(
                             gathered(by_length, by_length.table({1, 6}), by_length.ints({0}), by_length.new_places()),
                             {1, Dim("T")}));
}

TEST(GrowingColumns, AreNotGatheredFromOtherPlaces) {
  Lengths order;
  expect_none(order, order.b.op("Gather", {order.mask, order.b.op("Add", {order.places(), order.one(1)})},
                                {{"axis", int64_t{1}}}));
  Lengths other_axis;
  expect_none(other_axis, other_axis.b.op("Gather", {other_axis.mask, other_axis.ints({0})}));
  Lengths twice;
  expect_none(twice, twice.b.op("Gather", {twice.b.op("Unsqueeze", {twice.mask, twice.ints({0})}), twice.places()}));
  Lengths table;
  expect_none(table, table.b.op("Gather", {table.table({6}), table.places()}));
}

TEST(GrowingColumns, AreNotGatheredInOtherStepsOrFromElsewhere) {
  for (const auto& [start, delta] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {0, 2}}) {
    Lengths g;
    const ValueId places = g.assume(g.b.op("Range", {g.one(start), g.dim(g.mask, 1), g.one(delta)}), {Dim("T")});
    expect_none(g, g.assume(gathered(g, g.mask, g.ints({0}), places), {1, Dim("T")}));
  }
  Lengths fixed;
  const ValueId some = fixed.assume(fixed.b.op("Range", {fixed.one(0), fixed.dim(fixed.mask, 1), fixed.one(1)}), {1});
  expect_none(fixed, fixed.assume(gathered(fixed, fixed.mask, fixed.ints({0}), some), {1, Dim("T")}));
}

TEST(GrowingColumns, AreNotGatheredByOtherForms) {
  Lengths batches;
  const ValueId rows = batches.b.op("Unsqueeze", {batches.mask, batches.ints({0})});
  expect_none(batches,
              batches.assume(gathered(batches, rows, batches.ints({0}), batches.places(), {{"batch_dims", int64_t{1}}}),
                             {1, Dim("T")}));
  Lengths alone;
  expect_none(alone, alone.assume(alone.b.op("GatherND", {alone.table({6, 2}),
                                                          alone.b.op("Unsqueeze", {alone.mask, alone.ints({2})})}),
                                  {1, Dim("T"), 2}));
  Lengths behind;
  const ValueId wide = behind.b.op("Unsqueeze", {behind.mask, behind.ints({0})});
  expect_none(behind,
              behind.assume(gathered(behind, wide, behind.ints({0}), behind.ints({0})), {1, Dim("T"), Dim("T")}));
  Lengths pairs;
  const ValueId at = pairs.b.constant(Tensor::of({1, 1, 2}, std::vector<int64_t>{0, 1}));
  const ValueId both = pairs.b.op("Expand", {at, pairs.joined({pairs.b.op("Shape", {pairs.mask}), pairs.ints({1})})});
  const ValueId column = pairs.b.op("Unsqueeze", {pairs.mask, pairs.ints({2})});
  expect_none(pairs,
              pairs.assume(pairs.b.op("GatherND", {pairs.table({2, 2, 2}),
                                                   pairs.joined({pairs.assume(both, {1, Dim("T"), 2}), column}, 2)}),
                           {1, Dim("T")}));
}

TEST(GrowingColumns, AreSummedAsIntegersOfTheRunOnly) {
  Lengths floats;
  expect_none(floats, floats.b.op("ReduceSum", {floats.floats(floats.mask), floats.ints({1})}));
  Lengths computed;
  const ValueId more = computed.b.op("Add", {computed.mask, computed.ints({1})});
  expect_none(computed, computed.b.op("ReduceSum", {more, computed.ints({1})}));
  Lengths product;
  expect_none(product, product.b.op("ReduceProd", {product.mask, product.ints({1})}));
}

}  // namespace
}  // namespace linnet::testing
