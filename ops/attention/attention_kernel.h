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

/// The number of elements of scratch that join_key_values() needs.
int64_t joined_elements(const AttentionRule& rule);

/// The node's keys and values, with the past ones first. Copies both to the outputs for present ones if these are
/// wanted; else, if there are past ones, to `scratch`.
template <class C>
KeyValueRows<C> join_key_values(const AttentionRule& rule, KernelContext& context, C* scratch);

/// Attention in float32 and in double. All choices that affect bits depend on the rule only, so that results are
/// identical for any number of threads.
KernelPtr make_attention_f32(const AttentionRule& rule, const CompileInput& in);
KernelPtr make_attention_f64(const AttentionRule& rule, const CompileInput& in);

}  // namespace linnet
