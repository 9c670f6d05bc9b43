#pragma once

#include <algorithm>
#include <cstdint>

#include "linnet/executor.h"
#include "partition/parts.h"

namespace linnet {

/// Elements that one chunk of parallel work touches, about: enough to outweigh handing it to a thread. Chunks of
/// sub-byte elements begin at whole bytes.
inline constexpr int64_t kChunkElements = 32 * 1024;

/// Calls f(begin, end, worker) for ranges of items that make up [0, items), in parallel. The ranges depend on the
/// number of items and on how many elements each of them touches, never on the number of workers.
template <class F>
void parallel_items(Executor& executor, int64_t items, int64_t elements_per_item, F f) {
  const int64_t step = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, elements_per_item));
  executor.parallel_for(ceil_div(items, step), [&](int64_t chunk, int worker) {
    f(chunk * step, std::min(items, (chunk + 1) * step), worker);
  });
}

}  // namespace linnet
