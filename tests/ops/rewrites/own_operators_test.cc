#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "linnet/quantize.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

// Tests rewrites and the quantiser with operators of an application that declare their properties (Op::is_elementwise,
// Op::moves) or do not.
namespace linnet::testing {
namespace {

class NegatedKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    std::ranges::transform(x.values<float>(), context.output(0).data<float>(), std::negate<>());
  }
};

/// Reverses the elements of a tensor.
class ReversedKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int64_t bytes = x.size() == 0 ? 0 : int64_t(x.bytes()) / x.size();
    const auto *from = static_cast<const std::byte*>(x.raw()), *end = from + x.bytes();
    for (auto* y = static_cast<std::byte*>(context.output(0).raw()); end != from; y += bytes) {
      end -= bytes;
      std::copy_n(end, bytes, y);
    }
  }
};

template <class K, bool kElementwise, bool kMoves>
class Own final : public Op {
 public:
  explicit Own(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {Fact(in[0].dtype, in[0].dims)}; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<K>(); }
  bool is_elementwise() const override { return kElementwise; }
  bool moves(int input) const override { return kMoves && input == 0; }
};

Registry registry() {
  Registry registry = standard_registry();
  registry.add<Own<NegatedKernel, false, false>>("Silent", {.since = 1, .domain = "own"});
  registry.add<Own<NegatedKernel, true, false>>("Negated", {.since = 1, .domain = "own"});
  registry.add<Own<ReversedKernel, false, false>>("SilentlyReversed", {.since = 1, .domain = "own"});
  registry.add<Own<ReversedKernel, false, true>>("Reversed", {.since = 1, .domain = "own"});
  return registry;
}

ValueId valid_conv(GraphBuilder& b, ValueId x, int64_t in, int64_t out) {
  return b.op("Conv", {x, b.constant(random_tensor({out, in, 3, 3}, unsigned(out)))});
}

TEST(OwnOperators, ThatAreElementwiseRunChannelsLast) {
  for (const auto& [name, transposes] : {std::pair("Negated", 2), {"Silent", 4}}) {
    GraphBuilder b(17, registry());
    const ValueId y = valid_conv(b, b.input("x", Shape{1, 6, 9, 9}), 6, 8);
    b.output(valid_conv(b, b.op(name, {y}, {}, "own"), 8, 4));
    EXPECT_EQ(count_ops(b.model(), "Transpose"), transposes) << optimized_ops(b);
    expect_unchanged(b, {random_tensor({1, 6, 9, 9})});
  }
}

TEST(OwnOperators, ThatMoveElementsMoveBytes) {
  for (const auto& [name, ops] : {std::pair("Reversed", "+Reversed"),
                                  {"SilentlyReversed", "DequantizeLinear +SilentlyReversed QuantizeLinear"}}) {
    GraphBuilder b(17, registry());
    const std::vector<ValueId> grid{b.constant(Tensor::scalar(0.5f)), b.constant(Tensor::scalar(uint8_t{7}))};
    const ValueId x = b.input("x", Fact(DType::kUint8, Shape{2, 5}));
    const ValueId y = b.op(name, {b.op("DequantizeLinear", {x, grid[0], grid[1]})}, {}, "own");
    b.output(b.op("QuantizeLinear", {y, grid[0], grid[1]}));
    EXPECT_EQ(optimized_ops(b), ops);
    expect_unchanged(b, {Tensor::of<uint8_t>({0, 1, 2, 3, 4, 250, 251, 252, 253, 254}).reshaped({2, 5})});
  }
}

TEST(OwnOperators, ThatMoveElementsMoveHalves) {
  for (const auto& [name, ops] :
       {std::pair("Reversed", "+Reversed"), {"SilentlyReversed", "Cast +SilentlyReversed Cast"}}) {
    GraphBuilder b(17, registry());
    b.output(b.op(name, {b.input("x", Fact(DType::kFloat16, Shape{2, 5}))}, {}, "own"));
    EXPECT_EQ(optimized_ops(b), ops);
    expect_unchanged(b, {cast_to(random_tensor({2, 5}), DType::kFloat16)});
  }
}

/// Returns the scales of the QuantizeLinear nodes of a quantised model.
std::vector<float> scales_of(const Model& model) {
  std::vector<float> scales;
  const Graph& graph = model_graph(model);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (node.spec.op_type == "QuantizeLinear") scales.push_back(graph.constant_input(node, 1)->data<float>()[0]);
  }
  return scales;
}

TEST(OwnOperators, ThatMoveElementsShareAGrid) {
  const auto quantized = [](const std::string& name) {
    GraphBuilder b(17, registry());
    const ValueId y = b.op("MatMul", {b.input("x", {4, 8}), b.constant(random_tensor({8, 8}))});
    b.output(b.op("MatMul", {b.op(name, {y}, {}, "own"), b.constant(random_tensor({8, 4}, 1))}));
    ModelOptions as_written;
    as_written.optimization = 0;
    const std::vector<std::vector<Tensor>> samples{{random_tensor({4, 8}, 2)}};
    return scales_of(quantize(b.model(as_written), samples).model);
  };
  const std::vector<float> scales = quantized("Reversed");
  ASSERT_EQ(scales.size(), 3u);  // x, the first product, and the input of the second.
  EXPECT_EQ(scales[1], scales[2]);
  EXPECT_EQ(quantized("SilentlyReversed").size(), 2u);
}

}  // namespace
}  // namespace linnet::testing
