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

/// The tensor itself (`now`), or its rows behind those of `past` copied to `joined`, [batch, kv_heads, length, size].
/// Nothing is copied where `joined` is null.
template <class C>
HeadRows<C> join_rows(const AttentionSizes& sizes, int64_t size, const Tensor& past, const Tensor& now, C* joined,
                      Executor& executor);

/// Attention on float32 and on double. All choices depend on the rule alone, so results are the same for
/// any number of threads.
KernelPtr make_attention_f32(const AttentionRule& rule, const CompileInput& in);
KernelPtr make_attention_f64(const AttentionRule& rule, const CompileInput& in);

}  // namespace linnet
