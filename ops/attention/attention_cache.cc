#include <algorithm>

#include "attention/attention_kernel.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

template <class C>
void join_head(const AttentionSizes& sizes, int64_t size, const C* past, const C* now, int64_t row, C* joined) {
  const int64_t old = sizes.past_length * size;
  if (old > 0) std::copy(past, past + old, joined);
  joined += old;
  for (int64_t i = sizes.past_length; i < sizes.kv_length; ++i, now += row, joined += size) {
    std::copy(now, now + size, joined);
  }
}

}  // namespace

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

template HeadRows<float> join_rows(const AttentionSizes&, int64_t, const Tensor&, const Tensor&, float*, Executor&);
template HeadRows<double> join_rows(const AttentionSizes&, int64_t, const Tensor&, const Tensor&, double*, Executor&);

}  // namespace linnet
