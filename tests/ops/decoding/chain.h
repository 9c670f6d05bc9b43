#pragma once

#include <vector>

#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {

/// The minimal model in GPT-2's form: the logits of the next token are a row of a table, [vocabulary, vocabulary].
struct Chain {
  Tensor table;
  Fact past{DType::kFloat32, Dims{2, Dim(), 1, Dim(), 3}};
  DType ids = DType::kInt32;
  int further_inputs = 0;
  bool flat_logits = false;  ///< Whether logits have rank 2.

  std::shared_ptr<const Graph> decoder() const;
};

inline std::shared_ptr<const Graph> Chain::decoder() const {
  GraphBuilder b;
  const Fact tokens(ids, Dims{Dim(), Dim()});
  const ValueId input_ids = b.input("input_ids", tokens);
  b.input("position_ids", tokens);
  b.input("attention_mask", tokens);
  const ValueId past_0 = b.input("past_0", past);
  for (int i = 0; i < further_inputs; ++i) b.input("more", Fact(DType::kInt32, Dims{1}));
  ValueId logits = b.op("Gather", {b.constant(table), input_ids}, {{"axis", int64_t{0}}});
  if (flat_logits) logits = b.op("Reshape", {logits, b.constant(Tensor::of<int64_t>({-1, table.dim(1)}))});
  b.output(logits);
  b.output(b.op("Identity", {past_0}));
  return b.shared();
}

/// Returns an int32 tensor of one element.
inline Tensor count(int value) { return Tensor::of<int32_t>({value}); }

/// Returns one sequence for each token, which begins with it.
inline Tensor prompts(const std::vector<int32_t>& tokens) { return Tensor::of(Shape{std::ssize(tokens), 1}, tokens); }

/// Returns a node of com.microsoft on the chain.
inline OpCase on_chain(const std::string& op, const Chain& chain, Attributes attributes = {}) {
  attributes.insert({{"decoder", chain.decoder()}, {"eos_token_id", int64_t{-1}}, {"pad_token_id", int64_t{-1}}});
  return {op, 1, std::move(attributes), "com.microsoft"};
}

}  // namespace linnet::testing
