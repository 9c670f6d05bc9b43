#include "roofline/node_cost.h"

#include <gtest/gtest.h>

#include "linnet/registry.h"
#include "roofline/roofline.h"

namespace linnet::testing {
namespace {

/// Returns a tensor without contents. Only its dtype and shape matter.
Tensor of(const Shape& shape, DType dtype = DType::kFloat32) { return Tensor::wrap(dtype, shape, nullptr); }

struct Spec {
  std::string op_type;
  Attributes attributes{};
  std::string domain{};
  int64_t opset = 27;
};

NodeCost cost(const Registry& registry, const Spec& spec, const std::vector<Tensor>& in,
              const std::vector<Tensor>& out) {
  NodeSpec node;
  node.op_type = spec.op_type;
  node.domain = spec.domain;
  node.opset = spec.opset;
  node.attributes = spec.attributes;
  node.num_inputs = int(in.size());
  node.num_outputs = int(out.size());
  std::vector<const Tensor*> inputs, outputs;
  for (const Tensor& x : in) inputs.push_back(&x);
  for (const Tensor& x : out) outputs.push_back(&x);
  return node_cost(node, *registry.create(node), {inputs, outputs});
}

NodeCost cost(const Spec& spec, const std::vector<Tensor>& in, const std::vector<Tensor>& out) {
  static const Registry registry = standard_registry();
  return cost(registry, spec, in, out);
}

int64_t products(const Spec& spec, const std::vector<Tensor>& in, const Tensor& out) {
  return cost(spec, in, {out}).multiply_adds;
}

TEST(MultiplyAdds, OfConvolutions) {
  // 16 x 8 x 8 outputs of 3 x 3 x 3 products each.
  EXPECT_EQ(products({"Conv"}, {of({1, 3, 8, 8}), of({16, 3, 3, 3})}, of({1, 16, 8, 8})), 27648);
  EXPECT_EQ(products({"Conv", {}, "linnet"}, {of({1, 8, 8, 3}), of({16, 3, 3, 3})}, of({1, 8, 8, 16})), 27648);
  // One channel in each of 16 groups.
  EXPECT_EQ(products({"PlaneConv", {}, "linnet"}, {of({1, 3, 8, 8}), of({16, 3, 3, 3})}, of({1, 16, 8, 8})), 27648);
  EXPECT_EQ(products({"Conv"}, {of({1, 16, 8, 8}), of({16, 1, 3, 3})}, of({1, 16, 8, 8})), 9216);
  // 4 x 5 x 5 inputs, each multiplied by 6 x 2 x 2 weights.
  EXPECT_EQ(products({"ConvTranspose"}, {of({1, 4, 5, 5}), of({4, 6, 2, 2})}, of({1, 6, 6, 6})), 2400);
  EXPECT_EQ(products({"CausalConvWithState"}, {of({2, 3, 7}), of({3, 1, 4})}, of({2, 3, 7})), 168);
}

TEST(MultiplyAdds, OfDeformableConvolutions) {
  const std::vector<Tensor> in{of({1, 4, 6, 6}), of({8, 4, 3, 3}), of({1, 18, 4, 4})};
  EXPECT_EQ(products({"DeformConv"}, in, of({1, 8, 4, 4})), 4608);  // 8 x 4 x 4 outputs of 4 x 3 x 3
  EXPECT_EQ(products({"deform_conv2d", {}, "custom"}, in, of({1, 8, 4, 4})), 4608);
  const std::vector<Tensor> last{of({1, 6, 6, 4}), of({8, 4, 3, 3}), of({1, 4, 4, 18})};
  EXPECT_EQ(products({"DeformConv", {}, "linnet"}, last, of({1, 4, 4, 8})), 4608);
}

TEST(MultiplyAdds, OfFusedConvolutions) {
  // 4 x 4 pixels of 8 channels, from 2 + 4 channels each.
  const std::vector<Tensor> concatenated{of({8, 6, 1, 1}), {}, {}, {}, {}, of({1, 4, 4, 2}), of({1, 4, 4, 4})};
  EXPECT_EQ(products({"PointwiseConv", {}, "linnet"}, concatenated, of({1, 4, 4, 8})), 768);
  // 6 x 6 pixels of 12 x 3, then 4 x 4 x 12 outputs of 3 x 3.
  const std::vector<Tensor> expanded{of({1, 6, 6, 3}), of({12, 3, 1, 1}), of({12, 1, 3, 3})};
  EXPECT_EQ(products({"PointwiseDepthwiseConv", {}, "linnet"}, expanded, of({1, 4, 4, 12})), 1296 + 1728);
  // 4 x 4 pixels of 3 x 3 x 3, then of 8 x 3.
  const std::vector<Tensor> separable{of({1, 6, 6, 3}), of({3, 1, 3, 3}), of({8, 3, 1, 1})};
  EXPECT_EQ(products({"DepthwisePointwiseConv", {}, "linnet"}, separable, of({1, 4, 4, 8})), 432 + 384);
}

TEST(MultiplyAdds, OfMatrices) {
  EXPECT_EQ(products({"MatMul"}, {of({2, 4, 5, 7}), of({7, 3})}, of({2, 4, 5, 3})), 840);
  EXPECT_EQ(products({"MatMul", {}, "linnet"}, {of({7}), of({7, 3})}, of({3})), 21);
  EXPECT_EQ(products({"Gemm"}, {of({5, 7}), of({7, 3})}, of({5, 3})), 105);
  EXPECT_EQ(products({"Gemm", {{"transA", int64_t{1}}}}, {of({7, 5}), of({7, 3})}, of({5, 3})), 105);
  const Attributes blocks{{"K", int64_t{7}}, {"N", int64_t{3}}, {"block_size", int64_t{16}}};
  EXPECT_EQ(products({"MatMulNBits", blocks, "com.microsoft"}, {of({5, 7}), of({3, 1, 8}, DType::kUint8)}, of({5, 3})),
            105);
  const Tensor a = of({5, 7}, DType::kUint8), b = of({7, 3}, DType::kInt8), scale = of({}), zero = of({}, DType::kInt8);
  EXPECT_EQ(products({"MatMulInteger"}, {a, b}, of({5, 3}, DType::kInt32)), 105);
  EXPECT_EQ(products({"QLinearMatMul"}, {a, scale, zero, b, scale, zero, scale, zero}, of({5, 3}, DType::kInt8)), 105);
}

TEST(MultiplyAdds, OfProductsOfBytesAsTheyRun) {
  const Tensor scale = of({}), zero = of({}, DType::kUint8);
  const Tensor x = of({1, 8, 8, 3}, DType::kUint8), w = of({16, 3, 3, 3}, DType::kInt8);
  EXPECT_EQ(products({"QLinearConv", {}, "linnet"}, {x, scale, zero, w, scale}, of({1, 8, 8, 16}, DType::kUint8)),
            27648);
  const Tensor a = of({5, 7}, DType::kUint8), b = of({7, 3}, DType::kInt8), bt = of({3, 7}, DType::kInt8);
  EXPECT_EQ(products({"QLinearMatMul", {}, "linnet"}, {a, scale, zero, b, scale}, of({5, 3})), 105);
  const Attributes transposed{{"transposes_w", int64_t{1}}};
  EXPECT_EQ(products({"QLinearMatMul", transposed, "linnet"}, {a, scale, zero, bt, scale}, of({5, 3})), 105);
  // 3 steps of 2 samples with 4 gates of 4 values, each from 5 inputs and 4 states.
  const Attributes hidden{{"hidden_size", int64_t{4}}};
  const std::vector<Tensor> in{of({3, 2, 5}), of({1, 5, 16}, DType::kInt8), of({1, 4, 16}, DType::kInt8)};
  EXPECT_EQ(products({"DynamicQuantizeLSTM", hidden, "com.microsoft"}, in, of({3, 1, 2, 4})), 864);
}

TEST(MultiplyAdds, OfEinsum) {
  const auto of_equation = [](const std::string& equation) { return Spec{"Einsum", {{"equation", equation}}}; };
  EXPECT_EQ(products(of_equation("bij,bjk->bik"), {of({2, 3, 4}), of({2, 4, 5})}, of({2, 3, 5})), 120);
  EXPECT_EQ(products(of_equation("...i,...i->..."), {of({1, 6}), of({4, 6})}, of({4})), 24);
  EXPECT_EQ(products(of_equation("i,i,i->"), {of({6}), of({6}), of({6})}, of({})), 12);
  EXPECT_EQ(products(of_equation("ii->i"), {of({4, 4})}, of({4})), 0);
}

TEST(MultiplyAdds, OfAttention) {
  const std::vector<Tensor> in{of({1, 2, 3, 4}), of({1, 2, 5, 4}), of({1, 2, 5, 6})};
  const Tensor y = of({1, 2, 3, 6});
  // 2 heads with 3 x 5 pairs, each of which multiplies 4 + 6 values.
  EXPECT_EQ(products({"Attention"}, in, y), 300);
  // Queries attend to 1, 2 and 3 keys.
  EXPECT_EQ(products({"Attention", {{"is_causal", int64_t{1}}}}, in, y), 120);
  // Queries attend to 1, 2 and 2 keys.
  const Attributes window{{"is_causal", int64_t{1}}, {"left_window_size", int64_t{1}}};
  EXPECT_EQ(products({"Attention", window}, in, y), 100);
  // 2 more past keys for each query.
  const std::vector<Tensor> with_past{in[0], in[1], in[2], {}, of({1, 2, 2, 4}), of({1, 2, 2, 6})};
  EXPECT_EQ(products({"Attention"}, with_past, y), 420);
  const Attributes joined{{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}};
  EXPECT_EQ(products({"Attention", joined}, {of({1, 3, 8}), of({1, 5, 4}), of({1, 5, 6})}, of({1, 3, 12})), 300);
  Tensor counts = Tensor::of<int64_t>({4});  // The number of keys that are not padding.
  EXPECT_EQ(products({"Attention"}, {in[0], in[1], in[2], {}, {}, {}, counts}, y), 240);
}

TEST(MultiplyAdds, OfLinearAttention) {
  const auto rule = [](const std::string& name) {
    return Attributes{{"update_rule", name}, {"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}};
  };
  const std::vector<Tensor> in{of({1, 3, 8}), of({1, 3, 4}), of({1, 3, 6})};
  // 3 tokens, which add to a state of 4 x 6; 2 queries read it.
  EXPECT_EQ(products({"LinearAttention", rule("linear")}, in, of({1, 3, 12})), 216);
  EXPECT_EQ(products({"LinearAttention", rule("gated_delta")}, in, of({1, 3, 12})), 288);
}

TEST(MultiplyAdds, OfRecurrentCells) {
  // 3 steps of 2 samples with 4 gates of 4 values, each from 5 inputs and 4 states.
  const std::vector<Tensor> in{of({3, 2, 5}), of({1, 16, 5}), of({1, 16, 4})};
  EXPECT_EQ(products({"LSTM"}, in, of({3, 1, 2, 4})), 864);
  EXPECT_EQ(products({"GRU"}, {of({3, 2, 5}), of({2, 12, 5}), of({2, 12, 4})}, of({3, 2, 2, 4})), 1296);
  EXPECT_EQ(products({"RNN"}, {of({3, 2, 5}), of({1, 4, 5}), of({1, 4, 4})}, of({3, 1, 2, 4})), 216);
  const std::vector<Tensor> shorter{in[0], in[1], in[2], {}, Tensor::of<int32_t>({3, 1})};
  EXPECT_EQ(products({"LSTM"}, shorter, of({3, 1, 2, 4})), 576);
}

/// An operator of an application.
class Own : public Op {
 public:
  explicit Own(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {in[0]}; }
  KernelPtr compile(const CompileInput&) const override { return nullptr; }
};

/// An operator that declares its cost: each row of input 0 by each row of input 1, of which it reads the first half.
class Counted final : public Own {
 public:
  using Own::Own;
  int64_t multiply_adds(const NodeValues& v) const override { return v.in(0).size() * v.in(1).dim(0); }
  int64_t bytes_moved(const NodeValues& v) const override { return v.bytes() - NodeValues::bytes(v.in(1)) / 2; }
};

TEST(MultiplyAdds, OthersHaveNone) {
  EXPECT_EQ(products({"Relu"}, {of({2, 3})}, of({2, 3})), 0);
  Registry registry = standard_registry();
  registry.add<Own>("Conv", {.since = 1, .domain = "somebody.else"});
  EXPECT_EQ(cost(registry, {"Conv", {}, "somebody.else"}, {of({2, 3})}, {of({2, 3})}).multiply_adds, 0);
}

TEST(NodeCost, IsWhatAnOperatorOfAnApplicationSays) {
  Registry registry = standard_registry();
  registry.add<Counted>("Rows", {.since = 1, .domain = "somebody.else"});
  const NodeCost got = cost(registry, {"Rows", {}, "somebody.else"}, {of({5, 3}), of({4, 3})}, {of({5, 4})});
  EXPECT_EQ(got.multiply_adds, 60);
  EXPECT_EQ(got.multiplied, DType::kFloat32);
  EXPECT_EQ(got.bytes, 4 * (15 + 12 / 2 + 20));
}

TEST(NodeCost, TellsWhatIsMultiplied) {
  const auto multiplied = [](DType dtype) {
    return cost({"MatMul"}, {of({5, 7}, dtype), of({7, 3}, dtype)}, {of({5, 3}, dtype)}).multiplied;
  };
  EXPECT_EQ(multiplied(DType::kFloat32), DType::kFloat32);
  EXPECT_EQ(multiplied(DType::kFloat64), DType::kFloat64);
  EXPECT_EQ(multiplied(DType::kUint8), DType::kInt16);
  EXPECT_EQ(multiplied(DType::kInt64), DType::kUndefined);
  EXPECT_EQ(cost({"Relu"}, {of({2})}, {of({2})}).multiplied, DType::kUndefined);
}

TEST(NodeCost, CountsTheBytesOfAllValues) {
  EXPECT_EQ(cost({"Relu"}, {of({2, 3})}, {of({2, 3})}).bytes, 48);
  const std::vector<Tensor> in{of({1, 3, 8, 8}), of({16, 3, 3, 3}), of({16})};
  EXPECT_EQ(cost({"Conv"}, in, {of({1, 16, 8, 8})}).bytes, 4 * (192 + 432 + 16 + 1024));
  EXPECT_EQ(cost({"Split"}, {of({4}, DType::kFloat64), {}}, {of({1}, DType::kFloat64), {}}).bytes, 40);
}

TEST(NodeCost, CountsAValueThatIsReadTwiceOnce) {
  NodeSpec node;
  node.op_type = "Mul";
  node.opset = 25;
  const Tensor x = of({10}), y = of({10});
  const std::vector<const Tensor*> in{&x, &x}, out{&y};
  EXPECT_EQ(node_cost(node, *standard_registry().create(node), {in, out}).bytes, 80);
}

TEST(NodeCost, CountsOnlyWhatIsReadOfATable) {
  const Tensor table = of({1000, 4}), indices = of({2}, DType::kInt64);
  EXPECT_EQ(cost({"Gather"}, {table, indices}, {of({2, 4})}).bytes, 32 + 16 + 32);
  EXPECT_EQ(cost({"Shape"}, {table}, {of({2}, DType::kInt64)}).bytes, 16);
}

TEST(NodeCost, CountsOnlyWhatAScatterInPlaceWrites) {
  const Tensor table = Tensor(DType::kFloat32, {1000, 4}), indices = of({2, 1}, DType::kInt64), updates = of({2, 4});
  EXPECT_EQ(cost({"ScatterND"}, {table, indices, updates}, {table}).bytes, 16 + 32 + 32);
  EXPECT_EQ(cost({"ScatterND"}, {table, indices, updates}, {Tensor(DType::kFloat32, {1000, 4})}).bytes,
            16000 + 16 + 32 + 16000);
}

TEST(NodeCost, LeavesNodesWithBodiesToTheirNodes) {
  Registry registry;
  registry.add<Own>("If");
  const Attributes body{{"then_branch", std::shared_ptr<const Graph>()}};
  EXPECT_EQ(cost(registry, {"If", body}, {of({}, DType::kBool)}, {of({5})}).bytes, 0);
}

TEST(Roofline, IsTheLowerOfWhatUnitsAndMemoryAllow) {
  Roofline roofline;
  roofline.peaks[0].multiply_adds_per_s = 1000;
  roofline.peaks[1].multiply_adds_per_s = 500;
  roofline.bytes_per_s = 100;
  EXPECT_EQ(roofline.least_seconds({2000, DType::kFloat32, 100}), 2);
  EXPECT_EQ(roofline.least_seconds({2000, DType::kFloat64, 100}), 4);
  EXPECT_EQ(roofline.least_seconds({2000, DType::kFloat32, 500}), 5);
  EXPECT_EQ(roofline.least_seconds({0, DType::kUndefined, 50}), 0.5);
  EXPECT_EQ(roofline.least_seconds({}), 0);
}

}  // namespace
}  // namespace linnet::testing
