#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

const Shape kUnpadded{1, 3, 6, 7};
const Ints kSpatial{0, 0, 1, 2, 0, 0, 0, 1};

ValueId pad(GraphBuilder& b, const Ints& pads, const Attributes& attributes = {}) {
  return b.op("Pad", {b.input("x", kUnpadded), b.constant(Tensor::of(pads))}, attributes);
}

ValueId conv_with(GraphBuilder& b, ValueId x, const Attributes& attributes) {
  return b.op("Conv", {x, b.constant(random_tensor({4, 3, 3, 3}))}, attributes);
}

/// Returns the optimised operators of a pool of a padded input.
std::string pooled(const std::string& op, const Ints& pads, Attributes attributes) {
  GraphBuilder b(19);
  attributes["kernel_shape"] = Ints{3, 4};
  b.output(b.op(op, {pad(b, pads)}, attributes));
  expect_unchanged(b, {random_tensor(kUnpadded)});
  return optimized_ops(b);
}

TEST(FoldPadIntoWindow, ConvAddsThePadsToItsOwn) {
  for (const Attributes& attributes :
       {Attributes{{"pads", Ints{1, 0, 2, 1}}}, Attributes{{"auto_pad", std::string("VALID")}}, Attributes{}}) {
    GraphBuilder b;
    b.output(conv_with(b, pad(b, kSpatial), attributes));
    EXPECT_EQ(optimized_ops(b), "Transpose +Conv Transpose");
    expect_unchanged(b, {random_tensor(kUnpadded)});
  }
}

TEST(FoldPadIntoWindow, AnyNumberOfSpatialAxes) {
  for (const int spatial : {1, 2, 3}) {
    Shape x{1, 3}, w{4, 3};
    Ints pads{0, 0}, ends{0, 0};
    for (int i = 0; i < spatial; ++i) {
      x.push_back(5 + i), w.push_back(3);
      pads.push_back(i), ends.push_back(2);
    }
    pads.insert(pads.end(), ends.begin(), ends.end());
    GraphBuilder b;
    b.output(
        b.op("Conv", {b.op("Pad", {b.input("x", x), b.constant(Tensor::of(pads))}), b.constant(random_tensor(w))}));
    EXPECT_EQ(optimized_ops(b), "Transpose +Conv Transpose");
    expect_unchanged(b, {random_tensor(x)});
  }
}

TEST(FoldPadIntoWindow, PadsOfListedAxesAndOfOldOpsets) {
  GraphBuilder b(18);
  const auto ints = [&](const Ints& values) { return b.constant(Tensor::of(values)); };
  b.output(conv_with(b, b.op("Pad", {b.input("x", kUnpadded), ints({2, 1, 0, 3}), kNoValue, ints({-1, 2})}), {}));
  EXPECT_EQ(optimized_ops(b), "Transpose +Conv Transpose");
  expect_unchanged(b, {random_tensor(kUnpadded)});
  GraphBuilder old(9);
  old.output(conv_with(old, old.op("Pad", {old.input("x", kUnpadded)}, {{"pads", kSpatial}}), {}));
  EXPECT_EQ(optimized_ops(old), "Transpose +Conv Transpose");
  expect_unchanged(old, {random_tensor(kUnpadded)});
}

TEST(FoldPadIntoWindow, ConvKeepsOtherPads) {
  const auto is_kept = [](const Ints& pads, const Attributes& of_pad, const Attributes& of_conv) {
    GraphBuilder b;
    b.output(conv_with(b, pad(b, pads, of_pad), of_conv));
    EXPECT_NE(optimized_ops(b).find("Pad"), std::string::npos);
    expect_unchanged(b, {random_tensor(kUnpadded)});
  };
  is_kept({0, 0, -1, 2, 0, 0, 0, 1}, {}, {});
  is_kept({1, 0, 1, 2, 0, 0, 0, 1}, {}, {});
  is_kept(kSpatial, {{"mode", std::string("edge")}}, {});
  is_kept(kSpatial, {}, {{"auto_pad", std::string("SAME_UPPER")}});
}

TEST(FoldPadIntoWindow, ConvKeepsPadsOfAnotherValue) {
  GraphBuilder b;
  const ValueId pads = b.constant(Tensor::of(kSpatial)), one = b.constant(Tensor::scalar(1.f));
  b.output(conv_with(b, b.op("Pad", {b.input("x", kUnpadded), pads, one}), {}));
  EXPECT_NE(optimized_ops(b).find("Pad"), std::string::npos);
  expect_unchanged(b, {random_tensor(kUnpadded)});
}

TEST(FoldPadIntoWindow, AveragePoolCountsThePadsThatItTakes) {
  EXPECT_EQ(pooled("AveragePool", kSpatial, {}), "AveragePool");
  EXPECT_EQ(pooled("AveragePool", kSpatial, {{"pads", Ints{1, 0, 0, 2}}, {"count_include_pad", int64_t{1}}}),
            "AveragePool");
}

TEST(FoldPadIntoWindow, NotIntoAPoolThatMeansSomethingElse) {
  EXPECT_EQ(pooled("AveragePool", kSpatial, {{"pads", Ints{1, 0, 0, 2}}}), "Pad AveragePool");
  EXPECT_EQ(pooled("AveragePool", kSpatial, {{"ceil_mode", int64_t{1}}, {"strides", Ints{2, 2}}}), "Pad AveragePool");
  EXPECT_EQ(pooled("AveragePool", {0, 0, 3, 0, 0, 0, 0, 0}, {}), "Pad AveragePool");
  EXPECT_EQ(pooled("MaxPool", kSpatial, {}), "Pad MaxPool");
}

TEST(DropIdentity, APadThatAddsNothingGoes) {
  EXPECT_EQ(pooled("MaxPool", Ints(8, 0), {}), "MaxPool");
  EXPECT_EQ(pooled("MaxPool", {0, 0, 1, 0, 0, 0, -1, 0}, {}), "Pad MaxPool");
}

}  // namespace
}  // namespace linnet::testing
