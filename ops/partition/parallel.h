#pragma once

#include <algorithm>
#include <cstdint>

#include "linnet/executor.h"
#include "partition/parts.h"

namespace linnet {

/// The approximate number of elements that one chunk of parallel work touches: enough to outweigh starting it on a
/// thread. Chunks of sub-byte elements begin at whole bytes.
inline constexpr int64_t kChunkElements = 32 * 1024;

/// The number of multiplications that take as long as reading and writing an element.
inline constexpr int64_t kMultipliesPerElement = 32;

/// Calls f(begin, end, worker) in parallel for ranges of items that make up [0, items). The ranges depend on the number
/// of items and on the number of elements that each of them touches, never on the number of workers. A remainder that
/// does not fill a chunk is part of the previous chunk.
template <class F>
void parallel_items(Executor& executor, int64_t items, int64_t elements_per_item, F f) {
  const int64_t step = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, elements_per_item));
  const int64_t chunks = items > 0 ? std::max<int64_t>(1, items / step) : 0;
  executor.parallel_for(chunks, [&](int64_t chunk, int worker) {
    f(chunk * step, chunk + 1 < chunks ? (chunk + 1) * step : items, worker);
  });
}

}  // namespace linnet
