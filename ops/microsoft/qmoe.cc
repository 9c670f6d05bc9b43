#include <algorithm>
#include <array>
#include <bit>

#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/mixture_of_experts.h"
#include "microsoft/quantized_tensor.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// QMoE: see MixtureOfExperts; weights are (code - zero_point) * scale. Computes in float32. The shares are
/// softmax(router_probs) of the chosen experts divided by their sum. If router_weights is given, they are its elements
/// instead, divided by their sum with normalize_routing_weights.
/// - expert_weight_bits, or fc1_expert_weight_bits, fc2_... and fc3_... for a layer: 2, 4 (default) or 8
/// - block_size: the number of codes of a row that share a scale, a power of two, at least 16; default all
/// - accuracy_level: see MatMulNBits
/// - quant_type: only int; weights_prepacked: only -1 (default) or 0
/// - input, output: float16/bfloat16/float32, [tokens, hidden] or [batch, length, hidden]
/// - router_probs, router_weights: [tokens, experts]; router_weights may be omitted
/// - weights of fc1 and fc3: uint8 [experts, inner, hidden * bits / 8], of fc2: [experts, hidden, inner * bits / 8],
///   with the first code in the lowest bits; a fused fc1 has 2 * inner rows
/// - scales: floats, [experts, rows] or [experts, rows, blocks]
/// - biases: [experts, rows], may be omitted
/// - zero_points (2^(bits - 1)): uint8, packed like weights along the last axis of scales, which is padded to whole
///   bytes
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QMoE
class QMoE final : public MixtureOfExperts {
 public:
  explicit QMoE(const NodeSpec& node)
      : MixtureOfExperts(node), block_(node.attr_or("block_size", 0)), level_(node.attr_or("accuracy_level", 0)) {
    const int64_t bits = node.attr_or("expert_weight_bits", 4);
    for (size_t i = 0; i < kLayers.size(); ++i) {
      const std::string name = str(kLayers[i], "_expert_weight_bits");
      bits_[i] = node.attr_or(name, bits);
      if (bits_[i] != 2 && bits_[i] != 4 && bits_[i] != 8) {
        throw Error(ErrorKind::kUnsupported, str("expert_weight_bits must be 2, 4 or 8 here, got ", bits_[i]));
      }
    }
    if (block_ != 0 && (block_ < 16 || !std::has_single_bit(uint64_t(block_)))) {
      throw Error(ErrorKind::kModel, str("block_size must be a power of two from 16 on, got ", block_));
    }
    const std::string type = node.attr_or("quant_type", "int");
    if (type != "int") throw Error(ErrorKind::kUnsupported, str("quant_type '", type, "' is not supported here"));
    if (node.attr_or("weights_prepacked", -1) > 0) {
      throw Error(ErrorKind::kUnsupported, "weights_prepacked: weights in the form of another machine");
    }
  }

 private:
  static constexpr std::array kLayers{"fc1", "fc2", "fc3"};
  static constexpr size_t kRouterWeights = 14;

  size_t weights(Layer layer) const override { return std::array{2, 5, 8}[size_t(layer)]; }
  static size_t zeros(Layer layer) { return std::array{11, 12, 13}[size_t(layer)]; }
  DType wide(DType) const override { return DType::kFloat32; }

  void check(Expansion& graph) const override {
    const auto facts = graph.facts();
    require_inputs(facts, 3, 21);
    check_layers(graph);
    require_floating(facts[kInput], "input");
    require_same_dtype(facts[kInput], facts[kRouter], "input and router_probs");
    for (const Layer layer : {Layer::kFc1, Layer::kFc2, Layer::kFc3}) {
      if (graph.has(weights(layer))) check_layer(graph, layer);
    }
    for (size_t i = kRouterWeights + 1; i < facts.size(); ++i) {
      if (graph.has(i))
        throw Error(ErrorKind::kModel, "global and activation scales must not be given for quant_type int");
    }
    if (graph.has(kRouterWeights)) {
      require_same_dtype(facts[kInput], facts[kRouterWeights], "input and router_weights");
      require_rank(facts[kRouterWeights], 2, "router_weights");
    }
  }

  void check_layer(const Expansion& graph, Layer layer) const {
    const size_t w = weights(layer);
    const std::string name = kLayers[size_t(layer)];
    const auto facts = graph.facts();
    require_dtype(facts[w], DType::kUint8, name + "_experts_weights");
    require_rank(facts[w], 3, name + "_experts_weights");
    require_given(graph, w + 1, name + "_scales");
    require_floating(facts[w + 1], name + "_scales");
    require_rank(facts[w + 1], block_ == 0 ? 2 : 3, name + "_scales");
    if (graph.has(w + 2)) require_same_dtype(facts[kInput], facts[w + 2], str("input and ", name, "_experts_bias"));
    if (graph.has(zeros(layer))) {
      require_dtype(facts[zeros(layer)], DType::kUint8, name + "_zero_points");
      require_rank(facts[zeros(layer)], block_ == 0 ? 2 : 3, name + "_zero_points");
    }
    if (!facts[w].concrete()) return;
    const Shape codes = facts[w].shape();
    const int64_t depth = checked_mul(codes[2], 8) / bits_[size_t(layer)];
    if (block_ != 0 && depth % block_ != 0) {
      throw Error(ErrorKind::kShape,
                  str("the ", depth, " columns of ", name, "_experts_weights must be a multiple of block_size"));
    }
    const int64_t blocks = block_ == 0 ? 1 : depth / block_;
    require_dims(facts[w + 1], codes, blocks, name + "_scales");
    if (graph.has(zeros(layer))) check_zeros(facts[zeros(layer)], codes, blocks, bits_[size_t(layer)], name);
  }

  /// Checks for [experts, rows] or [experts, rows, count].
  void require_dims(const Fact& fact, const Shape& codes, int64_t count, const std::string& name) const {
    Dims dims{Dim(codes[0]), Dim(codes[1])};
    if (block_ != 0) dims.emplace_back(count);
    for (size_t d = 0; fact.has_rank() && d < dims.size(); ++d) {
      merge_dim(fact.dim(int(d)), dims[d], str("dim ", d, " of ", name, " and what the weights have"));
    }
  }

  void check_zeros(const Fact& fact, const Shape& codes, int64_t blocks, int64_t bits, const std::string& name) const {
    const auto bytes = [bits](int64_t count) { return ceil_div(checked_mul(count, bits), int64_t{8}); };
    const Shape packed = block_ == 0 ? Shape{codes[0], bytes(codes[1])} : codes;
    require_dims(fact, packed, bytes(blocks), name + "_zero_points");
  }

  ValueId product(Expansion& graph, ValueId x, ValueId experts, Layer layer) const override {
    const size_t w = weights(layer);
    const Fact& codes = graph.facts()[w];
    const int64_t bits = bits_[size_t(layer)];
    if (!codes.concrete()) {
      graph.wait();
      return graph.unknown(DType::kFloat32);
    }
    const Shape shape = codes.shape();
    const int64_t depth = checked_mul(shape[2], 8) / bits, block = block_ == 0 ? block_of(depth) : block_;
    const int64_t blocks = ceil_div(depth, block), filled = checked_mul(checked_mul(blocks, block) / 8, bits);
    ValueId weight = graph.in(w), scale = graph.cast(graph.in(w + 1), DType::kFloat32), zero = kNoValue;
    if (filled > shape[2]) weight = graph.op("Pad", {weight, graph.ints({0, 0, 0, 0, 0, filled - shape[2]})});
    if (graph.has(zeros(layer))) zero = graph.in(zeros(layer));
    if (block_ == 0) {
      if (zero != kNoValue) zero = of_every_block(graph, unpacked(graph, zero, bits, shape[1]), blocks);
      scale = of_every_block(graph, scale, blocks);
    }
    const ValueId bias = graph.has(w + 2) ? graph.cast(graph.in(w + 2), DType::kFloat32) : kNoValue;
    return internal_op(graph, "ExpertMatMulNBits", {x, experts, weight, scale, zero, bias}, 1,
                       {{"bits", bits}, {"block_size", block}, {"accuracy_level", level_}})[0];
  }

  /// The largest power of two up to 256 that divides a row; 16 if none from 16 on does.
  static int64_t block_of(int64_t depth) {
    int64_t block = 256;
    while (block > 16 && depth % block != 0) block /= 2;
    return block;
  }

  /// Repeats values for all blocks of a row: [experts, rows] to [experts, rows, blocks].
  static ValueId of_every_block(Expansion& graph, ValueId x, int64_t blocks) {
    return graph.op("Expand", {graph.op("Unsqueeze", {x, graph.ints({2})}), graph.ints({1, 1, blocks})});
  }

  /// The first `count` codes of each row of bytes, as float32.
  static ValueId unpacked(Expansion& graph, ValueId bytes, int64_t bits, int64_t count) {
    Tensor shifts(DType::kUint8, {8 / bits});
    for (int64_t i = 0; i < shifts.size(); ++i) shifts.data<uint8_t>()[i] = uint8_t(i * bits);
    const ValueId each = graph.op("Unsqueeze", {bytes, graph.ints({2})});
    const ValueId shifted = graph.op("BitShift", {each, graph.constant(shifts)}, {{"direction", std::string("RIGHT")}});
    const ValueId mask = graph.constant(Tensor::scalar(uint8_t((1 << bits) - 1)));
    const ValueId codes = graph.reshape_keeping(graph.op("BitwiseAnd", {shifted, mask}), {0, -1});
    const ValueId some = graph.op("Slice", {codes, graph.ints({0}), graph.ints({count}), graph.ints({1})});
    return graph.cast(some, DType::kFloat32);
  }

  ValueId shares(Expansion& graph, ValueId probabilities, ValueId experts) const override {
    if (!graph.has(kRouterWeights)) return normalized(graph, probabilities);
    const ValueId all = graph.cast(graph.in(kRouterWeights), DType::kFloat32);
    const ValueId chosen = graph.op("GatherElements", {all, experts}, {{"axis", int64_t{1}}});
    return normalizes() ? normalized(graph, chosen) : chosen;
  }

  int64_t block_, level_;
  std::array<int64_t, kLayers.size()> bits_{};
};

}  // namespace

LINNET_REGISTER(qmoe)(Registry& registry) { add_expanded<QMoE>(registry, "QMoE", {.domain = kMicrosoft}); }

}  // namespace linnet
