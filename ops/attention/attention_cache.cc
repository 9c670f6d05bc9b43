#include <algorithm>

#include "attention/attention_kernel.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

using Slots = AttentionSlots;

template <class C>
void join_head(const AttentionSizes& sizes, int64_t size, const C* past, const C* now, int64_t row, C* joined) {
  const int64_t old = sizes.past_length * size;
  if (old > 0) std::copy(past, past + old, joined);
  joined += old;
  for (int64_t i = sizes.past_length; i < sizes.kv_length; ++i, now += row, joined += size) {
    std::copy(now, now + size, joined);
  }
}

/// Returns the tensor itself (`now`), or its rows after those of `past` copied to `joined`, [batch, kv_heads, length,
/// size]. Copies nothing if `joined` is null.
template <class C>
HeadRows<C> join_rows(const AttentionSizes& sizes, int64_t size, const Tensor& past, const Tensor& now, C* joined,
                      Executor& executor) {
  const int64_t length = sizes.kv_length - sizes.past_length;
  const HeadLayout layout(sizes.joined_kv, sizes.kv_heads, length, size);
  const C* from = now.data<C>();
  if (!joined) return {from, layout};
  const C* old = past ? past.data<C>() : nullptr;
  parallel_items(executor, sizes.batch * sizes.kv_heads, sizes.kv_length * size, [&](int64_t head, int64_t end, int) {
    for (; head < end; ++head) {
      const C* rows = from + layout.at(head / sizes.kv_heads, head % sizes.kv_heads, 0);
      const C* old_rows = old ? old + head * sizes.past_length * size : nullptr;
      join_head(sizes, size, old_rows, rows, layout.row, joined + head * sizes.kv_length * size);
    }
  });
  return {joined, HeadLayout(false, sizes.kv_heads, sizes.kv_length, size)};
}

/// The number of elements of all keys or values with this head size.
int64_t elements_of_all(const AttentionSizes& s, int64_t head_size) {
  return checked_mul(checked_mul(s.batch, s.kv_heads), checked_mul(s.kv_length, head_size));
}

}  // namespace

int64_t joined_elements(const AttentionRule& rule) {
  const AttentionSizes& s = rule.sizes;
  return s.past_length > 0 ? checked_add(elements_of_all(s, s.head_size), elements_of_all(s, s.v_head_size)) : 0;
}

template <class C>
KeyValueRows<C> join_key_values(const AttentionRule& rule, KernelContext& context, C* scratch) {
  const AttentionSizes& s = rule.sizes;
  const auto join = [&](int now, int past, int present, int64_t size, C* spare) {
    const bool wanted = rule.present[size_t(present - 1)];
    C* to = wanted ? context.output(present).data<C>() : s.past_length > 0 ? spare : nullptr;
    return join_rows(s, size, context.input(past), context.input(now), to, context.executor());
  };
  C* const values = s.past_length > 0 ? scratch + elements_of_all(s, s.head_size) : nullptr;
  return {join(Slots::kK, Slots::kPastKey, Slots::kPresentKey, s.head_size, scratch),
          join(Slots::kV, Slots::kPastValue, Slots::kPresentValue, s.v_head_size, values)};
}

template KeyValueRows<float> join_key_values(const AttentionRule&, KernelContext&, float*);
template KeyValueRows<double> join_key_values(const AttentionRule&, KernelContext&, double*);

}  // namespace linnet
