#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ops/traditionalml/rows.h"
#include "support/run_op.h"
#include "support/tree_reference.h"

namespace linnet::testing {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

/// Returns one node that tests x0 <= 0, with two leaves.
Attributes stump(Attributes more) {
  more.merge(Attributes{{"nodes_nodeids", Ints{0, 1, 2}},
                        {"nodes_treeids", Ints{0, 0, 0}},
                        {"nodes_featureids", Ints{0, 0, 0}},
                        {"nodes_values", Floats{0, 0, 0}},
                        {"nodes_modes", Strings{"BRANCH_LEQ", "LEAF", "LEAF"}},
                        {"nodes_truenodeids", Ints{1, 0, 0}},
                        {"nodes_falsenodeids", Ints{2, 0, 0}}});
  return more;
}

Tensor regress(Attributes attributes, const Tensor& x = kRows, int64_t opset = 3) {
  attributes.merge(Attributes{{"n_targets", int64_t{1}},
                              {"target_ids", Ints{0, 0}},
                              {"target_nodeids", Ints{1, 2}},
                              {"target_treeids", Ints{0, 0}},
                              {"target_weights", Floats{0.3f, 0.7f}}});
  return run_op({"TreeEnsembleRegressor", opset, stump(attributes), "ai.onnx.ml"}, {x})[0];
}

std::vector<Tensor> classify(const Ints& ids, const Floats& weights, Attributes more = {}) {
  more.merge(Attributes{{"classlabels_int64s", Ints{5, 6}},
                        {"class_ids", ids},
                        {"class_nodeids", Ints{1, 2}},
                        {"class_treeids", Ints{0, 0}},
                        {"class_weights", weights}});
  return run_op({"TreeEnsembleClassifier", 3, stump(more), "ai.onnx.ml"}, {kRows}, 2);
}

Tensor column(const Floats& values) { return Tensor::of(Shape{int64_t(values.size()), 1}, values); }

TEST(TreeEnsembleRegressor, SendsEqualAndMissingValuesTheRightWay) {
  const Tensor x = column({-1, 0, 1, NAN});
  const auto branch = [&](const std::string& mode, int64_t missing) {
    return regress(
        {{"nodes_modes", Strings{mode, "LEAF", "LEAF"}}, {"nodes_missing_value_tracks_true", Ints{missing, 0, 0}}}, x);
  };
  const float yes = 0.3f, no = 0.7f;
  const std::map<std::string, Floats> want = {{"BRANCH_LEQ", {yes, yes, no}}, {"BRANCH_LT", {yes, no, no}},
                                              {"BRANCH_GTE", {no, yes, yes}}, {"BRANCH_GT", {no, no, yes}},
                                              {"BRANCH_EQ", {no, yes, no}},   {"BRANCH_NEQ", {yes, no, yes}}};
  for (auto [mode, values] : want) {
    values.push_back(no);
    expect_close(branch(mode, 0), column(values));
    values.back() = yes;
    expect_close(branch(mode, 1), column(values));
  }
}

TEST(TreeEnsembleRegressor, AgreesWithItsDefinition) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const RandomTrees trees = random_trees(seed, 1 + int(seed % 3), 3);
    for (const std::string aggregate : {"SUM", "AVERAGE", "MIN", "MAX"}) {
      Attributes attributes = trees.attributes;
      attributes["aggregate_function"] = aggregate;
      attributes["base_values"] = Floats(size_t(trees.targets), 0.25f);
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}) {
        const Tensor x = cast_to(random_uniform({37, 3}, -3, 3, seed), dtype);
        const OpCase op{"TreeEnsembleRegressor", 1, attributes, "ai.onnx.ml"};
        expect_close(run_op(op, {x})[0], tree_reference(trees, x, aggregate, 0.25), 1e-5, 1e-5);
      }
    }
  }
}

TEST(TreeEnsembleRegressor, GivesTheSameForAnyNumberOfThreads) {
  const RandomTrees trees = random_trees(7, 2, 40);
  const Tensor x = random_tensor({1000, 3}, 1);
  const OpCase op{"TreeEnsembleRegressor", 1, trees.attributes, "ai.onnx.ml"};
  EXPECT_TRUE(identical(run_op(op, {x}, 1, {}, Isa::kAuto, 1)[0], run_op(op, {x}, 1, {}, Isa::kAuto, 3)[0]));
}

TEST(TreeEnsembleRegressor, GivesTheSameForAnyNumberOfRows) {
  const RandomTrees trees = random_trees(5, 2, 40);
  const OpCase op{"TreeEnsembleRegressor", 1, trees.attributes, "ai.onnx.ml"};
  const Tensor x = random_uniform({37, 3}, -3, 3, 2), y = run_op(op, {x})[0];
  for (const int64_t rows : {1, 2, 3, 7, 15, 16, 17}) {
    Tensor some(DType::kFloat32, {rows, 3});
    std::copy_n(x.data<float>(), some.size(), some.data<float>());
    const Tensor got = run_op(op, {some})[0];
    EXPECT_TRUE(std::equal(got.data<float>(), got.data<float>() + got.size(), y.data<float>())) << rows;
    expect_close(got, tree_reference(trees, some, "SUM", 0), 1e-5, 1e-5);
  }
}

/// Trees that only test whether a feature is at most the threshold, or only for order, skip tests that others need.
/// Some rows go down a tree together, others go down several trees. Missing values go to the false child.
TEST(TreeEnsembleRegressor, AgreesWithItsDefinitionWhereTreesAskForOrdersOnly) {
  const std::map<std::string, std::string> at_most{{"BRANCH_EQ", "BRANCH_LEQ"},
                                                   {"BRANCH_NEQ", "BRANCH_LT"},
                                                   {"BRANCH_GT", "BRANCH_LT"},
                                                   {"BRANCH_GTE", "BRANCH_LEQ"}};
  const std::map<std::string, std::string> orders{{"BRANCH_EQ", "BRANCH_GTE"}, {"BRANCH_NEQ", "BRANCH_GT"}};
  for (const auto& modes : {at_most, orders}) {
    const auto mode = [&](const std::string& from) { return modes.contains(from) ? modes.at(from) : from; };
    for (const int count : {1, 3, 40}) {
      RandomTrees trees = random_trees(unsigned(count), 1 + count % 2, count);
      for (auto& tree : trees.trees) {
        for (RandomTrees::Node& node : tree) node.mode = mode(node.mode);
      }
      for (std::string& name : std::get<Strings>(trees.attributes["nodes_modes"])) name = mode(name);
      for (const int64_t rows : {1, 7, 8, 16, 20, 30, 100}) {
        Tensor x = random_uniform({rows, 3}, -3, 3, 1);
        for (int64_t i = 0; i < x.size(); i += 5) x.data<float>()[i] = NAN;
        // Some features equal thresholds.
        for (int64_t i = 1; i < x.size(); i += 4) x.data<float>()[i] = float(i % 9) / 2 - 2;
        const OpCase op{"TreeEnsembleRegressor", 1, trees.attributes, "ai.onnx.ml"};
        const Tensor want = tree_reference(trees, x, "SUM", 0);
        expect_close(run_op(op, {x})[0], want, 1e-5, 1e-5);
        expect_close(run_op(op, {cast_to(x, DType::kFloat64)})[0], want, 1e-5, 1e-5);
      }
    }
  }
}

TEST(TreeEnsembleRegressor, ComparesDoubleThresholdsAsSuch) {
  Attributes attributes{{"nodes_values_as_tensor", Tensor::of<double>({0.1, 0, 0})}};
  attributes["nodes_values"] = Floats{};
  expect_close(regress(attributes, Tensor::of(Shape{2, 1}, Doubles{0.1, 0.1 + 1e-12})), column({0.3f, 0.7f}));
}

TEST(TreeEnsembleClassifier, FollowsOnnxRuntimeWithOneColumn) {
  const auto check = [](const std::vector<Tensor>& got, const Ints& labels, const Floats& scores) {
    expect_close(got[0], Tensor::of(labels));
    expect_close(got[1], Tensor::of(Shape{3, 2}, scores), 1e-6);
  };
  const auto with = [](const std::string& name) { return Attributes{{"post_transform", name}}; };
  check(classify({0, 0}, {0.3f, 0.7f}), {6, 5, 5}, {0.3f, 0.7f, 0.7f, 0.3f, 0.7f, 0.3f});
  check(classify({0, 0}, {-0.3f, 0.7f}), {6, 5, 5}, {-0.7f, 0.7f, 0.3f, -0.3f, 0.3f, -0.3f});
  check(classify({1, 1}, {0.3f, 0.7f}), {6, 5, 5}, {0, 0.7f, 0, 0.3f, 0, 0.3f});
  check(classify({0, 0}, {0.3f, 0.7f}, {{"base_values", Floats{0.1f}}}), {6, 5, 5},
        {0.2f, 0.8f, 0.6f, 0.4f, 0.6f, 0.4f});
  check(classify({0, 0}, {-0.3f, 0.7f}, with("LOGISTIC")), {6, 5, 5},
        {0.331812f, 0.668188f, 0.574443f, 0.425557f, 0.574443f, 0.425557f});
  check(classify({0, 0}, {0.3f, 0.7f}, with("SOFTMAX")), {6, 5, 5}, {0.3f, 0.7f, 0.7f, 0.3f, 0.7f, 0.3f});
  check(classify({1, 1}, {0.3f, 0.7f}, with("SOFTMAX_ZERO")), {6, 5, 5}, {0, 1, 0, 1, 0, 1});
}

TEST(TreeEnsembleClassifier, TakesTheTopClass) {
  const auto both = classify({0, 1}, {0.3f, 0.7f}, {{"base_values", Floats{0.1f, 0.4f}}});
  expect_close(both[0], Tensor::of<int64_t>({6, 5, 5}));
  expect_close(both[1], Tensor::of(Shape{3, 2}, Floats{0.1f, 1.1f, 0.4f, 0.4f, 0.4f, 0.4f}), 1e-6);
  // Without base values, only classes with a vote compete.
  const auto three = classify({2, 1}, {-0.1f, -0.2f}, {{"classlabels_int64s", Ints{5, 6, 7}}});
  expect_close(three[0], Tensor::of<int64_t>({6, 7, 7}));
  const auto strings =
      classify({1, 0}, {1, 2}, {{"classlabels_strings", Strings{"a", "b"}}, {"classlabels_int64s", Ints{}}});
  expect_close(strings[0], Tensor::of<std::string>({"a", "b", "b"}));
}

TEST(TreeEnsembleRegressor, RefusesMalformedTrees) {
  const auto refuses = [](const std::string& attribute, const Attribute& value, const std::string& text) {
    expect_error(ErrorKind::kModel, text, [&] { regress({{attribute, value}}); });
  };
  refuses("nodes_truenodeids", Ints{0, 0, 0}, "is below itself");
  refuses("nodes_truenodeids", Ints{7, 0, 0}, "tree 0 has no node 7");
  refuses("nodes_truenodeids", Ints{1, 0}, "nodes_truenodeids must have 3 values, got 2");
  refuses("nodes_nodeids", Ints{0, 1, 1}, "node 1 of tree 0 is defined twice");
  refuses("nodes_treeids", Ints{0, 1, 0}, "tree 0 has no node 1");
  refuses("nodes_featureids", Ints{-1, 0, 0}, "a tree node's feature must be in");
  refuses("nodes_featureids", Ints{INT64_MAX, 0, 0}, "a tree node's feature must be in");
  refuses("nodes_modes", Strings{"BRANCH", "LEAF", "LEAF"}, "nodes_modes must be LEAF or BRANCH_");
  refuses("nodes_values_as_tensor", Tensor::of<double>({0, 0, 0}), "only one of nodes_values");
  refuses("target_ids", Ints{0, 1}, "the target or class of a leaf weight must be in [0,1), got 1");
  refuses("target_nodeids", Ints{0, 3}, "tree 0 has no node 3");
  refuses("target_weights", Floats{1}, "target_weights must have 2 values, got 1");
  refuses("base_values", Floats{1, 2}, "base_values must have 1 values, got 2");
  refuses("n_targets", int64_t{0}, "at least one target");
  refuses("aggregate_function", std::string("MEDIAN"), "aggregate_function must be");
  expect_error(ErrorKind::kLimit, "targets are too large", [] { regress({{"n_targets", int64_t{1} << 32}}); });
  expect_error(ErrorKind::kShape, "X must have 3 features or more", [] {
    regress({{"nodes_featureids", Ints{2, 0, 0}}});
  });
  expect_error(ErrorKind::kShape, "X must have 1 features or more", [] {
    regress({{"nodes_modes", Strings{"LEAF", "LEAF", "LEAF"}}}, Tensor(DType::kFloat32, {2, 0}));
  });
}

TEST(TreeEnsembleRegressor, WalksDeepTreesWithoutRecursion) {
  const int64_t depth = 20000;
  Attributes attributes;
  Ints ids, next, leaf;
  Strings modes;
  for (int64_t i = 0; i < depth; ++i)
    ids.push_back(i), next.push_back(i + 1), leaf.push_back(depth), modes.push_back("BRANCH_LEQ");
  ids.push_back(depth), next.push_back(0), leaf.push_back(0), modes.push_back("LEAF");
  const Ints zeros(ids.size());
  attributes = {{"nodes_nodeids", ids},
                {"nodes_treeids", zeros},
                {"nodes_featureids", zeros},
                {"nodes_modes", modes},
                {"nodes_truenodeids", next},
                {"nodes_falsenodeids", leaf},
                {"nodes_values", Floats(ids.size())},
                {"target_nodeids", Ints{depth, depth}}};
  expect_close(regress(attributes), column({1, 1, 1}), 1e-6);
}

Attributes ensemble() {
  return {{"n_targets", int64_t{2}},
          {"tree_roots", Ints{0}},
          {"nodes_modes", Tensor::of<uint8_t>({0, 6})},
          {"nodes_featureids", Ints{0, 1}},
          {"nodes_splits", Tensor::of<float>({0.5f, 0})},
          {"nodes_truenodeids", Ints{1, 0}},
          {"nodes_trueleafs", Ints{0, 1}},
          {"nodes_falsenodeids", Ints{2, 1}},
          {"nodes_falseleafs", Ints{1, 1}},
          {"membership_values", Tensor::of<float>({2, -1, NAN})},
          {"leaf_targetids", Ints{0, 1, 1}},
          {"leaf_weights", Tensor::of<float>({10, 20, 30})}};
}

TEST(TreeEnsemble, AsksForMembersOfSets) {
  const Tensor x = Tensor::of(Shape{5, 2}, Floats{0, 2, 0.5f, -1, 0, 1, 1, 2, 0, NAN});
  const Tensor want = Tensor::of(Shape{5, 2}, Floats{10, 0, 10, 0, 0, 20, 0, 30, 0, 20});
  expect_close(run_op({"TreeEnsemble", 5, ensemble(), "ai.onnx.ml"}, {x})[0], want);
  Attributes halves = ensemble();
  for (const char* name : {"nodes_splits", "membership_values", "leaf_weights"}) {
    halves[name] = cast_to(std::get<Tensor>(halves[name]), DType::kFloat16);
  }
  expect_close(run_op({"TreeEnsemble", 5, halves, "ai.onnx.ml"}, {cast_to(x, DType::kFloat16)})[0],
               cast_to(want, DType::kFloat16));
}

// Rounding does not turn a value into a member, and a missing value does not follow the comparison.
TEST(TreeEnsemble, AsksForMembersExactlyAndByTheFlagOfMissingValues) {
  const Tensor x = Tensor::of(Shape{3, 2}, Floats{0, 2.5f, 0, -1.5f, 0, NAN});
  Attributes attributes = ensemble();
  attributes["nodes_missing_value_tracks_true"] = Ints{0, 1};
  expect_close(run_op({"TreeEnsemble", 5, attributes, "ai.onnx.ml"}, {x})[0],
               Tensor::of(Shape{3, 2}, Floats{0, 20, 0, 20, 10, 0}));
}

/// Two nodes on each of 40 levels both lead to the two nodes on the next level: more than 2^40 paths.
TEST(TreeEnsemble, WalksNodesThatSeveralOthersShare) {
  const int64_t levels = 40;
  Ints features, yes, no, leafs;
  Floats splits;
  for (int64_t i = 0; i < 2 * levels; ++i) {
    const bool last = i / 2 + 1 == levels;
    const int64_t next = last ? 0 : (i / 2 + 1) * 2, flip = i % 2;
    features.push_back(i % 3), splits.push_back(float(i * 7 % 11) / 11 - 0.5f);
    yes.push_back(next + flip), no.push_back(next + 1 - flip), leafs.push_back(last);
  }
  const Ints roots{0, 1, 30, 2 * levels - 1};
  const Attributes attributes{
      {"tree_roots", roots},          {"nodes_modes", Tensor::of(std::vector<uint8_t>(features.size(), 0))},
      {"nodes_featureids", features}, {"nodes_splits", Tensor::of(splits)},
      {"nodes_truenodeids", yes},     {"nodes_trueleafs", leafs},
      {"nodes_falsenodeids", no},     {"nodes_falseleafs", leafs},
      {"leaf_targetids", Ints{0, 0}}, {"leaf_weights", Tensor::of<float>({1, 100})}};
  const Tensor x = random_uniform({37, 3}, -0.6f, 0.6f, 3);
  Tensor want(DType::kFloat32, {37, 1});
  for (int64_t r = 0; r < 37; ++r) {
    float& sum = want.data<float>()[r] = 0;
    for (const int64_t root : roots) {
      auto at = size_t(root);
      for (; !leafs[at]; at = size_t(x.data<float>()[r * 3 + features[at]] <= splits[at] ? yes[at] : no[at])) {
      }
      const bool first = (x.data<float>()[r * 3 + features[at]] <= splits[at] ? yes[at] : no[at]) == 0;
      sum += first ? 1 : 100;
    }
  }
  expect_close(run_op({"TreeEnsemble", 5, attributes, "ai.onnx.ml"}, {x})[0], want);
}

TEST(TreeEnsemble, NumbersTheTransformsAsTheSpecificationDoes) {
  const Tensor x = Tensor::of(Shape{1, 2}, Floats{0, 2});
  const auto transformed = [&](int64_t number) {
    Attributes attributes = ensemble();
    attributes["leaf_weights"] = Tensor::of<float>({1, 0, 0});
    attributes["post_transform"] = number;
    return run_op({"TreeEnsemble", 5, attributes, "ai.onnx.ml"}, {x})[0];
  };
  const float e = std::exp(1.0f);
  expect_close(transformed(1), Tensor::of(Shape{1, 2}, Floats{e / (e + 1), 1 / (e + 1)}), 1e-6);
  expect_close(transformed(2), Tensor::of(Shape{1, 2}, Floats{e / (e + 1), 0.5f}), 1e-6);
  expect_close(transformed(3), Tensor::of(Shape{1, 2}, Floats{1, 0}));
}

TEST(TreeEnsemble, RefusesMalformedTrees) {
  const auto refuses = [](const std::string& attribute, const Attribute& value, const std::string& text) {
    Attributes attributes = ensemble();
    attributes[attribute] = value;
    expect_error(ErrorKind::kModel, text, [&] { run_op({"TreeEnsemble", 5, attributes, "ai.onnx.ml"}, {kRows}); });
  };
  refuses("nodes_truenodeids", Ints{0, 0}, "is below itself");
  refuses("nodes_truenodeids", Ints{2, 0}, "a child that is a node must be in [0,2), got 2");
  refuses("nodes_falsenodeids", Ints{3, 1}, "a child that is a leaf must be in [0,3), got 3");
  refuses("tree_roots", Ints{2}, "a child that is a node must be in [0,2), got 2");
  refuses("nodes_modes", Tensor::of<uint8_t>({0, 7}), "nodes_modes must be in [0,6], got 7");
  refuses("nodes_modes", Tensor::of<int64_t>({0, 6}), "nodes_modes must be a tensor of uint8");
  refuses("nodes_splits", Tensor::of<float>({0}), "nodes_splits must have 2 values, got 1");
  refuses("leaf_targetids", Ints{0, 2, 1}, "the target or class of a leaf weight must be in [0,2), got 2");
  refuses("post_transform", int64_t{5}, "post_transform must be in [0,4], got 5");
}

}  // namespace
}  // namespace linnet::testing
