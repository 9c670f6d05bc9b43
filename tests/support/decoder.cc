#include "support/decoder.h"

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kHeads = Decoder::kHeads, kSize = Decoder::kSize, kWidth = Decoder::kWidth, kKeyHeads = 2;

int64_t key_heads(DecoderForm form) { return form == DecoderForm::kMultiHead ? kHeads : kKeyHeads; }

/// Builds the graph of a decoder.
class DecoderGraph {
 public:
  DecoderGraph(GraphBuilder& b, DecoderForm form, const DecoderExtras& extras, int64_t batch)
      : b_(b), form_(form), extras_(extras), batch_(batch < 0 ? Dim("B") : Dim(batch)) {}

  void write() {
    const ValueId x = x_ = b_.input("x", Fact(extras_.dtype, Dims{batch_, Dim("S"), kWidth}));
    for (int layer = 0; layer < 2; ++layer) {
      for (const char* name : {"k", "v"}) {
        const Dims dims = rows_first() ? Dims{batch_, Dim("P"), key_heads(form_), kSize}
                                       : Dims{batch_, key_heads(form_), Dim("P"), kSize};
        pasts_.push_back(b_.input(str("past", layer, ".", name), Fact(extras_.dtype, dims)));
      }
    }
    if (extras_.recurrent) recurrent_ = b_.input("h", Fact(extras_.dtype, Dims{batch_, 1, kWidth}));
    const bool is_microsoft = form_ == DecoderForm::kGroupQuery || form_ == DecoderForm::kMultiHead;
    if (extras_.mask || form_ == DecoderForm::kGroupQuery) {
      mask_ = b_.input("mask", Fact(is_microsoft ? DType::kInt32 : DType::kInt64, Dims{batch_, Dim("T")}));
    }
    ValueId y = extras_.positions ? b_.op("Add", {x, embeddings(x)}) : x;
    if (extras_.recurrent) y = b_.op("Add", {y, recurrent_});
    for (int layer = 0; layer < 2; ++layer) y = b_.op("Add", {y, attention(y, layer)});
    b_.output(y);
    for (const ValueId present : presents_) b_.output(present);
    if (extras_.recurrent) b_.output(b_.op("Tanh", {b_.op("Add", {recurrent_, b_.op("ReduceMean", {y, ints({1})})})}));
    if (extras_.sum) b_.output(b_.op("ReduceSum", {presents_[0], ints({rows_first() ? 1 : 2})}));
  }

 private:
  bool rows_first() const { return Decoder::has_rows_first(form_, extras_); }
  ValueId past_length() { return dim(pasts_[0], rows_first() ? 1 : 2); }
  ValueId ints(const std::vector<int64_t>& values) { return b_.constant(Tensor::of(values)); }
  ValueId floats(const Tensor& values) {
    return b_.constant(extras_.dtype == DType::kFloat32 ? values : cast_to(values, extras_.dtype));
  }
  /// The number that is added to masked scores.
  float left_out() const { return extras_.dtype == DType::kFloat32 ? -1e9f : -6e4f; }
  ValueId scalar(float value) { return floats(Tensor::scalar(value)); }

  ValueId dim(ValueId x, int64_t axis) {
    return b_.op("Gather", {b_.op("Shape", {x}), b_.constant(Tensor::scalar(axis))});
  }

  ValueId embeddings(ValueId x) {
    const ValueId past = past_length(), end = b_.op("Add", {past, dim(x, 1)});
    const ValueId places = b_.op("Range", {past, end, b_.constant(Tensor::scalar<int64_t>(1))});
    return b_.op("Gather", {floats(random_tensor({4096, kWidth}, 77)), places});
  }

  ValueId product(ValueId x, int64_t columns, unsigned seed) {
    return b_.op("MatMul", {x, b_.op("Mul", {floats(random_tensor({kWidth, columns}, seed)), scalar(0.3f)})});
  }

  ValueId heads_first(ValueId x) { return b_.op("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}); }

  ValueId heads(ValueId x, int64_t count) { return heads_first(b_.op("Reshape", {x, ints({0, 0, count, kSize})})); }

  ValueId first_of(ValueId x) { return b_.op("Unsqueeze", {x, ints({0})}); }

  ValueId repeated(ValueId x) {
    const ValueId all = b_.op("Unsqueeze", {x, ints({2})});
    const ValueId more = b_.op("Expand", {all, ints({1, 1, kHeads / kKeyHeads, 1, 1})});
    const ValueId size = extras_.traced ? first_of(dim(x, 3)) : ints({kSize});
    const ValueId shape = b_.op("Concat", {ints({0, kHeads, -1}), size}, {{"axis", int64_t{0}}});
    return b_.op("Reshape", {more, shape});
  }

  /// Returns the mask of one sample, gathered column by column.
  ValueId gathered_mask() {
    const auto number = [&](int64_t value) { return b_.constant(Tensor::scalar(value)); };
    const ValueId places = b_.op("Range", {number(0), dim(mask_, 1), number(1)});
    const ValueId begin = b_.op("Mul", {b_.constant(Tensor::of({1, 1, 1, 1}, std::vector<int64_t>{0})), dim(mask_, 1)});
    const ValueId all = b_.op("Add", {b_.op("Unsqueeze", {places, ints({0, 1, 2})}), begin});
    const ValueId kept = b_.op("Gather", {b_.op("Flatten", {mask_}, {{"axis", int64_t{2}}}), all});
    const ValueId rows = b_.op("Reshape", {b_.op("Reshape", {kept, ints({-1})}), b_.op("Shape", {all})});
    const ValueId one = first_of(number(1)),
                  shape = b_.op("Concat", {one, one, one, first_of(dim(mask_, 1))}, {{"axis", int64_t{0}}});
    const ValueId open = b_.op("Equal", {shape, ints({-1, -1, -1, -1})});
    return b_.op("Expand", {rows, b_.op("Where", {open, ints({1, 1, 1, 1}), shape})});
  }

  ValueId additive_mask() {
    const ValueId mask = extras_.traced ? gathered_mask() : b_.op("Unsqueeze", {mask_, ints({1, 2})});
    const ValueId kept = b_.op("Cast", {mask}, {{"to", int64_t(extras_.dtype)}});
    return b_.op("Mul", {b_.op("Sub", {scalar(1), kept}), scalar(left_out())});
  }

  ValueId joined(ValueId y) {
    const ValueId rows = b_.op("Transpose", {y}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    return b_.op("Reshape", {rows, ints({0, 0, kWidth})});
  }

  /// Returns a mask [S, P + S] that is added to scores and masks the keys after each query.
  ValueId causal_mask() {
    const auto number = [&](int64_t value) { return b_.constant(Tensor::scalar(value)); };
    const ValueId past = past_length(), end = b_.op("Add", {past, dim(x_, 1)});
    const ValueId keys = b_.op("Range", {number(0), end, number(1)});
    const ValueId queries = b_.op("Unsqueeze", {b_.op("Range", {past, end, number(1)}), ints({1})});
    return b_.op("Where", {b_.op("LessOrEqual", {keys, queries}), scalar(0), scalar(left_out())});
  }

  ValueId whole_mask() {
    const ValueId mask = extras_.mask ? additive_mask() : kNoValue;
    if (!extras_.causal || form_ == DecoderForm::kAttentionWithPast) return mask;
    return mask == kNoValue ? causal_mask() : b_.op("Add", {mask, causal_mask()});
  }

  ValueId attention(ValueId x, int layer) {
    const int64_t key_width = key_heads(form_) * kSize;
    const ValueId q = product(x, kWidth, 1), k = product(x, key_width, 2), v = product(x, key_width, 3);
    ValueId past_k = pasts_[size_t(2 * layer)], past_v = pasts_[size_t(2 * layer + 1)];
    if (extras_.traced) {
      const int64_t axis = rows_first() ? 1 : -2;
      past_k = b_.op("Concat", {past_k}, {{"axis", axis}});
      past_v = b_.op("Concat", {past_v}, {{"axis", axis}});
    }
    if (form_ == DecoderForm::kGroupQuery) return group_query({q, k, v, past_k, past_v});
    if (form_ == DecoderForm::kMultiHead) return multi_head({q, k, v, kNoValue, mask_, kNoValue, past_k, past_v});
    const ValueId mask = whole_mask();
    if (form_ == DecoderForm::kAttentionWithPast) {
      const auto y = b_.ops("Attention", {q, k, v, mask, past_k, past_v}, 3,
                            {{"q_num_heads", kHeads}, {"kv_num_heads", kKeyHeads}, {"is_causal", causal()}});
      presents_.insert(presents_.end(), y.begin() + 1, y.end());
      return y[0];
    }
    const ValueId all_k = present(past_k, k, 2), all_v = present(past_v, v, -2);
    if (form_ == DecoderForm::kAttention) return joined(b_.op("Attention", {heads(q, kHeads), all_k, all_v, mask}));
    const ValueId keys = b_.op("Transpose", {repeated(all_k)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    ValueId scores = b_.op("Div", {b_.op("MatMul", {heads(q, kHeads), keys}), scalar(std::sqrt(float(kSize)))});
    if (mask != kNoValue) scores = b_.op("Add", {scores, mask});
    return joined(b_.op("MatMul", {b_.op("Softmax", {scores}), repeated(all_v)}));
  }

  /// Appends rows to a cache, with heads first.
  ValueId present(ValueId past, ValueId x, int64_t axis) {
    if (rows_first()) {
      const ValueId rows = b_.op("Reshape", {x, ints({0, 0, kKeyHeads, kSize})});
      presents_.push_back(b_.op("Concat", {past, rows}, {{"axis", int64_t{1}}}));
      return heads_first(presents_.back());
    }
    presents_.push_back(b_.op("Concat", {past, heads(x, kKeyHeads)}, {{"axis", axis}}));
    return presents_.back();
  }

  int64_t causal() const { return extras_.causal ? 1 : 0; }

  ValueId multi_head(const std::vector<ValueId>& inputs) {
    const Attributes attributes{{"num_heads", kHeads}, {"unidirectional", causal()}};
    const auto y = b_.ops("MultiHeadAttention", inputs, 3, attributes, "com.microsoft");
    presents_.insert(presents_.end(), y.begin() + 1, y.end());
    return y[0];
  }

  ValueId group_query(std::vector<ValueId> inputs) {
    const ValueId count = b_.op("ReduceSum", {mask_, ints({1})}, {{"keepdims", int64_t{0}}});
    inputs.push_back(b_.op("Sub", {count, b_.constant(Tensor::scalar<int32_t>(1))}));
    inputs.push_back(b_.op("Cast", {dim(mask_, 1)}, {{"to", int64_t{6}}}));
    const auto y =
        b_.ops("GroupQueryAttention", inputs, 3, {{"num_heads", kHeads}, {"kv_num_heads", kKeyHeads}}, "com.microsoft");
    presents_.insert(presents_.end(), y.begin() + 1, y.end());
    return y[0];
  }

  GraphBuilder& b_;
  DecoderForm form_;
  DecoderExtras extras_;
  Dim batch_;
  ValueId x_ = kNoValue, mask_ = kNoValue, recurrent_ = kNoValue;
  std::vector<ValueId> pasts_, presents_;
};

}  // namespace

Decoder::Decoder(DecoderForm form, const DecoderExtras& extras, int64_t batch)
    : form_(form), extras_(extras), batch_(batch), b_(extras.opset) {
  DecoderGraph(b_, form, extras, batch).write();
}

Shape Decoder::state_shape(size_t state, int64_t batch, int64_t rows) const {
  if (state >= kGrowing) return {batch, 1, kWidth};
  return rows_axis() == 1 ? Shape{batch, rows, key_heads(form_), kSize} : Shape{batch, key_heads(form_), rows, kSize};
}

Tensor Decoder::random_state(size_t state, int64_t batch, int64_t rows, unsigned seed) const {
  return cast_to(random_tensor(state_shape(state, batch, rows), seed), extras_.dtype);
}

std::vector<std::pair<std::string, Tensor>> Decoder::inputs(int64_t batch, int64_t past, int64_t steps,
                                                            unsigned seed) const {
  std::vector<std::pair<std::string, Tensor>> given{
      {"x", cast_to(random_tensor({batch, steps, kWidth}, seed), extras_.dtype)}};
  const Shape columns{batch, past + steps};
  const bool counts = form_ == DecoderForm::kGroupQuery;
  if (!extras_.mask && !counts) return given;
  std::vector<int64_t> mask(size_t(columns.elements()), 1);
  if (past > 2 && !counts) mask[1] = 0;
  const bool is_microsoft = counts || form_ == DecoderForm::kMultiHead;
  given.emplace_back("mask", cast_to(Tensor::of(columns, mask), is_microsoft ? DType::kInt32 : DType::kInt64));
  return given;
}

}  // namespace linnet::testing
