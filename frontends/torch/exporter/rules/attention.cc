#include <cmath>

#include "building_blocks.h"
#include "rule_list.h"

// Attention, and the fused forms that nn.MultiheadAttention uses without gradients.
namespace linnet::exporter {
namespace {

std::string swap_last(Call& call, const std::string& x, int64_t rank) {
  Integers order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i < rank - 2 ? i : 2 * rank - 3 - i);
  return call.emit("Transpose", {x}, {{"perm", order}});
}

std::string masked(Call& call, const std::string& scores, const std::string& mask, bool boolean, bool keep) {
  if (!boolean) return call.emit("Add", {scores, mask});
  const std::string low = call.scalar(-INFINITY, call.dtype());
  return call.emit("Where", keep ? Names{mask, scores, low} : Names{mask, low, scores});
}

/// Whether an axis of two tensors has equal sizes in this example.
bool same_size(Call& call, const std::string& one, const std::string& other, int64_t axis) {
  return call.tensor(one).size(axis) == call.tensor(other).size(axis);
}

/// Returns which keys come after the query of a row; causal attention ignores them. bool [queries, keys].
std::string later_keys(Call& call, int64_t rank) {
  const int64_t queries = call.tensor("query").size(rank - 2), keys = call.tensor("key").size(rank - 2);
  if (!call.dynamic("query", rank - 2) && !call.dynamic("key", rank - 2)) {
    const auto is_later = [](int64_t row, int64_t column) { return column > row; };
    return table_of(call, queries, keys, DType::kBool, is_later);
  }
  const std::string first = change_axes(call, "Unsqueeze", places_along(call, "query", rank - 2), {1});
  return call.emit("Less", {first, places_along(call, "key", rank - 2)});
}

/// Returns keys or values for each head of the queries. With grouped queries, several heads share one.
std::string repeated_heads(Call& call, const std::string& name, int64_t rank) {
  const int64_t heads = call.tensor("query").size(rank - 3), own = call.tensor(name).size(rank - 3);
  if (!call.has("enable_gqa") || !call.flag("enable_gqa") || heads == own) return call.value(name);
  if (rank != 4 || own == 0) call.refuse("grouped queries have other than four axes, or no heads");
  const std::string wide = change_axes(call, "Unsqueeze", call.value(name), {rank - 2});
  Integers repeats(size_t(rank + 1), 1);
  repeats[size_t(rank - 2)] = heads / own;
  const std::string tiled = call.emit("Expand", {wide, call.constant_of(repeats)});
  if (call.dynamic(name, rank - 1)) call.refuse("grouped queries of a depth that differs between runs");
  const int64_t depth = call.tensor(name).size(rank - 1);
  return call.emit("Reshape", {tiled, call.constant_of({0, heads, -1, depth})});
}

/// Emits softmax(q k^T * scale + mask) v with ONNX's basic operators.
std::string spelled_attention(Call& call) {
  const DType dtype = call.dtype();
  const TensorInfo& query = call.tensor("query");
  const int64_t rank = query.dim();
  const double scale = call.has("scale") ? call.number("scale") : 1 / std::sqrt(double(query.size(rank - 1)));
  const std::string q = call.emit("Mul", {call.value("query"), call.scalar(scale, dtype)});
  std::string scores = call.emit("MatMul", {q, swap_last(call, repeated_heads(call, "key", rank), rank)});
  if (call.has("attn_mask")) {
    const bool boolean = call.tensor("attn_mask").dtype == DType::kBool;
    scores = masked(call, scores, call.value("attn_mask"), boolean, true);
  }
  if (call.flag("is_causal")) scores = masked(call, scores, later_keys(call, rank), true, false);
  std::string shares = call.emit("Softmax", {scores}, {{"axis", -1}});
  // A query without visible keys returns zeros.
  if (call.has("attn_mask")) {
    shares = call.emit("Where", {call.emit("IsNaN", {shares}), call.scalar(0, dtype), shares});
  }
  return call.emit("MatMul", {shares, repeated_heads(call, "value", rank)});
}

/// Whether ONNX's Attention supports the call. It takes [batch, heads, length, depth], or [batch, length, depth] as one
/// head, and a mask with a column for each key.
bool fits_attention(Call& call) {
  const int64_t rank = call.tensor("query").dim();
  if (call.options().opset < 23 || (rank != 3 && rank != 4)) return false;
  if (call.tensor("key").dim() != rank || call.tensor("value").dim() != rank) return false;
  if (!same_size(call, "query", "key", 0) || !same_size(call, "key", "value", 0)) return false;
  if (!call.has("attn_mask")) return true;
  const TensorInfo& mask = call.tensor("attn_mask");
  return mask.dim() >= 2 && mask.dim() <= rank && mask.size(-1) == call.tensor("key").size(-2);
}

/// Emits softmax(q k^T * scale + mask) v.
/// Source: https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
void attention(Call& call) {
  if (call.number("dropout_p") != 0) call.refuse("its dropout is random; export a module in evaluation mode");
  if (!fits_attention(call)) return call.set(spelled_attention(call));
  Attributes attributes{{"is_causal", int64_t{call.flag("is_causal")}}};
  if (call.has("scale")) attributes["scale"] = call.number("scale");
  Names inputs{call.value("query"), call.value("key"), call.value("value")};
  if (call.has("attn_mask")) {
    const bool per_sample = call.tensor("attn_mask").dim() == 3 && call.tensor("query").dim() == 3;
    const std::string mask = call.value("attn_mask");
    inputs.push_back(per_sample ? change_axes(call, "Unsqueeze", mask, {1}) : mask);
  }
  if (call.tensor("query").dim() == 3) attributes["q_num_heads"] = attributes["kv_num_heads"] = int64_t{1};
  call.set(call.emit("Attention", inputs, attributes));
}

/// Returns [n, l, e] as [n, heads, l, e / heads].
std::string split_heads(Call& call, const std::string& x, int64_t heads, int64_t depth) {
  const std::string wide = call.emit("Reshape", {x, call.constant_of({0, 0, heads, depth})});
  return call.emit("Transpose", {wide}, {{"perm", Integers{0, 2, 1, 3}}});
}

std::string projected(Call& call, const std::string& x, const std::string& weight, const std::string& bias) {
  const std::string w = call.emit("Transpose", {call.value(weight)}, {{"perm", Integers{1, 0}}});
  return call.emit("Add", {call.emit("MatMul", {x, w}), call.value(bias)});
}

struct SelfAttention {
  std::string output, weights;
};

/// Emits self-attention of x [n, l, e]. Mask type 0 is [l, l], mask type 1 is [n, l]. Positions where a bool mask is
/// set are ignored.
SelfAttention self_attention(Call& call, const std::string& x, int64_t width, int64_t heads) {
  const int64_t depth = width / heads;
  const std::string qkv = projected(call, x, "qkv_weight", "qkv_bias");
  const Names parts = call.emit_many("Split", {qkv, call.constant_of({width, width, width})}, {{"axis", 2}}, 3);
  const std::string q = split_heads(call, parts[0], heads, depth), k = split_heads(call, parts[1], heads, depth);
  const std::string v = split_heads(call, parts[2], heads, depth);
  const std::string scaled = call.emit("Mul", {q, call.scalar(1 / std::sqrt(double(depth)), call.dtype())});
  std::string scores = call.emit("MatMul", {scaled, swap_last(call, k, 4)});
  if (call.has("mask")) {
    const TensorInfo& mask = call.tensor("mask");
    const bool per_sequence = call.has("mask_type") && call.integer("mask_type") == 1;
    const std::string wide =
        per_sequence ? change_axes(call, "Unsqueeze", call.value("mask"), {1, 2}) : call.value("mask");
    scores = masked(call, scores, wide, mask.dtype == DType::kBool, false);
  }
  const std::string weights = call.emit("Softmax", {scores}, {{"axis", -1}});
  const std::string turned =
      call.emit("Transpose", {call.emit("MatMul", {weights, v})}, {{"perm", Integers{0, 2, 1, 3}}});
  const std::string merged = call.emit("Reshape", {turned, call.constant_of({0, 0, width})});
  return {projected(call, merged, "proj_weight", "proj_bias"), weights};
}

/// Where PyTorch takes this path by itself, query, key and value are one tensor.
void multi_head_attention(Call& call) {
  if (call.value("query") != call.value("key") || call.value("key") != call.value("value")) {
    call.refuse("query, key and value are not one tensor");
  }
  const SelfAttention y =
      self_attention(call, call.value("query"), call.integer("embed_dim"), call.positive("num_head"));
  call.set_result(0, y.output);
  if (!call.flag("need_weights")) return;
  call.set_result(1, call.flag("average_attn_weights") ? reduce(call, "ReduceMean", y.weights, {1}, false) : y.weights);
}

std::string normalized(Call& call, const std::string& x, const std::string& number) {
  return layer_normalized(call, x, 1, call.value("norm_weight_" + number), call.value("norm_bias_" + number));
}

/// Emits the relu or gelu of x W1 + b1, followed by W2 and b2.
std::string feed_forward(Call& call, const std::string& x) {
  const std::string hidden = projected(call, x, "ffn_weight_1", "ffn_bias_1");
  const std::string active = call.flag("use_gelu") ? gelu_of(call, hidden, false) : call.emit("Relu", {hidden});
  return projected(call, active, "ffn_weight_2", "ffn_bias_2");
}

/// Emits nn.TransformerEncoderLayer, which is one operator in PyTorch.
void encoder_layer(Call& call) {
  const int64_t width = call.integer("embed_dim"), heads = call.positive("num_heads");
  const std::string x = call.value("src");
  const bool first = call.flag("norm_first");
  const std::string seen = first ? normalized(call, x, "1") : x;
  std::string y = call.emit("Add", {x, self_attention(call, seen, width, heads).output});
  if (!first) y = normalized(call, y, "1");
  const std::string inner = first ? normalized(call, y, "2") : y;
  y = call.emit("Add", {y, feed_forward(call, inner)});
  call.set(first ? y : normalized(call, y, "2"));
}

}  // namespace

void register_attention(Lowerings& lowerings) {
  lowerings.add("aten::scaled_dot_product_attention", attention);
  lowerings.add("aten::_scaled_dot_product_flash_attention_for_cpu", attention);
  lowerings.add("aten::_transformer_encoder_layer_fwd", encoder_layer);
  lowerings.add("aten::_native_multi_head_attention", multi_head_attention);
}

}  // namespace linnet::exporter
