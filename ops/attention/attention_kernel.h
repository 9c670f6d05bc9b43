#pragma once

#include "attention/attention_scores.h"

namespace linnet {

/// Keys or values of all positions, the past ones first.
template <class C>
struct HeadRows {
  const C* data;
  HeadLayout layout;

  const C* row(int64_t b, int64_t h, int64_t i) const { return data + layout.at(b, h, i); }
};

template <class C>
struct KeyValueRows {
  HeadRows<C> keys, values;
};

/// Elements of scratch that join_key_values() needs.
int64_t joined_elements(const AttentionRule& rule);

/// The node's keys and values, with the past ones in front. Both are copied to the outputs for present ones where these
/// are wanted, else, where there are past ones, to `scratch`.
template <class C>
KeyValueRows<C> join_key_values(const AttentionRule& rule, KernelContext& context, C* scratch);

/// Attention on float32 and on double. All choices that bits depend on follow from the rule alone, so results are the
/// same for any number of threads.
KernelPtr make_attention_f32(const AttentionRule& rule, const CompileInput& in);
KernelPtr make_attention_f64(const AttentionRule& rule, const CompileInput& in);

}  // namespace linnet
